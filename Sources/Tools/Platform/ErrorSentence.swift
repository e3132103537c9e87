import Foundation

/// Makes error sentences safe to print, although they quote names and texts from files and callers.
///
/// Names in a model's file may have any length and any characters. A terminal must not interpret the characters as
/// commands, and long names must not fill a log. So every error type of the project passes its sentence through
/// ``tidied(_:)``.
public enum ErrorSentence {
  /// The most characters of a word, such as a name or a path.
  private static let longestWord = 300
  /// The most characters of a sentence.
  private static let longest = 2000

  /// Escapes control characters in a sentence, and removes the middle of long names.
  public static func tidied(_ sentence: String) -> String {
    let isPlain: Bool =
      sentence.utf8.count <= longestWord && sentence.utf8.allSatisfy { $0 >= 32 && $0 < 127 }
    guard !isPlain else { return sentence }
    var result = ""
    var word = ""
    func close() {
      result += shortened(word, to: longestWord)
      word = ""
    }
    for scalar in sentence.unicodeScalars {
      if isControl(scalar) {
        word += "\\u{\(String(scalar.value, radix: 16))}"
      } else if scalar == " " {
        close()
        result.unicodeScalars.append(scalar)
      } else {
        word.unicodeScalars.append(scalar)
      }
    }
    close()
    return shortened(result, to: longest)
  }

  /// Returns the reason that another library's error states, as the end of “it failed (…)”. If a system call failed,
  /// the reason is the system's message. Otherwise, it is the error's description.
  public static func reason(of error: any Error) -> String {
    let known = error as NSError
    let cause: NSError? = (known.userInfo[NSUnderlyingErrorKey] as? any Error).map { $0 as NSError }
    for error in [known, cause].compactMap({ $0 }) where error.domain == NSPOSIXErrorDomain {
      return strerror(Int32(error.code)).map { String(cString: $0) } ?? "error \(error.code)"
    }
    guard known.domain == NSCocoaErrorDomain else { return tidied("\(error)") }
    return tidied(cocoaReasons[known.code] ?? "Foundation's error \(known.code)")
  }

  /// The reasons for Foundation's error numbers, for errors that contain no system error.
  private static let cocoaReasons: [Int: String] = [
    4: "No such file or directory", 257: "Permission denied", 260: "No such file or directory",
    512: "It cannot be written", 513: "Permission denied", 516: "File exists",
    640: "No space left on device", 642: "Read-only file system",
  ]

  private static func shortened(_ text: String, to most: Int) -> String {
    let count: Int = text.count
    guard count > most else { return text }
    return "\(text.prefix(most * 2 / 3))…(\(count) characters)…\(text.suffix(most / 6))"
  }

  /// Returns whether terminals and viewers interpret a character: control characters, and marks that change the
  /// direction of text.
  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: return true
    case .format:
      return (0x200E...0x200F).contains(scalar.value)
        || (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
    default: return false
    }
  }
}
