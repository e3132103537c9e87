import Foundation
import Platform
import Service

/// The models that the Open Inference Protocol serves, with their states.
protocol ModelSource: Sendable {
  /// The names of all models.
  var modelNames: [String] { get }
  /// Returns a model's file, and the worker that runs it. Throws if there is no such model.
  func servedModel(_ name: String) throws -> (worker: any ModelWorker, file: URL)
  /// Closes a model. The next prediction opens it again.
  func closeModel(_ name: String)
}

/// Loads and unloads the models of a source.
final class ModelRepository: Sendable {
  /// A model in the index. The names are the protocol's.
  struct Entry: Encodable, Sendable {
    let name: String
    let version: String
    let state: String
    let reason: String
  }

  private let source: any ModelSource
  private let unloaded = Locked<Set<String>>([])

  /// Creates a repository in which all models are loaded.
  init(_ source: any ModelSource) { self.source = source }

  /// All models with their states.
  var index: [Entry] {
    let unloaded = unloaded.withLock { $0 }
    return source.modelNames.sorted().map {
      let isReady = !unloaded.contains($0)
      return Entry(
        name: $0, version: ModelMetadata.version, state: isReady ? "READY" : "UNAVAILABLE",
        reason: isReady ? "" : "unloaded")
    }
  }

  /// Returns a loaded model. Throws if there is no such model or version, or if the model is unloaded.
  func model(_ parts: [String: String]) throws -> (
    name: String, worker: any ModelWorker, file: URL
  ) {
    let name = try known(parts)
    guard !unloaded.withLock({ $0.contains(name) }) else {
      throw HTTPError(
        400, "unloaded",
        "The model '\(name)' is unloaded. POST /v2/repository/models/\(name)/load loads it.")
    }
    let (worker, file) = try source.servedModel(name)
    return (name, worker, file)
  }

  /// Returns whether a model is loaded. Throws if there is no such model or version.
  func isReady(_ parts: [String: String]) throws -> Bool {
    let name = try known(parts)
    return !unloaded.withLock { $0.contains(name) }
  }

  /// Opens a model. From now on, requests may use it.
  func load(_ name: String) async throws {
    let (worker, file) = try source.servedModel(name)
    _ = try await worker.answer(.metadata(name: name), about: file)
    unloaded.withLock { _ = $0.remove(name) }
  }

  /// Closes a model. From now on, requests for it are refused. Those that run or wait already are still answered.
  func unload(_ name: String) throws {
    _ = try source.servedModel(name)
    unloaded.withLock { _ = $0.insert(name) }
    source.closeModel(name)
  }

  private func known(_ parts: [String: String]) throws -> String {
    let name = parts["model"] ?? ""
    _ = try source.servedModel(name)
    guard let version = parts["version"], version != ModelMetadata.version else { return name }
    throw HTTPError(
      404, "no_version",
      "The model '\(name)' has no version '\(version.prefix(20))'; it has \(ModelMetadata.version)."
    )
  }
}
