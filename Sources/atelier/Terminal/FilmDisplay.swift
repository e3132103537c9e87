import Film
import Platform

/// Shows the progress of a film: frames per second, and the time left.
final class FilmDisplay: Sendable {
  private let name: String
  private let display = Locked(StepDisplay())

  init(_ name: String) { self.name = name }

  /// Shows the progress.
  func show(_ progress: FilmProgress) {
    let speed: String = "\(progress.framesPerSecond.text(decimals: 1)) frames/s"
    let left: Int = progress.total.map { max(0, $0 - progress.done + progress.painted) } ?? 0
    let share: Double = left > 0 ? min(0.999, Double(progress.painted) / Double(left)) : 0
    let total: String = progress.total.map { " of \($0)" } ?? ""
    display.withLock { $0.show(share: share, "\(name): frame \(progress.done)\(total), \(speed)") }
  }

  /// Erases the bar.
  func end() { display.withLock { $0.end() } }

  /// Returns the total time, and the shares of the parts as text. The sum may exceed 100 %, because parts run
  /// concurrently.
  static func timesText(_ result: FilmResult) -> String {
    let times: FilmTimes = result.times
    let parts: [(String, Double)] = [
      ("decoding", times.decode), ("motion", times.motion), ("network", times.network),
      ("colours and blending", times.finish), ("encoding", times.encode),
    ]
    let whole: Double = max(1e-6, times.total)
    return "Busy or waiting, of \(times.total.text(decimals: 1)) s: "
      + parts.map { "\($0.0) \(($0.1 / whole * 100).text(decimals: 0)) %" }.joined(separator: ", ")
  }
}
