import Foundation
import Platform

/// Counts inferences and their times for each model.
final class InferenceCounts: Sendable {
  /// The upper bounds of the histogram's buckets, in seconds.
  private static let bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]

  /// How an inference ended.
  enum Outcome: String, CaseIterable {
    case answered, refused, failed
  }

  private struct Count {
    var outcomes: [Outcome: Int] = [:]
    /// How many answered inferences took at most each bound, and the number of all.
    var buckets = [Int](repeating: 0, count: bounds.count)
    var answered = 0
    var seconds = 0.0
  }

  private let counts = Locked<[String: Count]>([:])

  /// Counts an inference that took a time, including its time in the queue.
  func add(_ model: String, _ outcome: Outcome, after time: Duration) {
    let seconds = time / .seconds(1)
    counts.withLock { counts in
      counts[model, default: Count()].outcomes[outcome, default: 0] += 1
      guard outcome == .answered else { return }
      counts[model]?.answered += 1
      counts[model]?.seconds += seconds
      for (index, bound) in Self.bounds.enumerated() where seconds <= bound {
        counts[model]?.buckets[index] += 1
      }
    }
  }

  /// The counters as lines of Prometheus' text format.
  var lines: [String] {
    let counts = counts.withLock { $0 }.sorted { $0.key < $1.key }
      .map { (model: Self.quoted($0.key), count: $0.value) }
    guard !counts.isEmpty else { return [] }
    var lines = ["# TYPE atelier_inferences_total counter"]
    for (model, count) in counts {
      for outcome in Outcome.allCases {
        lines.append(
          "atelier_inferences_total{model=\(model),outcome=\"\(outcome.rawValue)\"}"
            + " \(count.outcomes[outcome] ?? 0)")
      }
    }
    lines.append("# TYPE atelier_inference_seconds histogram")
    for (model, count) in counts {
      for (bound, number) in zip(Self.bounds, count.buckets) {
        lines.append("atelier_inference_seconds_bucket{model=\(model),le=\"\(bound)\"} \(number)")
      }
      lines += [
        "atelier_inference_seconds_bucket{model=\(model),le=\"+Inf\"} \(count.answered)",
        "atelier_inference_seconds_sum{model=\(model)} \(count.seconds)",
        "atelier_inference_seconds_count{model=\(model)} \(count.answered)",
      ]
    }
    return lines
  }

  private static func quoted(_ text: String) -> String {
    "\""
      + text.replacingOccurrences(of: "\\", with: "\\\\")
      .replacingOccurrences(of: "\"", with: "\\\"").replacingOccurrences(of: "\n", with: "\\n")
      + "\""
  }
}
