import Foundation

/// Shows the progress of a training. In a terminal, shows a bar with the loss and the time left. Elsewhere, prints
/// lines.
struct EpochDisplay {
  private let start = Date()
  private let isTerminal: Bool = isatty(STDERR_FILENO) == 1 && !Output.isQuiet
  private var lastLine = Date.distantPast

  /// Shows that an epoch is done. Outside of a terminal, prints a line for the first and the last epoch. Between these
  /// two epochs, prints a line at most every 5 s.
  mutating func finish(epoch: Int, of total: Int, loss: Double?) {
    let passed: Double = Date().timeIntervalSince(start)
    let left: Double = passed / Double(max(1, epoch)) * Double(total - epoch)
    let lossText: String = loss.map { ", loss \($0.text(significant: 5))" } ?? ""
    if isTerminal {
      let filled: Int = total == 0 ? 24 : epoch * 24 / total
      let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: 24 - filled)
      Output.error(
        "\r\u{1B}[K[\(bar)] epoch \(epoch)/\(total)\(lossText), \(left.durationText) left")
    } else if epoch == 1 || epoch == total || Date().timeIntervalSince(lastLine) > 5 {
      lastLine = Date()
      Output.note("epoch \(epoch)/\(total)\(lossText)")
    }
  }

  /// Erases the bar from the terminal.
  func end() {
    if isTerminal { Output.error("\r\u{1B}[K") }
  }
}
