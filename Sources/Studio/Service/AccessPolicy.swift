import Foundation

/// Who may ask: the names that the server goes by, foreign pages, and the token.
///
/// A browser on this machine may be shown a page of somebody else's. That page can send requests to any
/// address (its `Origin`, or `Sec-Fetch-Site`, tells), and can give its own name this machine's address
/// (then `Host` is that name: DNS rebinding). Both are refused before a body is read.
public struct AccessPolicy: Sendable {
  /// The address that is listened on, in digits.
  public let address: String
  /// What a client must show where the server can be reached from elsewhere; nil asks for nothing.
  public let token: String?
  /// The address by which a proxy gives the server to others; nil where there is none.
  public let publicAddress: PublicAddress?
  /// The name of the cookie that carries the token.
  public static let cookie = "atelier_token"

  /// A policy; an address that others can reach, directly or through a proxy, must have a token.
  public init(address: String, token: String?, publicAddress: PublicAddress? = nil) {
    precondition(
      token != nil || (Self.isLoopback(address) && publicAddress == nil),
      "others can reach the address")
    self.address = address
    self.token = token
    self.publicAddress = publicAddress
  }

  /// Whether an address is reached from this machine only.
  public static func isLoopback(_ address: String) -> Bool {
    let parts = address.split(separator: ".", omittingEmptySubsequences: false)
    return address == "::1"
      || (parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil })
  }

  /// Why a request is refused; nil lets it through.
  public func refusal(of head: HTTPHead, port: UInt16) -> HTTPError? {
    guard let host = head.header("host"), allows(host: host.lowercased(), port: port) else {
      return HTTPError(
        421, "foreign_host",
        "The request names another host than this studio. Open it by the address that it printed.")
    }
    if head.has("origin"), !allows(origin: head.header("origin"), host: host.lowercased()) {
      return HTTPError(403, "foreign_origin", "Other sites' pages may not ask this studio.")
    }
    switch head.header("sec-fetch-site") {
    case nil, "same-origin"?, "none"?: break
    default: return HTTPError(403, "foreign_origin", "Other sites' pages may not ask this studio.")
    }
    guard let token, !shows(token, head) else { return nil }
    return HTTPError(
      401, "token_missing",
      "This studio asks for the token that it printed when it started: open the printed address, or"
        + " send it as 'Authorization: Bearer TOKEN'.",
      headers: [("WWW-Authenticate", "Bearer")])
  }

  /// Whether the request is for the first page and its address brings the token, as the printed address does.
  public func brings(_ head: HTTPHead) -> Bool {
    guard head.path.isEmpty, let token, let shown = head.query["token"] else { return false }
    return Self.isEqual(shown, token)
  }

  /// What turns the token into a cookie, which a browser sends over TLS alone where the request came so.
  public func welcome(_ head: HTTPHead) -> HTTPError {
    let isSecure: Bool =
      publicAddress?.scheme == "https" && isPublic(head.header("host")?.lowercased())
    return HTTPError(
      303, "welcome", "The token is kept.",
      headers: [
        ("Location", "/"),
        (
          "Set-Cookie",
          "\(Self.cookie)=\(token ?? ""); Path=/; HttpOnly; SameSite=Strict; Max-Age=2592000"
            + (isSecure ? "; Secure" : "")
        ),
      ])
  }

  /// The address of who asks: what a proxy on this machine added last, where there is one, and the connection's other
  /// end otherwise.
  public func client(of head: HTTPHead) -> String {
    let peer: String = head.peer.split(separator: " ").first.map(String.init) ?? ""
    guard publicAddress != nil, Self.isLoopback(peer),
      let last = head.headers.last(where: { $0.name == "x-forwarded-for" })?.value
        .split(separator: ",").last?.trimmingCharacters(in: .whitespaces),
      last.utf8.count <= 45, Self.isDigits(last)
    else { return peer }
    return last
  }

  private func isPublic(_ host: String?) -> Bool {
    guard let publicAddress, let host else { return false }
    return host == publicAddress.host
  }

  /// Whether a page of this origin is the studio's own.
  private func allows(origin: String?, host: String) -> Bool {
    guard let origin = origin?.lowercased() else { return false }
    if let publicAddress, origin == publicAddress.origin { return true }
    return !isPublic(host) && origin == "http://\(host)"
  }

  private func shows(_ token: String, _ head: HTTPHead) -> Bool {
    if let cookie = head.cookie(Self.cookie), Self.isEqual(cookie, token) { return true }
    guard let words = head.header("authorization"), words.lowercased().hasPrefix("bearer ")
    else { return false }
    return Self.isEqual(words.dropFirst(7).trimmingCharacters(in: .whitespaces), token)
  }

  private func allows(host: String, port: UInt16) -> Bool {
    if isPublic(host) { return true }
    let (name, number) = Self.parts(of: host)
    guard number == Int(port) || (number == nil && port == 80) else { return false }
    if Self.isLoopback(address) {
      return name == "localhost" || Self.isLoopback(name)
    }
    // A name in digits cannot be turned elsewhere, so it is rebound by nobody.
    if name == address || name == "localhost" || Self.isDigits(name) { return true }
    return name == ProcessInfo.processInfo.hostName.lowercased()
  }

  /// `[::1]:80` and `localhost:80` in their parts, without brackets.
  static func parts(of host: String) -> (name: String, port: Int?) {
    if host.hasPrefix("["), let end = host.firstIndex(of: "]") {
      let name = String(host[host.index(after: host.startIndex)..<end])
      let rest = host[host.index(after: end)...]
      guard rest.hasPrefix(":") else { return (name, rest.isEmpty ? nil : -1) }
      return (name, Int(rest.dropFirst()) ?? -1)
    }
    let halves = host.split(separator: ":", omittingEmptySubsequences: false)
    guard halves.count == 2 else { return (host, halves.count == 1 ? nil : -1) }
    return (String(halves[0]), Int(halves[1]) ?? -1)
  }

  private static func isDigits(_ name: String) -> Bool {
    if name.contains(":") {
      return name.unicodeScalars.allSatisfy {
        $0 == ":" || $0 == "." || $0.properties.isASCIIHexDigit
      }
    }
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
  }

  /// Compares in a time that tells nothing about where two texts differ.
  public static func isEqual(_ left: String, _ right: String) -> Bool {
    let (left, right) = (Array(left.utf8), Array(right.utf8))
    var difference: Int = left.count ^ right.count
    for index in right.indices {
      difference |= Int(right[index] ^ (index < left.count ? left[index] : ~right[index]))
    }
    return difference == 0
  }

  /// A token of 192 random bits.
  public static func makeToken() -> String {
    var generator = SystemRandomNumberGenerator()
    let bytes = (0..<24).map { _ in UInt8.random(in: 0...255, using: &generator) }
    return Data(bytes).base64EncodedString()
      .replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
  }
}
