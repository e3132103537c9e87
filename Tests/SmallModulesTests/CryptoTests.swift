import CryptoKit
import Foundation
import Testing

/// Known answers of FIPS 180-4, RFC 1321, RFC 4231 and RFC 5869.
@Suite("Digests and authentication of CryptoKit")
struct CryptoTests {
  private func hex<S: Sequence>(_ bytes: S) -> String where S.Element == UInt8 {
    bytes.map { String(format: "%02x", $0) }.joined()
  }

  @Test("Digests of abc are those of the standards")
  func digests() {
    let abc = Data("abc".utf8)
    #expect(
      hex(SHA256.hash(data: abc))
        == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    #expect(
      hex(SHA384.hash(data: abc))
        == "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7"
    )
    #expect(
      hex(SHA512.hash(data: abc))
        == "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
    )
    #expect(hex(Insecure.SHA1.hash(data: abc)) == "a9993e364706816aba3e25717850c26c9cd0d89d")
    #expect(hex(Insecure.MD5.hash(data: abc)) == "900150983cd24fb0d6963f7d28e17f72")
    #expect(hex(Insecure.MD5.hash(data: Data())) == "d41d8cd98f00b204e9800998ecf8427e")
    #expect(SHA256.hash(data: abc).description.hasPrefix("SHA256 digest: ba7816bf"))
  }

  @Test("Parts give the digest of the whole, and a copy goes its own way")
  func parts() {
    var hash = SHA256()
    hash.update(data: Data("ab".utf8))
    var copy = hash
    copy.update(data: Data("x".utf8))
    hash.update(data: Data("c".utf8))
    #expect(hash.finalize() == SHA256.hash(data: Data("abc".utf8)))
    #expect(copy.finalize() == SHA256.hash(data: Data("abx".utf8)))
    #expect(hash.finalize() != copy.finalize())
    #expect(Data(hash.finalize()).count == SHA256.byteCount)
  }

  @Test("Authentication gives the results of RFC 4231")
  func authentication() {
    let key = SymmetricKey(data: Data("Jefe".utf8))
    let text = Data("what do ya want for nothing?".utf8)
    let code = HMAC<SHA256>.authenticationCode(for: text, using: key)
    #expect(hex(code) == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    #expect(HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: text, using: key))
    #expect(!HMAC<SHA256>.isValidAuthenticationCode(Data(code), authenticating: Data(), using: key))
    let long = SymmetricKey(data: [UInt8](repeating: 0xaa, count: 131))
    let other = Data("Test Using Larger Than Block-Size Key - Hash Key First".utf8)
    #expect(
      hex(HMAC<SHA256>.authenticationCode(for: other, using: long))
        == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
  }

  @Test("A derived key is that of RFC 5869, and random keys differ")
  func keys() {
    let derived = HKDF<SHA256>.deriveKey(
      inputKeyMaterial: SymmetricKey(data: [UInt8](repeating: 0x0b, count: 22)),
      salt: Array(UInt8(0)...0x0c), info: Array(UInt8(0xf0)...0xf9), outputByteCount: 42)
    #expect(
      derived.withUnsafeBytes { hex($0) }
        == "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865")
    #expect(SymmetricKey(size: .bits256) != SymmetricKey(size: .bits256))
    #expect(SymmetricKey(size: .bits128).bitCount == 128)
  }
}
