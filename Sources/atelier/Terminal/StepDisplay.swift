import Foundation

/// How far long work is that goes step by step: a bar with the time left in a terminal, now and then a
/// line elsewhere.
struct StepDisplay {
  private let start = Date()
  private let isTerminal: Bool = isatty(STDERR_FILENO) == 1
  private var lastShown = Date.distantPast

  /// Says where the work stands.
  ///
  /// - Parameters:
  ///   - share: the part of the work that is done, 0…1.
  ///   - text: what else is to be said.
  mutating func show(share: Double, _ text: String) {
    let now = Date()
    guard now.timeIntervalSince(lastShown) >= (isTerminal ? 0.2 : 15) || share >= 1 else { return }
    lastShown = now
    let percent: String = "\(Int(min(1, share) * 100)) %"
    if isTerminal {
      Output.error("\r\u{1B}[K\(bar(share)) \(percent)\(timeLeft(share))  \(text)")
    } else {
      Output.errorLine("\(percent)\(timeLeft(share)): \(text)")
    }
  }

  /// Takes the bar away.
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
