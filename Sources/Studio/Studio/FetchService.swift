import Foundation
import ModelTools
import Platform
import Service

/// Fetches models into the user's cache, as `atelier fetch` does. Fetches one model at a time.
final class FetchService: Sendable {
  /// The state of a model.
  enum State: String, Codable, Sendable {
    case missing, fetching, fetched, failed
  }

  /// A model as clients see it.
  struct Report: Codable, Sendable {
    let name: String
    let summary: String
    var state: State
    /// The current step. Nil unless the model is being fetched.
    var step: String?
    /// How many bytes have been downloaded. Nil unless the model is being fetched.
    var bytes: Int?
    /// Why the last fetch failed. Nil unless the state is `failed`.
    var error: String?
  }

  /// Downloads a model's files into the cache, the first folder. Writes temporary files only into the second folder.
  /// Calls the closure with a line for each step.
  typealias Download =
    @Sendable (_ model: FetchableModel, _ cache: URL, _ scratch: URL, _ progress: (String) -> Void)
    throws -> Void

  private struct Running {
    let model: FetchableModel
    let scratch: URL
    var step = "Starting"
  }

  private struct Registry {
    var running: Running?
    var errors: [FetchableModel: String] = [:]
  }

  private let folder: PrivateFolder
  private let cache: URL
  private let events: EventHub
  private let download: Download
  private let fetched: @Sendable () -> Void
  private let registry = Locked(Registry())

  /// Creates a service that fetches nothing yet.
  ///
  /// - Parameters:
  ///   - cache: The folder for the models' files.
  ///   - fetched: Called after each successful fetch.
  init(
    _ folder: PrivateFolder, _ events: EventHub, cache: URL = ModelCache.folder,
    download: @escaping Download = { _ = try $0.fetch(into: $1, scratch: $2, progress: $3) },
    fetched: @escaping @Sendable () -> Void
  ) {
    self.folder = folder
    self.cache = cache
    self.events = events
    self.download = download
    self.fetched = fetched
  }

  /// All models that can be fetched.
  var reports: [Report] { FetchableModel.allCases.map(report) }

  /// Returns a model by its name.
  func report(_ name: String) throws -> Report { report(try model(name)) }

  /// Begins to fetch a model. Does nothing if the model is in the cache, or is already being fetched. Throws if another
  /// model is being fetched.
  func begin(_ name: String) throws -> Report {
    let model = try model(name)
    guard !model.isFetched(in: cache) else { return report(model) }
    let scratch = folder.location(makeIdentifier("fetch"))
    let isNew: Bool = try registry.withLock { registry in
      if let running = registry.running {
        if running.model == model { return false }
        throw HTTPError(
          409, "fetch_runs",
          "'\(running.model.rawValue)' is being downloaded. Try again when it has ended.")
      }
      registry.errors[model] = nil
      registry.running = Running(model: model, scratch: scratch)
      return true
    }
    if isNew {
      Thread { [self] in run(model, scratch) }.start()
      // Reports how many bytes have arrived.
      Thread { [self] in
        while registry.withLock({ $0.running?.scratch == scratch }) {
          tell(model)
          usleep(500_000)
        }
      }.start()
    }
    return report(model)
  }

  private func model(_ name: String) throws -> FetchableModel {
    guard let model = FetchableModel(rawValue: name) else {
      let known = FetchableModel.allCases.map(\.rawValue)
      throw HTTPError(
        404, "no_model",
        "'\(name.prefix(60))' cannot be downloaded, expected \(known.dropLast().joined(separator: ", "))"
          + " or \(known[known.count - 1]).")
    }
    return model
  }

  private func run(_ model: FetchableModel, _ scratch: URL) {
    var failure: String?
    do {
      try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
      try download(model, cache, scratch) { step in
        registry.withLock { $0.running?.step = step }
        tell(model)
      }
    } catch {
      failure = httpError(of: error).message
    }
    try? FileManager.default.removeItem(at: scratch)
    if failure == nil { fetched() }
    registry.withLock { registry in
      registry.running = nil
      registry.errors[model] = failure
    }
    tell(model)
  }

  private func report(_ model: FetchableModel) -> Report {
    let (running, error) = registry.withLock { ($0.running, $0.errors[model]) }
    var report = Report(
      name: model.rawValue,
      summary: model.summary.replacingOccurrences(of: "\n", with: " "),
      state: model.isFetched(in: cache) ? .fetched : .missing)
    if let running, running.model == model {
      report.state = .fetching
      report.step = running.step
      report.bytes = Self.byteCount(running.scratch)
    } else if let error, report.state == .missing {
      report.state = .failed
      report.error = error
    }
    return report
  }

  private func tell(_ model: FetchableModel) { events.send("fetch", report(model)) }

  /// Returns the size of the largest file in a folder. This file is the archive, while it is downloaded and afterwards.
  private static func byteCount(_ folder: URL) -> Int {
    let files = FileManager.default.enumerator(
      at: folder, includingPropertiesForKeys: [.fileSizeKey])
    var most = 0
    while let file = files?.nextObject() as? URL {
      most = max(most, (try? file.resourceValues(forKeys: [.fileSizeKey]).fileSize) ?? 0)
    }
    return most
  }
}

/// `/v1/fetches`.
extension Studio {
  func addFetching(to router: inout Router) {
    router.add("GET", "/v1/fetches") { [self] _, _ in try .json(["fetches": fetches.reports]) }
    router.add("GET", "/v1/fetches/{name}") { [self] _, parts in
      try .json(try fetches.report(parts["name"] ?? ""))
    }
    router.add("POST", "/v1/fetches/{name}", limit: 4096) { [self] _, parts in
      let report = try fetches.begin(parts["name"] ?? "")
      return try .json(report, status: report.state == .fetched ? 200 : 202)
    }
  }
}
