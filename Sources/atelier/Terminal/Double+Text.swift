import Glibc

/// Formats numbers for people, with a point as the decimal separator in every language. Foundation's
/// `String(format:locale:)` would load the tables of all languages, which takes 3 MB and several milliseconds for one
/// line.
extension Double {
  /// Formats the number with a fixed number of digits after the decimal point.
  func text(decimals: Int) -> String {
    // Handles the usual case without the cost of a variadic call.
    if decimals == 0, magnitude < 0x1p53 { return String(Int(rounded(.toNearestOrEven))) }
    return printed("%.\(decimals)f")
  }

  /// Formats the number with a given count of significant digits. For example, 5 digits give `0.012346` or `31.204`.
  func text(significant: Int) -> String { printed("%.\(significant)g") }

  /// A time in seconds for people: `340 ms`, `12.3 s`, `4 min 05 s`.
  var durationText: String {
    if self < 1 { return "\((self * 1000).text(decimals: 0)) ms" }
    if self < 60 { return "\(text(decimals: 1)) s" }
    let seconds = Int(self.rounded())
    return "\(seconds / 60) min \(seconds % 60 < 10 ? "0" : "")\(seconds % 60) s"
  }

  private func printed(_ format: String) -> String {
    let before = uselocale(Self.plainLocale)
    defer { uselocale(before) }
    return withVaList([self]) { list in
      // The longest `Double` has 309 digits before the decimal point.
      withUnsafeTemporaryAllocation(of: CChar.self, capacity: 400) { text in
        vsnprintf(text.baseAddress, text.count, format, list)
        return text.baseAddress.map { String(cString: $0) } ?? ""
      }
    }
  }

  /// The number format of the C locale, independent of the program's language.
  private nonisolated(unsafe) static let plainLocale = newlocale(1 << LC_NUMERIC, "C", nil)
}
