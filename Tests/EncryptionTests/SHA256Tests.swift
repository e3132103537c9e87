import Encryption
import Foundation
import Testing

struct SHA256Tests {
  @Test(
    "Digests match FIPS 180-4's examples",
    arguments: [
      ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
      ),
    ])
  func knownDigests(text: String, digest: String) throws {
    #expect(try SHA256.hexDigest(of: Data(text.utf8)) == digest)
  }

  @Test("A million letters give FIPS 180-4's digest")
  func million() throws {
    let letters = [UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000)
    let digest = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
    #expect(try SHA256.hexDigest(of: Data(letters)) == digest)
  }
}
