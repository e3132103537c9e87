import Foundation

/// Decides which HTTP requests a server accepts. Decides by the host name, the origin and the token of each request.
///
/// Two attacks are refused before a body is read:
/// - Cross-site requests: a browser on this machine shows a page of another site, and that page sends requests to the
///   studio. The `Origin` header of such a request names the other site, or the `Sec-Fetch-Site` header says that the
///   request comes from another site.
/// - DNS rebinding: the other site makes its own host name resolve to this machine's address. Then the `Host` header of
///   a request contains the other site's host name.
public struct AccessPolicy: Sendable {
  /// The IP address to listen on.
  public let address: String
  /// The token that every client must send. Nil if the server accepts requests without a token. A server that other
  /// machines can reach must have a token.
  public let token: String?
  /// The address at which a proxy publishes the server. Nil without a proxy.
  public let publicAddress: PublicAddress?
  /// Other host names under which clients reach the server: whole names, `*.` with the end of a name, or `*` for all.
  public var hosts: [String] = []
  /// The paths that need no token, such as those of health checks.
  public var openPaths: Set<[String]> = []
  /// What the sentences of refusals call the server.
  public var noun = "studio"
  /// The scheme of the server's own address: `https` if the server itself encrypts, else `http`.
  public let scheme: String
  /// The name of the cookie that carries the token.
  public static let cookie = "atelier_token"

  /// Creates a policy. Traps if the token is nil and other machines can reach the address, directly or through a proxy,
  /// unless `isOpen` says that they may.
  public init(
    address: String, token: String?, publicAddress: PublicAddress? = nil,
    isEncrypted: Bool = false, isOpen: Bool = false
  ) {
    precondition(
      token != nil || isOpen || (Self.isLoopback(address) && publicAddress == nil),
      "an address that others can reach needs a token")
    self.address = address
    self.token = token
    self.publicAddress = publicAddress
    scheme = isEncrypted ? "https" : "http"
  }

