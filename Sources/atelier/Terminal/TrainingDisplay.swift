import Foundation
import StyleTransfer

/// Shows the progress of a training. In a terminal, shows a bar with the losses and the time left. Elsewhere, prints
/// lines.
struct TrainingDisplay {
  private let isTerminal: Bool = isatty(STDERR_FILENO) == 1 && !Output.isQuiet
  private var lastLine: Date = .distantPast

  /// The seconds between lines outside of a terminal.
  private static let interval: TimeInterval = 15

  /// Shows the losses of a step.
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
        Output.report(snapshot.path)
      }
      return
    }
    guard
      Date().timeIntervalSince(lastLine) >= Self.interval || progress.snapshot != nil
        || done == all
    else { return }
    lastLine = Date()
    if let snapshot = progress.snapshot { words += ", \(snapshot.lastPathComponent)" }
    Output.report(words)
  }

  /// Erases the bar from the terminal.
  func end() {
    if isTerminal { Output.error("\r\u{1B}[K") }
  }
}
