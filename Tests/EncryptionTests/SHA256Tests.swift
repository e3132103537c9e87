import Testing

@testable import ModelTools

struct SHA256Tests {
  @Test(
    "Digests are those of FIPS 180-4's examples",
    arguments: [
      ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
      ),
    ])
  func knownDigests(text: String, digest: String) {
    #expect(SHA256.hexDigest(of: text.utf8) == digest)
  }

  @Test("A million letters give the digest of FIPS 180-4")
  func million() {
    let letters = [UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000)
    let digest = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
    #expect(SHA256.hexDigest(of: letters) == digest)
  }

  @Test("Bytes in pieces give the digest of the whole", arguments: [1, 55, 56, 63, 64, 65, 127])
  func pieces(size: Int) {
    let bytes: [UInt8] = (0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    var digest = SHA256()
    for start in stride(from: 0, to: bytes.count, by: size) {
      bytes[start..<min(start + size, bytes.count)].withUnsafeBytes { digest.update($0) }
    }
    #expect(digest.hexDigest() == SHA256.hexDigest(of: bytes))
  }
}
