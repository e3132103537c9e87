import Foundation

/// How far a row of photos is: a bar with the time left in a terminal, lines elsewhere.
struct ProgressDisplay {
  private let total: Int
  private let start = Date()
  private let isTerminal: Bool
  private var done: Int = 0

  /// A display for so many photos; nothing is said when quiet.
  init(total: Int) {
    self.total = total
    isTerminal = isatty(STDERR_FILENO) == 1
  }

  /// Says what is worked on now.
  func begin(_ name: String) {
    guard isTerminal else { return }
    Output.error("\r\u{1B}[K\(bar) \(done)/\(total)\(timeLeft)  \(name)")
  }

  /// Says what became of it.
  mutating func finish(_ line: String) {
    done += 1
    if isTerminal { Output.error("\r\u{1B}[K") }
    Output.line(total > 1 && !isTerminal ? "[\(done)/\(total)] \(line)" : line)
  }

  /// Takes the bar away before an error is printed.
  mutating func fail(_ line: String) {
    done += 1
    if isTerminal { Output.error("\r\u{1B}[K") }
    Output.errorLine(line)
  }

  private var bar: String {
    let width = 24
    let filled: Int = total == 0 ? 0 : done * width / total
    return "[" + String(repeating: "█", count: filled)
      + String(repeating: "░", count: width - filled) + "]"
  }

  private var timeLeft: String {
    guard done > 0 else { return "" }
    let each: Double = Date().timeIntervalSince(start) / Double(done)
    return ", \((each * Double(total - done)).durationText) left"
  }
}
