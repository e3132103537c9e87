import CMicrohttpd
import Foundation
import Platform

/// An open WebSocket (RFC 6455).
///
/// One thread reads, and any thread may write. If the client violates the protocol, for example with a frame that is
/// unmasked or too long, it gets a close frame with the reason.
///
/// `@unchecked Sendable`: threads write to the channel only under the lock. Only one thread reads from the channel.
/// That thread closes the channel after all writes have ended.
public final class WebSocket: @unchecked Sendable {
  /// A message from a client.
  public enum Message: Sendable {
    /// A text message.
    case text(String)
    /// A binary message.
    case binary(Data)
  }

  private let channel: OpaquePointer
  private let longest: Int
  private let budget: MemoryBudget
  private let isOpen = Locked(true)
  private let writing = Locked(())

  /// Creates a socket over a channel. The socket does not own the channel.
  ///
  /// - Parameters:
  ///   - longest: The maximum number of bytes of a message, over all its frames.
  ///   - budget: The budget for incoming messages.
  init(channel: OpaquePointer, longest: Int, budget: MemoryBudget) {
    self.channel = channel
    self.longest = longest
    self.budget = budget
  }

  /// Waits for the next message. Answers pings while it waits. Returns nil when the connection has ended, or the client
  /// has violated the protocol.
  public func receive() -> Message? {
    var message = Incoming(budget)
    var kind: UInt8 = 0
    while true {
      guard let head = read(2) else { return nil }
      let (opcode, isLast) = (head[0] & 15, head[0] & 128 != 0)
      guard head[0] & 0x70 == 0, head[1] & 128 != 0 else { return fail(1002) }
      var count = Int(head[1] & 127)
      if count >= 126 {
        guard let more = read(count == 126 ? 2 : 8) else { return nil }
        guard more.count == 2 || more[0] < 64 else { return fail(1009) }
        count = more.reduce(0) { $0 << 8 | Int($1) }
      }
      guard opcode < 8 || (count < 126 && isLast) else { return fail(1002) }
      guard count <= longest - message.bytes.count else { return fail(1009) }
      guard let mask = read(4) else { return nil }
      switch opcode {
      case 0 where kind != 0, 1 where kind == 0, 2 where kind == 0:
        if opcode != 0 { kind = opcode }
        switch append(count, mask, to: &message) {
        case .complete: break
        case .ended: return nil
        case .noMemory: return fail(1013)
        }
        guard isLast else { continue }
        guard kind == 1 else { return .binary(message.bytes) }
        guard let text = String(validating: message.bytes, as: UTF8.self) else { return fail(1007) }
        return .text(text)
      case 8, 9, 10:
        var incoming = Incoming(budget)
        guard append(count, mask, to: &incoming) == .complete else { return nil }
        if opcode == 8 { return fail(1000) }
        if opcode == 9 { _ = write(10, incoming.bytes) }
      default: return fail(1002)
      }
    }
  }

  /// The received part of a message, with the memory that is reserved for it.
  private struct Incoming {
    private let budget: MemoryBudget
    private var reservations: [Reservation] = []
    private var reservedCount = 0
    private(set) var bytes = Data()
    private static let step = 256 << 10

    init(_ budget: MemoryBudget) { self.budget = budget }

    /// Reserves memory for `count` more bytes. The first 4096 bytes of a message need no reservation. Returns false if
    /// the budget has too little memory left.
    mutating func reserve(_ count: Int) -> Bool {
      while bytes.count + count > Swift.max(reservedCount, 4096) {
        guard let reservation = budget.reserve(Self.step) else { return false }
        reservations.append(reservation)
        reservedCount += Self.step
      }
      return true
    }

    /// Appends bytes. The caller has reserved memory for them.
    mutating func append(_ piece: Data) { bytes.append(piece) }
  }

  private enum Appending { case complete, ended, noMemory }

  /// Appends a frame's bytes in pieces, so that memory grows with the received bytes, not with the length that the
  /// frame's header states.
  private func append(_ count: Int, _ mask: Data, to message: inout Incoming) -> Appending {
    var done = 0
    while done < count {
      let size: Int = min(count - done, 65536)
      guard message.reserve(size) else { return .noMemory }
      guard var piece = read(size) else { return .ended }
      piece.withUnsafeMutableBytes { bytes in
        // The length of each piece but the last is a multiple of 4, which is the length of the mask. So every piece
        // begins with the first byte of the mask.
        for index in bytes.indices { bytes[index] ^= mask[index & 3] }
      }
      message.append(piece)
      done += size
    }
    return .complete
  }

  /// Sends a text. Returns false if the client has disconnected or does not read.
  @discardableResult
  public func send(_ text: String) -> Bool { write(1, Data(text.utf8)) }

