import Foundation
import Imaging
import Platform
import Service
import StyleTransfer

/// Live pictures: a page sends frames, each comes back painted. A frame that comes while another is
/// painted takes the place of the one that waits, which is dropped; nothing queues.
///
/// A frame is a number (4 bytes, little-endian) and a JPEG; so is the answer, with the milliseconds in the
/// network as a float in between. Texts are settings: `{"style": …, "units": …}`.
///
/// `@unchecked Sendable`: what changes is touched under the gate.
final class LiveSession: @unchecked Sendable {
  /// What a page may set while it runs.
  private struct Settings: Equatable {
    var style = ""
    var units = Units.all
  }

  private struct Frame {
    let number: UInt32
    let jpeg: Data
  }

  private struct Told: Encodable {
    var type: String
    var style: String?
    var units: String?
    var message: String?
  }

  private let studio: Studio
  private let socket: WebSocket
  private let gate = Gate()
  private var waiting: Frame?
  private var settings = Settings()
  private var isOver = false

  /// The most pixels of a frame.
  private static let mostPixels = 1280 * 960

  /// A session on a page's socket.
  init(_ studio: Studio, _ socket: WebSocket, style: String, units: Units) {
    self.studio = studio
    self.socket = socket
    settings = Settings(style: style, units: units)
  }

  /// Paints until the page goes. Reads on the calling thread, paints on one of its own.
  func run() {
    let painting = Thread { [self] in paint() }
    painting.stackSize = 8 << 20
    painting.start()
    while let message = socket.receive() {
      switch message {
      case .binary(let data) where data.count > 4:
        let number = data.prefix(4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        gate.locked {
          waiting = Frame(number: number, jpeg: data.dropFirst(4))
          gate.signal()
        }
      case .binary: break
      case .text(let text): change(text)
      }
    }
    gate.locked {
      isOver = true
      gate.signal()
    }
    while !painting.isFinished { usleep(1000) }
  }

  private func change(_ text: String) {
    guard
      let object = try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
    else { return }
    gate.locked {
      if let style = object["style"] as? String { settings.style = style }
      if let units = (object["units"] as? String).flatMap({ Units(rawValue: $0) }) {
        settings.units = units
      }
    }
  }

  private func next() -> (Frame, Settings)? {
    gate.locked {
      while waiting == nil, !isOver { gate.wait() }
      guard !isOver, let frame = waiting else { return nil }
      waiting = nil
      return (frame, settings)
    }
  }

  private func paint() {
    var known: (settings: Settings, paint: (Data) throws -> (Picture, Float))?
    while let (frame, wanted) = next() {
      do {
        if known?.settings != wanted {
          known = (wanted, try painter(wanted))
          tell(Told(type: "settings", style: wanted.style, units: wanted.units.rawValue))
        }
        guard let paint = known?.paint else { continue }
        let header = try Picture.probe(data: frame.jpeg, name: "the frame")
        guard header.width * header.height <= Self.mostPixels else {
          throw HTTPError(413, "too_many_pixels", "Live frames have at most 1280 × 960 pixels.")
        }
        let (painting, milliseconds) = try paint(frame.jpeg)
        var answer = Data()
        answer.append(contentsOf: withUnsafeBytes(of: frame.number.littleEndian) { Array($0) })
        answer.append(
          contentsOf: withUnsafeBytes(of: milliseconds.bitPattern.littleEndian) { Array($0) })
        answer.append(try painting.encoded(as: .jpeg, quality: 80))
        if !socket.send(answer) { socket.close() }
      } catch {
        tell(Told(type: "error", message: httpError(of: error).message))
        known = nil
      }
    }
  }

  /// What paints a frame's JPEG, and says how many milliseconds the network took.
  private func painter(_ settings: Settings) throws -> (Data) throws -> (Picture, Float) {
    let entry = try studio.models.entry(settings.style)
    var order = try StylizeOrder(Fields(values: ["style": entry.id, "network": "small"]))
    order.units = settings.units.rawValue
    let (file, what) = try studio.order(entry, order)
    func timed(_ work: () throws -> Picture) rethrows -> (Picture, Float) {
      let start = ContinuousClock.now
      let picture = try work()
      return (picture, Float((ContinuousClock.now - start) / .milliseconds(1)))
    }
    guard entry.origin.isForeign else {
      let painter = try studio.bench.painter(what, file)
      return { jpeg in
        let photo = try Picture(
          data: jpeg, name: "the frame", pixelLimit: Self.mostPixels)
        return try timed { try painter.paint(photo).picture }
      }
    }
    return { [workers = studio.workers] jpeg in
      try timed {
        try waited {
          try await workers.answer(.paint(what), about: file, ["photo": jpeg]).picture().painting
        }
      }
    }
  }

  private func tell(_ told: Told) {
    guard let data = try? JSONEncoder().encode(told) else { return }
    socket.send(String(decoding: data, as: UTF8.self))
  }
}

/// `/v1/live`.
extension Studio {
  func addLive(to router: inout Router) {
    router.add("GET", "/v1/live") { [self] request, _ in
      let fields = try Fields(request)
      let units = try fields.choice("units", Units.self) ?? .all
      let style = try models.entry(
        fields.text("style") ?? models.all.first { $0.kind == .style }?.id ?? "")
      guard style.kind == .style else {
        throw HTTPError(422, "no_style", "'\(style.title)' does not paint.")
      }
      var response = HTTPResponse(426)
      response.socket = { [self] in LiveSession(self, $0, style: style.id, units: units).run() }
      return response
    }
  }
}
