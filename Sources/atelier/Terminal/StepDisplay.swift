import Foundation

/// Shows the progress of long work. In a terminal, shows a bar with the time left. Elsewhere, prints a line every 15 s.
struct StepDisplay {
  private let start = Date()
  private let isTerminal: Bool = isatty(STDERR_FILENO) == 1 && !Output.isQuiet
  private var lastShown = Date.distantPast

  /// Shows the progress.
  ///
  /// - Parameters:
  ///   - share: The share of the work that is done, 0 to 1.
  ///   - text: Text to show after the time left.
  mutating func show(share: Double, _ text: String) {
    let now = Date()
    guard now.timeIntervalSince(lastShown) >= (isTerminal ? 0.2 : 15) || share >= 1 else { return }
    lastShown = now
    let percent: String = "\(Int(min(1, share) * 100)) %"
    if isTerminal {
      Output.error("\r\u{1B}[K\(bar(share)) \(percent)\(timeLeft(share))  \(text)")
    } else {
      Output.note("\(percent)\(timeLeft(share)): \(text)")
    }
  }

  /// Erases the bar from the terminal.
  func end() {
    if isTerminal { Output.error("\r\u{1B}[K") }
  }

  /// The time since the work began, in seconds.
  var elapsed: Double { Date().timeIntervalSince(start) }

  private func bar(_ share: Double) -> String {
    let width = 24
    let filled: Int = min(width, Int(share * Double(width)))
    return "[" + String(repeating: "█", count: filled)
      + String(repeating: "░", count: width - filled) + "]"
  }

  private func timeLeft(_ share: Double) -> String {
    guard share > 0.005 else { return "" }
    return ", \((elapsed / share * (1 - share)).durationText) left"
  }
}