  /// Sends bytes. Returns false if the client has disconnected or does not read.
  @discardableResult
  public func send(_ bytes: Data) -> Bool { write(2, bytes) }

  /// Sends a ping. Returns false if the client has disconnected or does not read.
  @discardableResult
  public func ping() -> Bool { write(9, Data()) }

  /// Ends the connection, from any thread.
  public func close() {
    if isOpen.withLock({ $0 }) { hs_channel_shutdown(channel) }
  }

  /// Waits until no thread sends, and makes later calls of ``send(_:)`` fail. Then the channel may be freed.
  func end() {
    writing.withLock { _ in isOpen.withLock { $0 = false } }
  }

  private func fail(_ code: UInt16) -> Message? {
    _ = write(8, Data([UInt8(code >> 8), UInt8(code & 255)]))
    // No frame may follow a close frame.
    end()
    return nil
  }

  private func read(_ count: Int) -> Data? {
    var bytes = Data(count: count)
    var done = 0
    while done < count {
      let got = bytes.withUnsafeMutableBytes { bytes in
        bytes.baseAddress.map { hs_channel_read(channel, $0 + done, count - done) } ?? 0
      }
      guard got > 0 else { return nil }
      done += got
    }
    return bytes
  }

  private func write(_ opcode: UInt8, _ bytes: Data) -> Bool {
    var frame = Data(capacity: bytes.count + 10)
    frame.append(128 | opcode)
    if bytes.count < 126 {
      frame.append(UInt8(bytes.count))
    } else if bytes.count < 65536 {
      frame.append(contentsOf: [126, UInt8(bytes.count >> 8), UInt8(bytes.count & 255)])
    } else {
      frame.append(127)
      for shift in stride(from: 56, through: 0, by: -8) {
        frame.append(UInt8(truncatingIfNeeded: bytes.count >> shift))
      }
    }
    frame.append(bytes)
    return writing.withLock { _ in
      guard isOpen.withLock({ $0 }) else { return false }
      return frame.withUnsafeBytes { hs_channel_write(channel, $0.baseAddress, $0.count) }
    }
  }
}

/// The handshake of a WebSocket.
public enum WebSocketHandshake {
  /// Returns the value of `Sec-WebSocket-Accept`, or nil if the request is not a valid handshake.
  public static func accept(_ head: HTTPHead) -> String? {
    guard head.method == "GET", head.header("upgrade")?.lowercased() == "websocket",
      head.header("connection")?.lowercased().contains("upgrade") == true,
      head.header("sec-websocket-version") == "13",
      let key = head.header("sec-websocket-key"), Data(base64Encoded: key)?.count == 16
    else { return nil }
    return Data(SHA1.digest(Data((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)))
      .base64EncodedString()
  }
}

/// SHA-1, which the handshake of RFC 6455 needs. It is not used for security.
///
/// **Source:** FIPS 180-4, 6.1.
enum SHA1 {
  static func digest(_ message: Data) -> [UInt8] {
    var bytes = [UInt8](message)
    let bits = UInt64(bytes.count) * 8
    bytes.append(128)
    while bytes.count % 64 != 56 { bytes.append(0) }
    for shift in stride(from: 56, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: bits >> UInt64(shift)))
    }
    var hash: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
    for block in stride(from: 0, to: bytes.count, by: 64) {
      var words: [UInt32] = (0..<16).map { index in
        bytes[(block + index * 4)..<(block + index * 4 + 4)].reduce(0) { $0 << 8 | UInt32($1) }
      }
      for index in 16..<80 {
        words.append(
          rotated(words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16], 1))
      }
      var (a, b, c, d, e) = (hash[0], hash[1], hash[2], hash[3], hash[4])
      for index in 0..<80 {
        let (mix, constant): (UInt32, UInt32) =
          switch index / 20 {
          case 0: ((b & c) | (~b & d), 0x5A82_7999)
          case 1: (b ^ c ^ d, 0x6ED9_EBA1)
          case 2: ((b & c) | (b & d) | (c & d), 0x8F1B_BCDC)
          default: (b ^ c ^ d, 0xCA62_C1D6)
          }
        let next: UInt32 = rotated(a, 5) &+ mix &+ e &+ constant &+ words[index]
        (e, d, c, b, a) = (d, c, rotated(b, 30), a, next)
      }
      hash = zip(hash, [a, b, c, d, e]).map { $0 &+ $1 }
    }
    return hash.flatMap { word in
      stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> UInt32($0)) }
    }
  }

  private static func rotated(_ word: UInt32, _ bits: UInt32) -> UInt32 {
    word << bits | word >> (32 - bits)
  }
}
