import Testing

@testable import Service

@Suite("Access control")
struct AccessPolicyTests {
  private func head(
    _ headers: [(String, String)], target: String = "/v1/health"
  ) throws -> HTTPHead {
    try #require(HTTPHead(method: "GET", target: target, headers: headers))
  }

  @Test(
    "A local studio accepts only this machine's host names",
    arguments: [
      ("127.0.0.1:80", true), ("localhost:80", true), ("[::1]:80", true), ("localhost", true),
      ("LOCALHOST:80", true), ("127.0.0.1:81", false), ("evil.example:80", false),
      ("127.0.0.1.evil.example:80", false), ("[::1]x:80", false), ("", false),
      ("192.168.0.7:80", false), ("localhost:80:80", false),
    ])
  func host(_ name: String, isAllowed: Bool) throws {
    let policy = AccessPolicy(address: "127.0.0.1", token: nil)
    let refusal = policy.refusal(of: try head([("Host", name)]), port: 80)
    #expect((refusal == nil) == isAllowed)
    if !isAllowed { #expect(refusal?.status == 421) }
  }

  @Test(
    "Other host names are allowed by whole names and by the ends of names, at any port",
    arguments: [
      ("painter.models.svc", true), ("PAINTER.models.svc:8080", true),
      ("a.example.com", true), ("a.b.example.com:80", true), ("example.com", false),
      ("painter.models.svc.evil.com", false), ("badexample.com", false),
      ("painter.models.svc:x", false), ("", false), ("localhost:80", true),
    ])
  func otherHosts(_ name: String, isAllowed: Bool) throws {
    var policy = AccessPolicy(address: "0.0.0.0", token: nil, isOpen: true)
    policy.hosts = ["painter.models.svc", "*.example.com"]
    let refusal = policy.refusal(of: try head([("Host", name)]), port: 80)
    #expect((refusal == nil) == isAllowed)
    policy.hosts = ["*"]
    #expect(
      (policy.refusal(of: try head([("Host", name)]), port: 80) == nil) == !name.hasSuffix(":x"))
  }

  @Test("Open paths need no token, but others do")
  func openPaths() throws {
    var policy = AccessPolicy(address: "127.0.0.1", token: "s3cret")
    policy.openPaths = [["v1", "health"]]
    let host = [("Host", "localhost:80")]
    #expect(policy.refusal(of: try head(host), port: 80) == nil)
    #expect(policy.refusal(of: try head(host, target: "/v1/models"), port: 80)?.status == 401)
  }

  @Test("Two Host headers are refused like none")
  func twoHosts() throws {
    let policy = AccessPolicy(address: "127.0.0.1", token: nil)
    let both = try head([("Host", "localhost:80"), ("Host", "evil.example")])
    #expect(policy.refusal(of: both, port: 80)?.status == 421)
    #expect(policy.refusal(of: try head([]), port: 80)?.status == 421)
  }

