import Foundation
import Platform
import Service

/// Provides the HTTP server's counters to the studio. The studio is created before the server, so the studio server
/// calls ``set(_:)`` when the HTTP server has started. Until then, all counters are 0.
final class ServerCounts: Sendable {
  typealias Source = @Sendable () -> (counts: HTTPServer.Counts, connections: Int)
  private let source = Locked<Source?>(nil)

  /// Sets the function that reads the counters.
  func set(_ source: @escaping Source) { self.source.withLock { $0 = source } }

  /// The current counters.
  var now: (counts: HTTPServer.Counts, connections: Int) {
    source.withLock { $0 }?() ?? (HTTPServer.Counts(), 0)
  }
}

/// `/v1/health`, `/v1/metrics`, `/v1/openapi.json`, `/v1/events`.
extension Studio {
  private struct Health: Encodable {
    let status: String
    let version: String
    let seconds: Double
    let queued: Int
    let jobs: Int
    let models: Int
    let limits: Limits
    let canTrain: Bool
    let canPaintAny: Bool
  }

  private struct Limits: Encodable {
    let pictureBytes: Int
    let pixels: Int
    let modelBytes: Int
    let filmBytes: Int
  }

  func addHealth(to router: inout Router) {
    router.add("GET", "/v1/health") { [self] _, _ in
      try .json(
        Health(
          status: "ok", version: "1", seconds: Date().timeIntervalSince(started),
          queued: slow.waitingCount + quick.waitingCount, jobs: jobs.openCount,
          models: models.all.count,
          limits: Limits(
            pictureBytes: options.pictureBytes, pixels: options.pixels,
            modelBytes: options.modelBytes, filmBytes: options.filmBytes),
          canTrain: canTrain, canPaintAny: canPaintAny))
    }
    router.add("GET", "/v1/metrics") { [self] _, _ in metrics.response }
    router.add("GET", "/v1/openapi.json") { [self] _, _ in
      guard let bytes = pages.bytes("openapi.json") else { throw HTTPError.missing("document") }
      return HTTPResponse(type: "application/json", Data(bytes))
    }
    router.add("GET", "/v1/events") { [self] request, _ in
      let client = Self.client(request.head)
      var response = HTTPResponse(426)
      response.socket = { [self] in events.serve($0, client: client) }
      return response
    }
  }

  /// The studio's counters.
  private var metrics: Metrics {
    var metrics = counts.metrics
    metrics.add("queued", "gauge", slow.waitingCount + quick.waitingCount)
    metrics.add("jobs_open", "gauge", jobs.openCount)
    metrics.add("models_open", "gauge", opened.count)
    metrics.add("workers", "gauge", workers.identifiers.count)
    metrics.add("worker_crashes_total", "counter", workers.crashCount)
    metrics.add("worker_resident_bytes", "gauge", workers.residentBytes)
    metrics.add("resident_bytes", "gauge", Self.residentBytes)
    metrics.lines += inferences.lines
    return metrics
  }

  /// The resident memory of the process, in bytes.
  static var residentBytes: Int {
    let words = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?
      .split(separator: " ")
    return (words.flatMap { $0.count > 1 ? Int($0[1]) : nil } ?? 0) * Int(getpagesize())
  }
}
