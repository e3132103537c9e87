/// The SHA-256 digest of bytes that arrive in pieces.
///
/// **Source:** FIPS 180-4, “Secure Hash Standard” (2015).
public struct SHA256: Sendable {
  private var state: [UInt32] = [
    0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a,
    0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
  ]
  private var pending: [UInt8] = []
  private var byteCount: UInt64 = 0
  private var schedule = [UInt32](repeating: 0, count: 64)

  /// The digest of nothing yet.
  public init() {
    pending.reserveCapacity(64)
  }

  /// Adds bytes.
  public mutating func update(_ bytes: UnsafeRawBufferPointer) {
    byteCount += UInt64(bytes.count)
    var rest: Slice<UnsafeRawBufferPointer> = bytes[...]
    if !pending.isEmpty {
      let taken = rest.prefix(64 - pending.count)
      pending.append(contentsOf: taken)
      rest = rest.dropFirst(taken.count)
      guard pending.count == 64 else { return }
      let block: [UInt8] = pending
      block.withUnsafeBytes { compress($0) }
      pending.removeAll(keepingCapacity: true)
    }
    while rest.count >= 64 {
      compress(UnsafeRawBufferPointer(rebasing: rest.prefix(64)))
      rest = rest.dropFirst(64)
    }
    pending.append(contentsOf: rest)
  }

  /// The digest of all bytes so far: 64 hexadecimal digits, lower case.
  public consuming func hexDigest() -> String {
    let bitCount: UInt64 = byteCount &* 8
    let zeros: Int = (119 - pending.count) % 64
    var padding: [UInt8] = [0x80] + [UInt8](repeating: 0, count: zeros)
    for shift in stride(from: 56, through: 0, by: -8) {
      padding.append(UInt8(truncatingIfNeeded: bitCount >> UInt64(shift)))
    }
    padding.withUnsafeBytes { update($0) }
    let digits: [UInt8] = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    for word in state {
      for shift in stride(from: 28, through: 0, by: -4) {
        text.append(digits[Int((word >> UInt32(shift)) & 15)])
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The digest of bytes that are all there: 64 hexadecimal digits, lower case.
  public static func hexDigest(of bytes: some Sequence<UInt8>) -> String {
    var digest = SHA256()
    Array(bytes).withUnsafeBytes { digest.update($0) }
    return digest.hexDigest()
  }

  /// Mixes one block of 64 bytes into the state.
  private mutating func compress(_ block: UnsafeRawBufferPointer) {
    schedule.withUnsafeMutableBufferPointer { words in
      for index in 0..<16 {
        let word = block.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self)
        words[index] = UInt32(bigEndian: word)
      }
      for index in 16..<64 {
        let early: UInt32 = words[index - 15]
        let late: UInt32 = words[index - 2]
        let small: UInt32 = turned(early, 7) ^ turned(early, 18) ^ (early >> 3)
        let large: UInt32 = turned(late, 17) ^ turned(late, 19) ^ (late >> 10)
        words[index] = words[index - 16] &+ small &+ words[index - 7] &+ large
      }
    }
    var (a, b, c, d) = (state[0], state[1], state[2], state[3])
    var (e, f, g, h) = (state[4], state[5], state[6], state[7])
    schedule.withUnsafeBufferPointer { words in
      roundConstants.withUnsafeBufferPointer { constants in
        for index in 0..<64 {
          let mixedE: UInt32 = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)
          let choice: UInt32 = (e & f) ^ (~e & g)
          let first: UInt32 = h &+ mixedE &+ choice &+ constants[index] &+ words[index]
          let mixedA: UInt32 = turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)
          let majority: UInt32 = (a & b) ^ (a & c) ^ (b & c)
          (h, g, f, e) = (g, f, e, d &+ first)
          (d, c, b, a) = (c, b, a, first &+ mixedA &+ majority)
        }
      }
    }
    for (index, word) in [a, b, c, d, e, f, g, h].enumerated() { state[index] &+= word }
  }
}

/// The word with its bits turned right.
@inline(__always)
private func turned(_ word: UInt32, _ count: UInt32) -> UInt32 {
  (word >> count) | (word << (32 - count))
}

/// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
private let roundConstants: [UInt32] = [
  0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4,
  0xab1c_5ed5, 0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe,
  0x9bdc_06a7, 0xc19b_f174, 0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f,
  0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da, 0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7,
  0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967, 0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc,
  0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85, 0xa2bf_e8a1, 0xa81a_664b,
  0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070, 0x19a4_c116,
  0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
  0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7,
  0xc671_78f2,
]
