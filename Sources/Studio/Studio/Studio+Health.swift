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
            modelBytes: options.modelBytes),
          canTrain: canTrain, canPaintAny: canPaintAny))
    }
    router.add("GET", "/v1/metrics") { [self] _, _ in
      HTTPResponse(type: "text/plain; version=0.0.4", Data(metrics().utf8))
    }
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

  /// Returns the studio's counters in Prometheus' text format.
  private func metrics() -> String {
    let (counts, connections) = counts.now
    var lines: [String] = []
    func add(_ name: String, _ kind: String, _ value: Int, _ label: String = "") {
      if !lines.contains("# TYPE atelier_\(name) \(kind)") {
        lines.append("# TYPE atelier_\(name) \(kind)")
      }
      lines.append("atelier_\(name)\(label) \(value)")
    }
    for (kind, count) in counts.answers.sorted(by: { $0.key < $1.key }) {
      add("answers_total", "counter", count, "{class=\"\(kind)xx\"}")
    }
    add("refused_total", "counter", counts.refused)
    add("connections", "gauge", connections)
    add("websockets", "gauge", counts.sockets)
    add("body_bytes", "gauge", counts.bodyBytes)
    add("queued", "gauge", slow.waitingCount + quick.waitingCount)
    add("jobs_open", "gauge", jobs.openCount)
    add("models_open", "gauge", opened.count)
    add("workers", "gauge", workers.identifiers.count)
    add("worker_crashes_total", "counter", workers.crashCount)
    add("worker_resident_bytes", "gauge", workers.residentBytes)
    add("resident_bytes", "gauge", Self.residentBytes)
    return lines.joined(separator: "\n") + "\n"
  }

  /// The resident memory of the process, in bytes.
  static var residentBytes: Int {
    let words = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?
      .split(separator: " ")
    return (words.flatMap { $0.count > 1 ? Int($0[1]) : nil } ?? 0) * Int(getpagesize())
  }
}
