import Foundation
import Glibc
import Imaging
import Service
import StyleTransfer

/// A request to a worker process. It is the first part of a message. The bytes of the request's files are the other
/// parts.
struct WorkerRequest: Codable, Sendable {
  let modelRequest: ModelRequest
  let file: URL
  let pixels: Int
  /// The names of the files, in the order of the message's parts.
  let names: [String]
}

/// A message from a worker process.
enum WorkerReply: Codable, Sendable {
  /// The share of the work that is done, 0 to 1.
  case progress(Double)
  /// The worker has answered. The answer is JSON, and it is the next part of the message. The binary data of an
  /// inference is another part.
  case answer
  /// The worker has painted. The next parts are the colours of the painting, the colours of the photo and, if the
  /// painting has an alpha plane, this alpha plane.
  case painting(width: Int, height: Int, paintedWidth: Int, paintedHeight: Int)
  /// The worker has failed, for the given reason.
  case refusal(status: Int, code: String, message: String)
}

/// Messages over a socket between two processes. A message begins with the lengths of its parts. Then the parts follow.
/// The first part is JSON.
///
/// Both processes check the lengths that they receive.
struct WorkerStream: Sendable {
  /// The reason why no message was received.
  enum Failure: Error {
    /// The other process has ended, or violates the protocol.
    case ended
    /// The deadline has passed.
    case late
  }

  /// The socket.
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

  /// Waits for the next message and returns its parts.
  ///
  /// - Parameters:
  ///   - most: The maximum number of bytes of all parts together.
  ///   - deadline: The time at which to give up. Nil waits without a limit.
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
        // Safe: `$0 + done` is within the buffer of `count` bytes, and at most `count - done` bytes are received.
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
      // Safe: `start + done` is within `bytes`, and at most `bytes.count - done` bytes are sent.
      let sent = Glibc.send(socket, start + done, bytes.count - done, Int32(MSG_NOSIGNAL))
      if sent < 0, errno == EINTR { continue }
      guard sent > 0 else { throw Failure.ended }
      done += sent
    }
  }
}

extension PaintedPicture {
  /// The message that carries this painting: the head of the message, and the other parts.
  var message: (WorkerReply, [Data]) {
    (
      .painting(
        width: painting.width, height: painting.height, paintedWidth: paintedSize.width,
        paintedHeight: paintedSize.height),
      [Data(painting.pixels), Data(photo.pixels)] + (painting.alpha.map { [Data($0)] } ?? [])
    )
  }

  /// Creates a painting from the parts of a message. Releases each part when it has been copied.
  init(width: Int, height: Int, paintedSize: PictureSize, taking parts: inout [Data]) throws {
    guard parts.count == 2 || parts.count == 3 else { throw WorkerStream.Failure.ended }
    let alpha: [UInt8]? = parts.count == 3 ? Array(parts.removeLast()) : nil
    photo = try Picture(width: width, height: height, pixels: Array(parts.removeLast()))
    painting = try Picture(
      width: width, height: height, pixels: Array(parts.removeLast()), alpha: alpha)
    self.paintedSize = paintedSize
  }
}