  /// Returns whether an address can only be reached from this machine.
  public static func isLoopback(_ address: String) -> Bool {
    let parts = address.split(separator: ".", omittingEmptySubsequences: false)
    return address == "::1"
      || (parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil })
  }

  /// Returns the error for a request that is refused, or nil if it is allowed.
  public func refusal(of head: HTTPHead, port: UInt16) -> HTTPError? {
    guard let host = head.header("host"), allows(host: host.lowercased(), port: port) else {
      return HTTPError(
        421, "foreign_host",
        "The request has the host name of another server. Use the address that the \(noun) printed."
      )
    }
    if head.has("origin"), !allows(origin: head.header("origin"), host: host.lowercased()) {
      return HTTPError(
        403, "foreign_origin",
        "Pages of other sites may not send requests to this \(noun).")
    }
    switch head.header("sec-fetch-site") {
    case nil, "same-origin"?, "none"?: break
    default:
      return HTTPError(
        403, "foreign_origin",
        "Pages of other sites may not send requests to this \(noun).")
    }
    guard let token, !isSent(token, in: head), !openPaths.contains(head.path) else { return nil }
    return HTTPError(
      401, "token_missing",
      noun == "studio"
        ? "This studio needs the token that it printed when it started: open the printed address, or"
          + " send the header 'Authorization: Bearer TOKEN'."
        : "This \(noun) needs its token: send the header 'Authorization: Bearer TOKEN'.",
      headers: [("WWW-Authenticate", "Bearer")])
  }

  /// Returns whether the request is for the address that the studio printed when it started. That address has the path
  /// `/` and the token as a part of its query.
  public func brings(_ head: HTTPHead) -> Bool {
    guard head.path.isEmpty, let token, let shown = head.query["token"] else { return false }
    return Self.isEqual(shown, token)
  }

  /// Returns the redirect to `/` that stores the token in a cookie. The redirect has the type of an error, because the
  /// server throws the redirect instead of handling the request. If the request came over TLS, the cookie is marked
  /// secure, so the browser never sends the cookie without TLS.
  public func welcome(_ head: HTTPHead) -> HTTPError {
    let isSecure: Bool =
      scheme == "https"
      || (publicAddress?.scheme == "https" && isPublic(head.header("host")?.lowercased()))
    return HTTPError(
      303, "welcome", "The token is stored.",
      headers: [
        ("Location", "/"),
        (
          "Set-Cookie",
          "\(Self.cookie)=\(token ?? ""); Path=/; HttpOnly; SameSite=Strict; Max-Age=2592000"
            + (isSecure ? "; Secure" : "")
        ),
      ])
  }

  /// Returns the client's address: the last address in `X-Forwarded-For` if a proxy on this machine forwarded the
  /// request, otherwise the peer's address.
  public func client(of head: HTTPHead) -> String {
    let peer: String = head.peer.split(separator: " ").first.map(String.init) ?? ""
    guard publicAddress != nil, Self.isLoopback(peer),
      let last = head.headers.last(where: { $0.name == "x-forwarded-for" })?.value
        .split(separator: ",").last?.trimmingCharacters(in: .whitespaces),
      last.utf8.count <= 45, Self.isIPAddress(last)
    else { return peer }
    return last
  }

  private func isPublic(_ host: String?) -> Bool {
    guard let publicAddress, let host else { return false }
    return host == publicAddress.host
  }

  /// Returns whether a page of this origin belongs to the studio.
  private func allows(origin: String?, host: String) -> Bool {
    guard let origin = origin?.lowercased() else { return false }
    if let publicAddress, origin == publicAddress.origin { return true }
    return !isPublic(host) && origin == "\(scheme)://\(host)"
  }

  /// Returns whether the request contains the token, as a cookie or as a bearer token.
  private func isSent(_ token: String, in head: HTTPHead) -> Bool {
    if let cookie = head.cookie(Self.cookie), Self.isEqual(cookie, token) { return true }
    guard let words = head.header("authorization"), words.lowercased().hasPrefix("bearer ")
    else { return false }
    return Self.isEqual(words.dropFirst(7).trimmingCharacters(in: .whitespaces), token)
  }

  private func allows(host: String, port: UInt16) -> Bool {
    if isPublic(host) { return true }
    let (name, number) = Self.parts(of: host)
    // A proxy or a service of a cluster may have any port.
    if number != -1, hosts.contains(where: { Self.matches(name, $0) }) { return true }
    guard number == Int(port) || (number == nil && port == (scheme == "https" ? 443 : 80))
    else { return false }
    if Self.isLoopback(address) {
      return name == "localhost" || Self.isLoopback(name)
    }
    // A host name that is an IP address is not resolved, so DNS rebinding cannot use such a name.
    if name == address || name == "localhost" || Self.isIPAddress(name) { return true }
    return name == ProcessInfo.processInfo.hostName.lowercased()
  }

  private static func matches(_ name: String, _ pattern: String) -> Bool {
    let pattern = pattern.lowercased()
    guard pattern.hasPrefix("*") else { return name == pattern }
    return name.hasSuffix(pattern.dropFirst())
  }

  /// Splits `[::1]:80` and `localhost:80` into name and port. The name has no brackets. The port is nil if it is
  /// missing, and -1 if it is not a number.
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

  /// Returns whether a name has the form of an IPv4 or IPv6 address.
  static func isIPAddress(_ name: String) -> Bool {
    if name.contains(":") {
      return name.unicodeScalars.allSatisfy {
        $0 == ":" || $0 == "." || $0.properties.isASCIIHexDigit
      }
    }
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
  }

  /// Compares two texts in constant time: the time does not depend on where the texts differ.
  public static func isEqual(_ left: String, _ right: String) -> Bool {
    let (left, right) = (Array(left.utf8), Array(right.utf8))
    var difference: Int = left.count ^ right.count
    for index in right.indices {
      difference |= Int(right[index] ^ (index < left.count ? left[index] : ~right[index]))
    }
    return difference == 0
  }

  /// Returns a token of 192 random bits.
  public static func makeToken() -> String {
    var generator = SystemRandomNumberGenerator()
    let bytes = (0..<24).map { _ in UInt8.random(in: 0...255, using: &generator) }
    return Data(bytes).base64EncodedString()
      .replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
  }
}
