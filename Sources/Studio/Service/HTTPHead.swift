import Foundation

/// The head of an HTTP request: method, target and headers, without the body.
public struct HTTPHead: Sendable {
  /// `GET`, `POST`, …, as the client wrote it.
  public let method: String
  /// The parts of the path between slashes, percent-decoded. No part is empty, `.` or `..`.
  public let path: [String]
  /// The query, decoded. If a name has several values, the dictionary has the last value.
  public let query: [String: String]
  /// The headers, in the client's order. The names are in lower case.
  public let headers: [(name: String, value: String)]
  /// The peer's address and port.
  public let peer: String
  /// The client's address: the peer's address, or the last address in the proxy's `X-Forwarded-For`. The client cannot
  /// choose this address.
  public internal(set) var client: String

  /// Reads a target such as `/v1/styles?size=64`. Nil if the target does not begin with a slash or has more than 8192
  /// bytes. Also nil if a part of the path is `.` or `..`, is not UTF-8, or contains a slash or a control character
  /// after decoding.
  public init?(
    method: String, target: String, headers: [(name: String, value: String)], peer: String = ""
  ) {
    guard target.utf8.count <= 8192, target.hasPrefix("/") else { return nil }
    let halves = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    var parts: [String] = []
    for part in halves[0].split(separator: "/") {
      guard let decoded = String(part).removingPercentEncoding, decoded != ".", decoded != "..",
        !decoded.unicodeScalars.contains(where: { $0.value < 32 || $0.value == 127 }),
        !decoded.contains("/")
      else { return nil }
      parts.append(decoded)
    }
    path = parts
    query = halves.count > 1 ? Self.fields(String(halves[1])) : [:]
    self.method = method
    self.headers = headers.map { ($0.name.lowercased(), $0.value) }
    self.peer = peer
    client = peer.split(separator: " ").first.map(String.init) ?? ""
  }

  /// Returns the value of a header, given the header's name in lower case. Nil if the header is missing or occurs
  /// several times.
  public func header(_ name: String) -> String? {
    let found = headers.filter { $0.name == name }
    return found.count == 1 ? found[0].value : nil
  }

  /// Returns whether a header occurs at least once.
  public func has(_ name: String) -> Bool { headers.contains { $0.name == name } }

  /// The media type of the body without the type's parameters, in lower case.
  public var contentType: String {
    (header("content-type") ?? "").split(separator: ";").first.map {
      $0.trimmingCharacters(in: .whitespaces).lowercased()
    } ?? ""
  }

  /// Returns the value of the cookie with the given name, or nil if the request has none.
  public func cookie(_ name: String) -> String? {
    for pair in (header("cookie") ?? "").split(separator: ";") {
      let halves = pair.split(separator: "=", maxSplits: 1)
      if halves.count == 2, halves[0].trimmingCharacters(in: .whitespaces) == name {
        return halves[1].trimmingCharacters(in: .whitespaces)
      }
    }
    return nil
  }

  /// Parses `name=value&…`, as in a query or a form. Skips pairs that are not UTF-8.
  public static func fields(_ text: String) -> [String: String] {
    var fields: [String: String] = [:]
    for pair in text.split(separator: "&") {
      let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let words = halves.map {
        $0.replacingOccurrences(of: "+", with: " ").removingPercentEncoding
      }
      guard let name = words[0], !name.isEmpty, let value = words.count > 1 ? words[1] : ""
      else { continue }
      fields[name] = value
    }
    return fields
  }
}

/// A request with its body.
public struct HTTPRequest: Sendable {
  /// The head.
  public let head: HTTPHead
  /// The body. Empty if the request has none.
  public let body: Data
  /// The memory that is reserved for the body. If a handler still stores the body, or a part of the body, after the
  /// response, it must also store this reservation.
  public let reservation: Reservation?

  /// Creates a request.
  public init(head: HTTPHead, body: Data = Data(), reservation: Reservation? = nil) {
    self.head = head
    self.body = body
    self.reservation = reservation
  }
}
