import Foundation

/// The address at which browsers reach a server through a proxy: `https://paint.example`.
public struct PublicAddress: Sendable, Equatable {
  /// `http` or `https`.
  public let scheme: String
  /// The host name as browsers send it in `Host`: with the port, unless it is the scheme's default port.
  public let host: String

  /// Reads an address. Returns nil if the scheme is neither `http` nor `https`, or if the address has a user, a path or
  /// a query.
  public init?(_ text: String) {
    guard let parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased(),
      scheme == "http" || scheme == "https", let name = parts.host?.lowercased(), !name.isEmpty,
      parts.path.isEmpty || parts.path == "/", parts.query == nil, parts.fragment == nil,
      parts.user == nil, parts.password == nil
    else { return nil }
    self.scheme = scheme
    let usual: Int = scheme == "https" ? 443 : 80
    let port: String = parts.port.map { $0 == usual ? "" : ":\($0)" } ?? ""
    host = (name.contains(":") && !name.hasPrefix("[") ? "[\(name)]" : name) + port
  }

  /// The `Origin` of pages from this address.
  public var origin: String { "\(scheme)://\(host)" }
}
