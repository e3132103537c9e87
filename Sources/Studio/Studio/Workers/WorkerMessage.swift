import Foundation
import Glibc
import Imaging
import Service
import StyleTransfer

/// What a worker is asked to do. The pictures follow as they are.
struct WorkerRequest: Codable, Sendable {
  let question: BenchQuestion
  let file: URL
  let pixels: Int
  /// The names of the files, in the order in which they follow.
  let names: [String]
}

/// What a worker says.
enum WorkerReply: Codable, Sendable {
  /// The share of the work that is done.
  case progress(Double)
  /// The answer in JSON follows.
  case answer
  /// A painting follows: its colours, the photo's, and its alpha where it has any.
  case painting(width: Int, height: Int, paintedWidth: Int, paintedHeight: Int)
  /// Why there is no answer.
  case refusal(status: Int, code: String, message: String)
}

/// Messages over a stream between two processes: the lengths of their parts, then the parts; the first is
/// JSON.
///
/// Neither side believes the other's lengths.
struct WorkerStream: Sendable {
  /// Why nothing was read.
  enum Failure: Error {
    /// The other side has gone, or speaks otherwise.
    case ended
    /// The time is over.
    case late
  }

  /// The stream.
  let socket: Int32
  private static let mostParts = 1024

  /// Sends a message.
  func send(_ head: some Encodable, _ parts: [Data] = []) throws {
    let all = [try JSONEncoder().encode(head)] + parts
    var lengths = [UInt64(all.count)]
    lengths += all.map { UInt64($0.count) }
    try lengths.withUnsafeBytes { try write($0) }
    for part in all { try part.withUnsafeBytes { try write($0) } }
  }

  /// The next message.
  ///
  /// - Parameters:
  ///   - most: the most bytes that all parts together may have.
  ///   - deadline: when to give up; nil to wait for as long as it takes.
  func receive<Head: Decodable>(
    _: Head.Type, most: Int, until deadline: ContinuousClock.Instant? = nil
  ) throws -> (Head, [Data]) {
    let count = try number(deadline)
    guard (1...Self.mostParts).contains(count) else { throw Failure.ended }
    var left = most
    var lengths: [Int] = []
    for _ in 0..<count {
      let length = try number(deadline)
      guard (0...left).contains(length) else { throw Failure.ended }
      left -= length
      lengths.append(length)
    }
    var parts = try lengths.map { try read($0, deadline) }
    guard let head = try? JSONDecoder().decode(Head.self, from: parts.removeFirst()) else {
      throw Failure.ended
    }
    return (head, parts)
  }

  private func number(_ deadline: ContinuousClock.Instant?) throws -> Int {
    let bytes = try read(8, deadline)
    return bytes.withUnsafeBytes { Int(truncatingIfNeeded: $0.loadUnaligned(as: UInt64.self)) }
  }

  private func read(_ count: Int, _ deadline: ContinuousClock.Instant?) throws -> Data {
    var bytes = Data(count: count)
    var done = 0
    while done < count {
      if let deadline {
        let left = (deadline - ContinuousClock.now) / .milliseconds(1)
        guard left > 0 else { throw Failure.late }
        var watched = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        guard poll(&watched, 1, Int32(min(left + 1, 60_000))) > 0 else { continue }
      }
      let got = bytes.withUnsafeMutableBytes { bytes in
        // Safe: the rest of the buffer begins after what was read.
        bytes.baseAddress.map { recv(socket, $0 + done, count - done, 0) } ?? 0
      }
      if got < 0, errno == EINTR { continue }
      guard got > 0 else { throw Failure.ended }
      done += got
    }
    return bytes
  }

  private func write(_ bytes: UnsafeRawBufferPointer) throws {
    var done = 0
    while done < bytes.count, let start = bytes.baseAddress {
      // Safe: the rest of the buffer begins after what was written.
      let sent = Glibc.send(socket, start + done, bytes.count - done, Int32(MSG_NOSIGNAL))
      if sent < 0, errno == EINTR { continue }
      guard sent > 0 else { throw Failure.ended }
      done += sent
    }
  }
}

extension PaintedPicture {
  /// A painting as the parts of a message.
  var message: (WorkerReply, [Data]) {
    (
      .painting(
        width: painting.width, height: painting.height, paintedWidth: paintedSize.width,
        paintedHeight: paintedSize.height),
      [Data(painting.pixels), Data(photo.pixels)] + (painting.alpha.map { [Data($0)] } ?? [])
    )
  }

  /// A painting from the parts of a message, each of which goes as soon as it was copied.
  init(width: Int, height: Int, paintedSize: PictureSize, taking parts: inout [Data]) throws {
    guard parts.count == 2 || parts.count == 3 else { throw WorkerStream.Failure.ended }
    let alpha: [UInt8]? = parts.count == 3 ? Array(parts.removeLast()) : nil
    photo = try Picture(width: width, height: height, pixels: Array(parts.removeLast()))
    painting = try Picture(
      width: width, height: height, pixels: Array(parts.removeLast()), alpha: alpha)
    self.paintedSize = paintedSize
  }
}
