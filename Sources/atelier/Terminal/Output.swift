import Foundation

/// What the program says: results on standard output, everything else on standard error.
enum Output {
  /// Writes text as it is.
  static func write(_ text: String) {
    try? FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
  }

  /// Writes a line.
  static func line(_ text: String) { write(text + "\n") }

  /// Writes text to standard error.
  static func error(_ text: String) {
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
  }

  /// Writes a line to standard error.
  static func errorLine(_ text: String) { error(text + "\n") }

  /// Writes a value as JSON with sorted keys; numbers that JSON does not have become texts.
  static func json(_ value: some Encodable, onOneLine: Bool = false) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    if !onOneLine { encoder.outputFormatting.insert(.prettyPrinted) }
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
    line(String(decoding: try encoder.encode(value), as: UTF8.self))
  }
}

extension Int {
  /// A number of bytes for people: `4.9 MB`.
  var byteText: String {
    let units: [(Double, String)] = [(1e9, "GB"), (1e6, "MB"), (1e3, "kB")]
    for (size, unit) in units where Double(self) >= size {
      return "\((Double(self) / size).text(decimals: 1)) \(unit)"
    }
    return "\(self) bytes"
  }

  /// A number with spaces between its thousands: `552 003`.
  var groupedText: String {
    var text: String = ""
    for (index, digit) in String(magnitude).reversed().enumerated() {
      if index > 0, index % 3 == 0 { text.append(" ") }
      text.append(digit)
    }
    return (self < 0 ? "-" : "") + String(text.reversed())
  }
}

extension Double {
  /// The number with a fixed number of decimals, with a point in every language.
  func text(decimals: Int) -> String {
    String(format: "%.\(decimals)f", locale: Locale(identifier: "en_US_POSIX"), self)
  }

  /// A time in seconds for people: `340 ms`, `12.3 s`, `4 min 05 s`.
  var durationText: String {
    if self < 1 { return "\((self * 1000).text(decimals: 0)) ms" }
    if self < 60 { return "\(text(decimals: 1)) s" }
    let seconds = Int(self.rounded())
    return "\(seconds / 60) min \(seconds % 60 < 10 ? "0" : "")\(seconds % 60) s"
  }
}
