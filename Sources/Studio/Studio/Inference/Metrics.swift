import Foundation
import Service

/// Counters in Prometheus' text format.
struct Metrics {
  var lines: [String] = []

  /// Adds a counter or gauge.
  mutating func add(_ name: String, _ kind: String, _ value: Int, _ label: String = "") {
    if !lines.contains("# TYPE atelier_\(name) \(kind)") {
      lines.append("# TYPE atelier_\(name) \(kind)")
    }
    lines.append("atelier_\(name)\(label) \(value)")
  }

  /// The HTTP response.
  var response: HTTPResponse {
    HTTPResponse(
      type: "text/plain; version=0.0.4", Data((lines.joined(separator: "\n") + "\n").utf8))
  }
}

extension ServerCounts {
  /// The counters of an HTTP server.
  var metrics: Metrics {
    let (counts, connections) = now
    var metrics = Metrics()
    for (kind, count) in counts.answers.sorted(by: { $0.key < $1.key }) {
      metrics.add("answers_total", "counter", count, "{class=\"\(kind)xx\"}")
    }
    metrics.add("refused_total", "counter", counts.refused)
    metrics.add("connections", "gauge", connections)
    metrics.add("websockets", "gauge", counts.sockets)
    metrics.add("body_bytes", "gauge", counts.bodyBytes)
    return metrics
  }
}
