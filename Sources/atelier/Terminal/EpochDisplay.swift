import Foundation

/// How far a training is: a bar with the loss and the time left in a terminal, lines elsewhere.
struct EpochDisplay {
  private let start = Date()
  private let isTerminal: Bool = isatty(STDERR_FILENO) == 1
  private var lastLine = Date.distantPast

  /// Says that an epoch is done. Lines are said every five seconds, and for the first and last epoch.
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
      Output.errorLine("epoch \(epoch)/\(total)\(lossText)")
    }
  }

  /// Takes the bar away.
  func end() {
    if isTerminal { Output.error("\r\u{1B}[K") }
  }
}
