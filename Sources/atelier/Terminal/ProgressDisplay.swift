import Foundation
import Platform

/// How far a row of photos is: a bar with the time left in a terminal, lines elsewhere.
///
/// One thread begins photos while another may finish those before.
final class ProgressDisplay: Sendable {
  private struct State {
    var done: Int = 0
    /// What is worked on, in the bar.
    var name: String?
  }

  private let total: Int
  private let start = Date()
  private let isTerminal: Bool
  private let state = Locked(State())

  /// A display for so many photos.
  init(total: Int) {
    self.total = total
    isTerminal = isatty(STDERR_FILENO) == 1
  }

  /// Says what is worked on now.
  func begin(_ name: String) {
    state.withLock { state in
      state.name = name
      draw(state)
    }
  }

  /// Says what became of one.
  func finish(_ line: String) {
    state.withLock { state in
      end(&state)
      Output.line(total > 1 && !isTerminal ? "[\(state.done)/\(total)] \(line)" : line)
      draw(state)
    }
  }

  /// Says why one failed.
  func fail(_ line: String) {
    state.withLock { state in
      end(&state)
      Output.errorLine(line)
      draw(state)
    }
  }

  /// Counts one, and takes the bar away before a line is written.
  private func end(_ state: inout State) {
    state.done += 1
    if isTerminal { Output.error("\r\u{1B}[K") }
  }

  private func draw(_ state: State) {
    guard isTerminal, let name = state.name, state.done < total else { return }
    Output.error(
      "\r\u{1B}[K\(bar(state.done)) \(state.done)/\(total)\(timeLeft(state.done))  \(name)")
  }

  private func bar(_ done: Int) -> String {
    let width = 24
    let filled: Int = total == 0 ? 0 : done * width / total
    return "[" + String(repeating: "█", count: filled)
      + String(repeating: "░", count: width - filled) + "]"
  }

  private func timeLeft(_ done: Int) -> String {
    guard done > 0 else { return "" }
    let each: Double = Date().timeIntervalSince(start) / Double(done)
    return ", \((each * Double(total - done)).durationText) left"
  }
}
