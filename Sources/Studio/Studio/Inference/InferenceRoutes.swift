import Foundation
import Service

/// The routes of the Open Inference Protocol (KServe V2), with the extensions for binary data and for the model
/// repository.
struct InferenceRoutes: Sendable {
  private struct Server: Encodable {
    let name = "atelier"
    let version = "1"
    let extensions = ["binary_tensor_data", "model_repository"]
  }

  let repository: ModelRepository
  let counts: InferenceCounts
  let queue: FairQueue
  let pages: Pages
  /// The maximum number of bytes of a request's body.
  let limit: Int
  /// Returns whether the server takes requests.
  let isReady: @Sendable () -> Bool

  /// The paths of the health checks, which need no token.
  static let healthPaths: Set<[String]> = [["v2", "health", "live"], ["v2", "health", "ready"]]

  /// Adds the routes.
  func add(to router: inout Router) {
    router.add("GET", "/v2") { _, _ in try .json(Server()) }
    router.add("GET", "/v2/health/live") { _, _ in try .json(["live": true]) }
    router.add("GET", "/v2/health/ready") { [self] _, _ in
      guard isReady() else {
        throw HTTPError(503, "not_ready", "The server ends and takes no more requests.")
      }
      return try .json(["ready": true])
    }
    router.add("GET", "/v2/openapi.json") { [self] _, _ in
      guard let bytes = pages.bytes("inference.json") else { throw HTTPError.missing("document") }
      return HTTPResponse(type: "application/json", Data(bytes))
    }
    for path in ["/v2/models/{model}", "/v2/models/{model}/versions/{version}"] {
      router.add("GET", path) { [self] _, parts in
        let (name, worker, file) = try repository.model(parts)
        return try await worker.answer(.metadata(name: name), about: file).response
      }
      router.add("GET", path + "/ready") { [self] _, parts in
        guard try repository.isReady(parts) else {
          throw HTTPError(400, "not_ready", "The model '\(parts["model"] ?? "")' is unloaded.")
        }
        return try .json(["ready": true])
      }
      router.add("POST", path + "/infer", limit: limit) { [self] request, parts in
        try await infer(request, parts)
      }
    }
    addRepository(to: &router)
  }

  private func addRepository(to router: inout Router) {
    router.add("POST", "/v2/repository/index", limit: 4096) { [self] request, _ in
      let isReady = try Self.object(request.body)["ready"] as? Bool ?? false
      return try .json(repository.index.filter { !isReady || $0.state == "READY" })
    }
    router.add("POST", "/v2/repository/models/{model}/load", limit: 4096) {
      [self] request, parts in
      guard (try Self.object(request.body)["parameters"] as? [String: Any] ?? [:]).isEmpty else {
        throw HTTPError(
          400, "bad_request", "Loading a model with other files or settings is not supported.")
      }
      try await queue.run(Studio.queueClient(request.head)) { [self] in
        try await repository.load(parts["model"] ?? "")
      }
      return try .json([String: String]())
    }
    router.add("POST", "/v2/repository/models/{model}/unload", limit: 4096) {
      [self] request, parts in
      _ = try Self.object(request.body)
      try repository.unload(parts["model"] ?? "")
      return try .json([String: String]())
    }
  }

  private func infer(
    _ request: HTTPRequest, _ parts: [String: String]
  ) async throws -> HTTPResponse {
    let (name, worker, file) = try repository.model(parts)
    let head = request.head
    guard !head.has("content-encoding") else {
      throw HTTPError(
        415, "compressed", "The body has a Content-Encoding. Send it without compression.")
    }
    let header = head.header(InferenceAnswer.lengthHeader)
    guard header != nil || !head.has(InferenceAnswer.lengthHeader) else {
      throw HTTPError(
        400, "bad_header_length", "The header Inference-Header-Content-Length occurs several times."
      )
    }
    let order = InferenceOrder(model: name, headerLength: header)
    let start = ContinuousClock.now
    do {
      let answer = try await queue.run(Studio.queueClient(head)) {
        try await worker.answer(.infer(order), about: file, [ModelRequest.document: request.body])
      }
      counts.add(name, .answered, after: .now - start)
      return answer.inference
    } catch {
      let error = httpError(of: error)
      counts.add(name, error.status < 500 ? .refused : .failed, after: .now - start)
      throw error
    }
  }

  private static func object(_ body: Data) throws -> [String: Any] {
    guard !body.isEmpty else { return [:] }
    guard let object = try? JSONSerialization.jsonObject(with: body) as? [String: Any] else {
      throw HTTPError(400, "bad_json", "The body must be empty or a JSON object.")
    }
    return object
  }
}

extension Studio: ModelSource {
  var modelNames: [String] { models.all.filter { $0.origin != .painting }.map(\.id) }

  func servedModel(_ name: String) throws -> (worker: any ModelWorker, file: URL) {
    let entry = try models.entry(name)
    guard entry.origin != .painting else {
      throw HTTPError(404, "no_model", "'\(entry.title)' is a painting, not a model.")
    }
    return (worker(of: entry), entry.file)
  }

  func closeModel(_ name: String) {
    if let entry = try? models.entry(name) { opened.forget(entry.file) }
  }

  func addInference(to router: inout Router) {
    InferenceRoutes(
      repository: ModelRepository(self), counts: inferences, queue: quick, pages: pages,
      limit: options.pictureBytes, isReady: { true }
    ).add(to: &router)
  }
}
