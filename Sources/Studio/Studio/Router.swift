import Foundation
import Service

/// The routes of the HTTP interface, each with its handler.
struct Router: Sendable {
  /// Responds to a request. The route's pattern may contain names in braces, such as `{id}`. For each of these names,
  /// `parts` holds the corresponding part of the request's path.
  typealias Handler =
    @Sendable (_ request: HTTPRequest, _ parts: [String: String]) async throws ->
    HTTPResponse

  /// A route: the requests that one handler answers.
  struct Route: Sendable {
    /// The HTTP method: `GET`, `POST` or `DELETE`.
    let method: String
    /// The path, such as `/v1/jobs/{id}`.
    let pattern: String
    /// The maximum number of bytes of a request's body.
    let limit: Int
    let handler: Handler

    fileprivate var parts: [Substring] { pattern.split(separator: "/") }
  }

  private(set) var routes: [Route] = []

  /// Adds a route.
  mutating func add(
    _ method: String, _ pattern: String, limit: Int = 0, _ handler: @escaping Handler
  ) {
    routes.append(Route(method: method, pattern: pattern, limit: limit, handler: handler))
  }

  /// Returns the maximum number of bytes of a request's body, or 0 for an unknown address.
  func limit(_ head: HTTPHead) -> Int { (try? find(head).route.limit) ?? 0 }

  /// Calls the handler of the request's route. Throws the error 404 or 405 if no route matches.
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
        405, "wrong_method", "This address accepts only \(methods.joined(separator: ", ")).",
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
