import Foundation
import Platform

/// Shows the progress through a list of photos. In a terminal, shows a bar with the time left. Elsewhere, prints lines.
///
/// One thread may begin a photo while another thread finishes the previous photo.
final class ProgressDisplay: Sendable {
  private struct State {
    var done: Int = 0
    /// The photo that the bar shows.
    var name: String?
    /// The share of this photo that is painted, 0 to 1.
    var share: Double = 0
    var lastDrawn = Date.distantPast
  }

  private let total: Int
  private let start = Date()
  /// Whether the bar is shown.
  let isTerminal: Bool
  private let state = Locked(State())

  /// Creates a display for `total` photos.
  init(total: Int) {
    self.total = total
    isTerminal = isatty(STDERR_FILENO) == 1 && !Output.isQuiet
  }

  /// Shows the name of the photo that is processed now.
  func begin(_ name: String) {
    state.withLock { state in
      state.name = name
      state.share = 0
      draw(state)
    }
  }

  /// Shows how much of the current photo is painted.
  func show(share: Double) {
    state.withLock { state in
      state.share = min(1, max(0, share))
      guard Date().timeIntervalSince(state.lastDrawn) >= 0.2 else { return }
      state.lastDrawn = Date()
      draw(state)
    }
  }

  /// Prints the result of one photo. Nil prints nothing.
  func finish(_ line: String?) {
    state.withLock { state in
      end(&state)
      guard let line else { return draw(state) }
      Output.report(total > 1 && !isTerminal ? "[\(state.done)/\(total)] \(line)" : line)
      draw(state)
    }
  }

  /// Prints why one photo failed.
  func fail(_ line: String) {
    state.withLock { state in
      end(&state)
      Output.errorLine(line)
      draw(state)
    }
  }

  /// Counts a photo as done, and erases the bar so that the caller can write a line in its place.
  private func end(_ state: inout State) {
    state.done += 1
    state.share = 0
    if isTerminal { Output.error("\r\u{1B}[K") }
  }

  private func draw(_ state: State) {
    guard isTerminal, let name = state.name, state.done < total else { return }
    Output.error(
      "\r\u{1B}[K\(bar(done(state))) \(state.done)/\(total)\(timeLeft(done(state)))  \(name)")
  }

  /// The number of photos that are done, with the part of the current one.
  private func done(_ state: State) -> Double { Double(state.done) + state.share }

  private func bar(_ done: Double) -> String {
    let width = 24
    let filled: Int = total == 0 ? 0 : min(width, Int(done * Double(width) / Double(total)))
    return "[" + String(repeating: "█", count: filled)
      + String(repeating: "░", count: width - filled) + "]"
  }

  private func timeLeft(_ done: Double) -> String {
    guard done > 0.02 else { return "" }
    let each: Double = Date().timeIntervalSince(start) / done
    return ", \((each * (Double(total) - done)).durationText) left"
  }
}
