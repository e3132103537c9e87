import Foundation
import StyleTransfer

/// How far a training is: a bar with losses and the time left in a terminal, a line now and then
/// elsewhere.
struct TrainingDisplay {
  private let isTerminal: Bool = isatty(STDERR_FILENO) == 1
  private var lastLine: Date = .distantPast

  /// The seconds between lines where there is no terminal.
  private static let interval: TimeInterval = 15

  /// Says what a step measured.
  mutating func show(_ progress: StyleTraining.Progress) {
    let row: StyleLosses = progress.losses
    let (done, all) = (row.iteration, progress.iterations)
    var words: String =
      "\(done)/\(all), \(progress.timeLeft.durationText) left, loss \(row.total.text(decimals: 3))"
      + " (content \(row.content.text(decimals: 3)), style \(row.style.text(decimals: 3)))"
    if isTerminal {
      let width: Int = 24
      let filled: Int = done * width / max(all, 1)
      let bar: String =
        String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
      Output.error("\r\u{1B}[K[\(bar)] \(words)")
      if let snapshot = progress.snapshot {
        Output.error("\r\u{1B}[K")
        Output.line(snapshot.path)
      }
      return
    }
    guard
      Date().timeIntervalSince(lastLine) >= Self.interval || progress.snapshot != nil
        || done == all
    else { return }
    lastLine = Date()
    if let snapshot = progress.snapshot { words += ", \(snapshot.lastPathComponent)" }
    Output.line(words)
  }

  /// Takes the bar away.
  func end() {
    if isTerminal { Output.error("\r\u{1B}[K") }
  }
}
