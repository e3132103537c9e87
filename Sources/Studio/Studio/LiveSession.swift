import Foundation
import Imaging
import Platform
import Service
import StyleTransfer

/// Live painting: a page sends the frames of its camera and gets back the painted frames. At most one frame waits to be
/// painted. A new frame replaces the waiting one.
///
/// A frame is a binary message. It consists of a number (4 bytes, little-endian) and a JPEG. The answer consists of the
/// same number, the time that painting took in ms (a little-endian float), and the painted JPEG. A text message changes
/// the settings: `{"style": …, "units": …}`.
///
/// `@unchecked Sendable`: mutable state is only accessed under `gate`.
final class LiveSession: @unchecked Sendable {
  /// The settings that a page may change during the session.
  private struct Settings: Equatable {
    var style = ""
    var units = Units.all
  }

  private struct Frame {
    let number: UInt32
    let jpeg: Data
  }

  private struct Notice: Encodable {
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

  /// The maximum number of pixels of a frame.
  private static let mostPixels = 1280 * 960

  /// Creates a session that serves a page through its socket.
  init(_ studio: Studio, _ socket: WebSocket, style: String, units: Units) {
    self.studio = studio
    self.socket = socket
    settings = Settings(style: style, units: units)
  }

  /// Paints until the page disconnects. Receives frames on the calling thread and paints on another thread.
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
          tell(Notice(type: "settings", style: wanted.style, units: wanted.units.rawValue))
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
        tell(Notice(type: "error", message: httpError(of: error).message))
        known = nil
      }
    }
  }

  /// Opens the network of a style. Returns a function that paints a frame, given the frame's JPEG. The function returns
  /// the painted picture, and the time that painting took in ms. In a worker process, this time includes decoding.
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
      let painter = try studio.worker.painter(what, file)
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

  private func tell(_ notice: Notice) {
    guard let data = try? JSONEncoder().encode(notice) else { return }
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
