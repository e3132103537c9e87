import Foundation
import Service

/// The addresses of the interface, each with what answers it.
struct Router: Sendable {
  /// What answers a request; `parts` are what stands in the place of the pattern's names.
  typealias Handler =
    @Sendable (_ request: HTTPRequest, _ parts: [String: String]) async throws ->
    HTTPResponse

  /// One address.
  struct Route: Sendable {
    /// `GET`, `POST`, `DELETE`.
    let method: String
    /// `/v1/jobs/{id}`.
    let pattern: String
    /// The most bytes of a body.
    let limit: Int
    let handler: Handler

    fileprivate var parts: [Substring] { pattern.split(separator: "/") }
  }

  private(set) var routes: [Route] = []

  /// Adds an address.
  mutating func add(
    _ method: String, _ pattern: String, limit: Int = 0, _ handler: @escaping Handler
  ) {
    routes.append(Route(method: method, pattern: pattern, limit: limit, handler: handler))
  }

  /// The most bytes that the body of a request may have; nothing for an address that is not ours.
  func limit(_ head: HTTPHead) -> Int { (try? find(head).route.limit) ?? 0 }

  /// Answers a request.
  func answer(_ request: HTTPRequest) async throws -> HTTPResponse {
    let (route, parts) = try find(request.head)
    return try await route.handler(request, parts)
  }

  private func find(_ head: HTTPHead) throws -> (route: Route, parts: [String: String]) {
    var methods: [String] = []
    for route in routes {
      guard let parts = Self.match(route.parts, head.path) else { continue }
      if route.method == head.method || (route.method == "GET" && head.method == "HEAD") {
        return (route, parts)
      }
      methods.append(route.method)
    }
    guard methods.isEmpty else {
      throw HTTPError(
        405, "wrong_method", "This address takes \(methods.joined(separator: ", ")).",
        headers: [("Allow", methods.joined(separator: ", "))])
    }
    throw HTTPError.missing("address of that name")
  }

  private static func match(_ pattern: [Substring], _ path: [String]) -> [String: String]? {
    guard pattern.count == path.count else { return nil }
    var parts: [String: String] = [:]
    for (word, part) in zip(pattern, path) {
      if word.hasPrefix("{") {
        parts[String(word.dropFirst().dropLast())] = part
      } else if word != part {
        return nil
      }
    }
    return parts
  }
}
