import Foundation

/// The head of a request: everything but its body.
public struct HTTPHead: Sendable {
  /// `GET`, `POST`, …, as the client wrote it.
  public let method: String
  /// The parts of the path between slashes, percent codes decoded; none is empty, `.` or `..`.
  public let path: [String]
  /// What follows the question mark, decoded; the last of several values of a name counts.
  public let query: [String: String]
  /// Names in small letters with their values, in the client's order.
  public let headers: [(name: String, value: String)]
  /// The connection's other end: its address and port.
  public let peer: String
  /// The address of who asks, which nobody chooses freely: the peer's, or what a proxy says of it.
  public internal(set) var client: String

  /// Reads a target such as `/v1/styles?size=64`; nil where it is no path of ours: not UTF-8, with
  /// dots as parts, or with control characters.
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

  /// The value of a header, by its name in small letters; nil where it is missing or there are several.
  public func header(_ name: String) -> String? {
    let found = headers.filter { $0.name == name }
    return found.count == 1 ? found[0].value : nil
  }

  /// Whether there is a header of the name at all.
  public func has(_ name: String) -> Bool { headers.contains { $0.name == name } }

  /// The type of the body without its parameters, in small letters.
  public var contentType: String {
    (header("content-type") ?? "").split(separator: ";").first.map {
      $0.trimmingCharacters(in: .whitespaces).lowercased()
    } ?? ""
  }

  /// The cookie of a name.
  public func cookie(_ name: String) -> String? {
    for pair in (header("cookie") ?? "").split(separator: ";") {
      let halves = pair.split(separator: "=", maxSplits: 1)
      if halves.count == 2, halves[0].trimmingCharacters(in: .whitespaces) == name {
        return halves[1].trimmingCharacters(in: .whitespaces)
      }
    }
    return nil
  }

  /// Fields as forms and queries write them; pairs that are no UTF-8 are left out.
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
  /// The body; empty where there is none.
  public let body: Data
  /// The memory that is reserved for the body. Whoever keeps the body, or a part of it, after the answer keeps this too.
  public let room: Reservation?

  /// A request.
  public init(head: HTTPHead, body: Data = Data(), room: Reservation? = nil) {
    self.head = head
    self.body = body
    self.room = room
  }
}
