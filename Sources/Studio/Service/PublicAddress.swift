import Foundation

/// The address by which browsers reach a server behind a proxy: `https://paint.example`.
public struct PublicAddress: Sendable, Equatable {
  /// `http` or `https`.
  public let scheme: String
  /// The name, and the port where it is not the scheme's own, as a browser writes them into `Host`.
  public let host: String

  /// Reads an address; nil where it has another scheme, a user, a path or a query.
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

  /// What pages from there send as their `Origin`.
  public var origin: String { "\(scheme)://\(host)" }
}
