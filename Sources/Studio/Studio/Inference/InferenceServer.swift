import CoreML
import Foundation
import Platform
import Service

/// A server of the Open Inference Protocol (KServe V2) for given models, without pages.
public final class InferenceServer: Sendable {
  /// The options of a server.
  public struct Options: Sendable {
    /// The models: a name, and a Core ML file.
    public var models: [(name: String, file: URL)] = []
    /// The IP address to listen on.
    public var address = "127.0.0.1"
    /// The port. 0 lets the system choose one.
    public var port: UInt16 = 8080
    /// The token that clients must send. Nil for none.
    public var token: String?
    /// Other host names under which clients reach the server: whole names, `*.` with the end of a name, or `*` for all.
    public var hosts: [String] = []
    /// The maximum number of bytes of a request's body.
    public var bodyBytes = 64 << 20
    /// The maximum number of bytes in memory for bodies and responses together.
    public var waitingBytes = 512 << 20
    /// The maximum number of requests that wait for a model.
    public var waiting = 512
    /// The maximum number of pixels of a picture.
    public var pixels = 64_000_000
    /// The time limit of a prediction, in seconds.
    public var predictionSeconds: Double = 300
    /// The compute units of the models.
    public var units = MLComputeUnits.all
    /// The number of threads of each prediction. Nil for the number of cores.
    public var threads: Int?
    /// The maximum number of predictions that are computed as one batch, for models that take batches.
    public var batch = 1
    /// How long the server accepts connections after it began to end, in seconds.
    public var settling = 1.0
    /// How long the server waits for open requests when it ends, in seconds.
    public var grace = 25.0

    /// Creates the default options.
    public init() {}
  }

  private struct Models: ModelSource {
    let files: [String: URL]
    let opened: OpenModels
    let worker: LocalModelWorker

    var modelNames: [String] { Array(files.keys) }

    func servedModel(_ name: String) throws -> (worker: any ModelWorker, file: URL) {
      guard let file = files[name] else {
        throw HTTPError(
          404, "no_model",
          "There is no model '\(name.prefix(60))'; there is"
            + " \(files.keys.sorted().prefix(20).joined(separator: ", ")).")
      }
      return (worker, file)
    }

    func closeModel(_ name: String) {
      if let file = files[name] { opened.forget(file) }
    }
  }

  private let options: Options
  private let server: HTTPServer
  private let repository: ModelRepository
  private let counts = ServerCounts()
  private let isEnding = Locked(false)
  let router: Router

  /// Opens all models. The server does not listen before ``start()``.
  public init(_ options: Options) throws {
    self.options = options
    MemoryJanitor.prepare()
    let files = Dictionary(options.models.map { ($0.name, $0.file) }) { $1 }
    let opened = OpenModels(most: max(1, files.count), threads: options.threads)
    let models = Models(
      files: files, opened: opened,
      worker: LocalModelWorker(
        opened, PictureLimit(pixels: options.pixels), seconds: options.predictionSeconds,
        units: options.units, batch: options.batch))
    for (name, file) in options.models {
      do {
        _ = try opened.model(file, units: options.units)
      } catch {
        throw HTTPError(
          422, "model", "The model '\(name)' cannot be opened: \(httpError(of: error).message)")
      }
    }
    repository = ModelRepository(models)
    let cores = ProcessInfo.processInfo.activeProcessorCount
    let queue = FairQueue(
      workers: max(1, cores / min(cores, options.threads ?? 1)) * options.batch,
      capacity: options.waiting, capacityPerClient: options.waiting)
    let inferences = InferenceCounts()
    var router = Router()
    InferenceRoutes(
      repository: repository, counts: inferences, queue: queue, pages: Pages(),
      limit: options.bodyBytes, isReady: { [isEnding] in !isEnding.withLock { $0 } }
    ).add(to: &router)
    router.add("GET", "/metrics") { [counts] _, _ in
      var metrics = counts.metrics
      metrics.add("queued", "gauge", queue.waitingCount)
      metrics.add("models_open", "gauge", opened.count)
      metrics.add("batched_inferences_total", "counter", models.worker.batchedCount)
      metrics.add("resident_bytes", "gauge", Studio.residentBytes)
      metrics.lines += inferences.lines
      return metrics.response
    }
    self.router = router
    var listening = HTTPServer.Options()
    listening.address = options.address
    listening.port = options.port
    listening.token = options.token
    listening.isOpen = options.token == nil
    listening.hosts = options.hosts
    listening.openPaths = InferenceRoutes.healthPaths
    listening.noun = "server"
    listening.connections = options.waiting + 64
    listening.bodyBytes = options.waitingBytes
    server = HTTPServer(listening, limit: { [router] in router.limit($0) }) { [router] request in
      do {
        return try await router.answer(request)
      } catch {
        return httpError(of: error).response(target: "/v2")
      }
    }
  }

  /// Begins to listen on the port.
  public func start() throws {
    try server.start()
    counts.set { [server] in (server.counts, server.connectionCount) }
  }

  /// The port on which the server listens.
  public var port: UInt16 { server.port }

  /// Ends the server: answers all accepted requests, then closes the connections.
  ///
  /// - Returns: Whether all requests were answered within ``Options/grace``.
  @discardableResult
  public func stop() -> Bool {
    isEnding.withLock { $0 = true }
    let isDone = server.drain(settling: options.settling, within: options.grace)
    server.stop()
    return isDone
  }
}
