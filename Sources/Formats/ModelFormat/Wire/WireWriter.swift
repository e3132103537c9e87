import Glibc

/// Writes the protobuf wire format in two passes over the same messages.
///
/// The first pass measures every nested message and stores the sizes in order. The second pass writes the messages and
/// reads the sizes in the same order. The writer never copies weights to memory: large fields go from the mapped file
/// directly to the new file.
public struct WireWriter {
  private static let flushSize = 1 << 18

  /// Whether the writer is in its first pass, which measures messages and writes nothing.
  private var isMeasuring: Bool = true
  private var sizes: [Int] = []
  private var nextSize: Int = 0
  private var buffer: [UInt8] = []
  private let descriptor: Int32?
  private(set) var count: Int = 0
  /// The size of the message, in bytes.
  private(set) var measuredCount: Int = 0
  /// The `errno` of the first failed write. Nil if no write has failed.
  private(set) var failure: Int32?

  /// Makes a writer that has measured `message` and is ready to write it. The writer writes to the file `descriptor`,
  /// or to memory if `descriptor` is nil.
  @_semantics("optimize.sil.specialize.generic.never") @inline(never)
  init<Message: SpecMessage>(measuring message: Message, descriptor: Int32? = nil) {
    self.descriptor = descriptor
    message.encode(into: &self)
    isMeasuring = false
    measuredCount = count
    buffer.reserveCapacity(descriptor == nil ? count : min(count, WireWriter.flushSize * 2))
    count = 0
  }

  /// Returns the bytes that were written to memory.
  consuming func takeBytes() -> [UInt8] { buffer }

  /// Writes the buffered bytes to the file.
  mutating func flush() {
    guard let descriptor else { return }
    buffer.withUnsafeBytes { write($0, to: descriptor) }
    buffer.removeAll(keepingCapacity: true)
  }

  mutating func key(_ number: UInt32, _ kind: UInt32) {
    varint(UInt64(number) << 3 | UInt64(kind))
  }

  mutating func varint(_ value: UInt64) {
    if isMeasuring {
      count += varintLength(value)
      return
    }
    var rest: UInt64 = value
    while rest >= 0x80 {
      byte(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    byte(UInt8(truncatingIfNeeded: rest))
  }

  mutating func raw(_ bytes: UnsafeRawBufferPointer) {
    count += bytes.count
    if isMeasuring { return }
    if let descriptor, bytes.count >= WireWriter.flushSize {
      flush()
      write(bytes, to: descriptor)
    } else {
      buffer.append(contentsOf: bytes)
      if buffer.count >= WireWriter.flushSize { flush() }
    }
  }

  /// Writes the length of the message that `body` writes. Then calls `body` to write the message.
  mutating func nested(_ body: (inout WireWriter) -> Void) {
    if isMeasuring {
      let slot: Int = sizes.count
      sizes.append(0)
      let before: Int = count
      body(&self)
      sizes[slot] = count - before
      count += varintLength(UInt64(sizes[slot]))
    } else {
      varint(UInt64(sizes[nextSize]))
      nextSize += 1
      body(&self)
    }
  }

  private mutating func byte(_ value: UInt8) {
    count += 1
    buffer.append(value)
  }

  private mutating func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) {
    var done: Int = 0
    while done < bytes.count, failure == nil, let base = bytes.baseAddress {
      // Safe: done < bytes.count.
      let written: Int = Glibc.write(descriptor, base + done, bytes.count - done)
      if written > 0 {
        done += written
      } else if errno != EINTR {
        failure = written == 0 ? EIO : errno
      }
    }
  }
}

/// Returns the number of bytes of an integer as a varint.
func varintLength(_ value: UInt64) -> Int {
  (64 - (value | 1).leadingZeroBitCount + 6) / 7
}