  @Test(
    "Requests from foreign pages are refused, by their Origin or Sec-Fetch-Site header",
    arguments: [
      ("Origin", "http://localhost:80", true), ("Origin", "http://evil.example", false),
      ("Origin", "null", false), ("Origin", "https://localhost:80", false),
      ("Sec-Fetch-Site", "same-origin", true), ("Sec-Fetch-Site", "none", true),
      ("Sec-Fetch-Site", "cross-site", false), ("Sec-Fetch-Site", "same-site", false),
    ])
  func origin(_ name: String, _ value: String, isAllowed: Bool) throws {
    let policy = AccessPolicy(address: "127.0.0.1", token: nil)
    let refusal = policy.refusal(
      of: try head([("Host", "localhost:80"), (name, value)]), port: 80)
    #expect((refusal == nil) == isAllowed)
    if !isAllowed { #expect(refusal?.status == 403) }
  }

  @Test(
    "An encrypted studio accepts only pages that were loaded over https, and marks its cookie secure"
  )
  func encrypted() throws {
    let policy = AccessPolicy(address: "0.0.0.0", token: "s3cret", isEncrypted: true)
    func status(_ host: String, _ origin: String) throws -> Int? {
      policy.refusal(
        of: try head([
          ("Host", host), ("Origin", origin), ("Authorization", "Bearer s3cret"),
        ]), port: 443)?.status
    }
    #expect(try status("10.1.2.3:443", "https://10.1.2.3:443") == nil)
    #expect(try status("10.1.2.3", "https://10.1.2.3") == nil)
    #expect(try status("10.1.2.3", "http://10.1.2.3") == 403)
    let cookie = policy.welcome(try head([("Host", "10.1.2.3")])).headers
      .first { $0.name == "Set-Cookie" }?.value
    #expect(cookie?.contains("; Secure") == true)
  }

  @Test("With a token, a request must have it in a header or a cookie")
  func token() throws {
    let policy = AccessPolicy(address: "0.0.0.0", token: "s3cret")
    func status(_ headers: [(String, String)]) throws -> Int? {
      policy.refusal(of: try head([("Host", "10.1.2.3:80")] + headers), port: 80)?.status
    }
    #expect(try status([]) == 401)
    #expect(try status([("Authorization", "Bearer s3cret")]) == nil)
    #expect(try status([("Authorization", "Bearer s3cret2")]) == 401)
    #expect(try status([("Authorization", "Basic s3cret")]) == 401)
    #expect(try status([("Cookie", "a=b; atelier_token=s3cret")]) == nil)
    #expect(try status([("Cookie", "atelier_token=")]) == 401)
    #expect(policy.brings(try head([("Host", "x")], target: "/?token=s3cret")))
    #expect(!policy.brings(try head([("Host", "x")], target: "/?token=s3cre")))
    #expect(!policy.brings(try head([("Host", "x")], target: "/v1/styles?token=s3cret")))
  }

  @Test("A studio on the network cannot be rebound by a foreign host name")
  func rebinding() throws {
    let policy = AccessPolicy(address: "0.0.0.0", token: "s3cret")
    let shown = ("Authorization", "Bearer s3cret")
    let foreign = try head([("Host", "evil.example:80"), shown])
    #expect(policy.refusal(of: foreign, port: 80)?.status == 421)
    #expect(policy.refusal(of: try head([("Host", "[fe80::1]:80"), shown]), port: 80) == nil)
  }

  @Test("The constant-time comparison of texts is correct for all lengths")
  func equality() {
    #expect(AccessPolicy.isEqual("abc", "abc"))
    for other in ["", "ab", "abd", "abcd", "abcabc"] {
      #expect(!AccessPolicy.isEqual(other, "abc"))
    }
    #expect(AccessPolicy.makeToken().count == 32)
    #expect(AccessPolicy.makeToken() != AccessPolicy.makeToken())
  }

  @Test(
    "A public address is a scheme and a host name",
    arguments: [
      ("https://paint.example/", "https://paint.example", "paint.example"),
      ("HTTPS://Paint.Example:443", "https://paint.example", "paint.example"),
      ("https://paint.example:8443", "https://paint.example:8443", "paint.example:8443"),
      ("http://[fd00::1]:80/", "http://[fd00::1]", "[fd00::1]"),
    ])
  func publicAddress(_ text: String, _ origin: String, _ host: String) throws {
    let address = try #require(PublicAddress(text))
    #expect(address.origin == origin)
    #expect(address.host == host)
  }

  @Test(
    "A public address with more than a scheme and a host name is refused",
    arguments: [
      "paint.example", "ftp://paint.example", "https://paint.example/studio", "https://", "",
      "https://me@paint.example", "https://paint.example/?a=b",
    ])
  func noPublicAddress(_ text: String) { #expect(PublicAddress(text) == nil) }

  @Test(
    "Behind a proxy, the public name and origin are the studio's, whatever host name the proxy sends",
    arguments: [
      ("paint.example", "https://paint.example", nil), ("paint.example", nil, nil),
      ("127.0.0.1:80", "https://paint.example", nil), ("127.0.0.1:80", "http://127.0.0.1:80", nil),
      ("paint.example", "http://paint.example", 403),
      ("paint.example", "https://evil.example", 403),
      ("evil.example", "https://paint.example", 421), ("paint.example:81", nil, 421),
    ] as [(String, String?, Int?)])
  func proxy(_ host: String, _ origin: String?, _ status: Int?) throws {
    let policy = AccessPolicy(
      address: "127.0.0.1", token: "s3cret", publicAddress: PublicAddress("https://paint.example/"))
    let headers = [("Host", host), ("Cookie", "atelier_token=s3cret")]
    let request = try head(headers + (origin.map { [("Origin", $0)] } ?? []))
    #expect(policy.refusal(of: request, port: 80)?.status == status)
    let stranger = try head([("Host", host)] + (origin.map { [("Origin", $0)] } ?? []))
    #expect(policy.refusal(of: stranger, port: 80)?.status == status ?? 401)
  }

  @Test("A cookie received over TLS is sent back only over TLS")
  func secureCookie() throws {
    let policy = AccessPolicy(
      address: "127.0.0.1", token: "s3cret", publicAddress: PublicAddress("https://paint.example/"))
    func cookie(_ host: String) throws -> String {
      policy.welcome(try head([("Host", host)])).headers.last?.value ?? ""
    }
    #expect(try cookie("paint.example").hasSuffix("; Secure"))
    #expect(try !cookie("127.0.0.1:80").contains("Secure"))
  }

  @Test("A client is identified by its connection, or by a proxy on this machine")
  func client() throws {
    func client(_ peer: String, _ forwarded: String?, isAfterProxy: Bool = true) throws -> String {
      let policy = AccessPolicy(
        address: "127.0.0.1", token: "s3cret",
        publicAddress: isAfterProxy ? PublicAddress("https://paint.example/") : nil)
      let head = try #require(
        HTTPHead(
          method: "GET", target: "/", headers: forwarded.map { [("X-Forwarded-For", $0)] } ?? [],
          peer: peer))
      return policy.client(of: head)
    }
    #expect(try client("127.0.0.1 5000", "1.1.1.1, 10.0.0.7") == "10.0.0.7")
    #expect(try client("127.0.0.1 5000", "anything I like") == "127.0.0.1")
    #expect(try client("127.0.0.1 5000", nil) == "127.0.0.1")
    #expect(try client("10.0.0.9 5000", "1.1.1.1") == "10.0.0.9")
    #expect(try client("127.0.0.1 5000", "1.1.1.1", isAfterProxy: false) == "127.0.0.1")
  }
}
