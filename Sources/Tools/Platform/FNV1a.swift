/// The 64-bit hash FNV-1a. Unlike Swift's `Hasher`, it gives the same hash in all processes.
///
/// **Source:** Fowler, Noll, Vo, “The FNV Non-Cryptographic Hash Algorithm” (IETF draft, 2012).
package struct FNV1a: Sendable {
  /// The current hash.
  package private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

  /// Creates the hash of an empty sequence of bytes.
  package init() {}

  /// Computes the hash of bytes.
  package init(_ bytes: some Sequence<UInt8>) {
    self.init()
    add(bytes)
  }

  /// Adds bytes.
  package mutating func add(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { add(byte) }
  }

  /// Adds bytes and an end marker. With end markers, the texts “a” and “bc” give another hash than “ab” and “c”.
  package mutating func add(_ bytes: some Sequence<UInt8>, endedBy end: UInt8) {
    add(bytes)
    add(end)
  }

  private mutating func add(_ byte: UInt8) {
    value = (value ^ UInt64(byte)) &* 0x100_0000_01b3
  }

  /// The hash as 16 hexadecimal digits.
  package var text: String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
