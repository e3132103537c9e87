/// Converts names of models and features to Swift identifiers and literals.
enum SwiftName {
  /// The keywords that cannot be names of variables.
  private static let keywords: Set<String> = [
    "associatedtype", "class", "deinit", "enum", "extension", "fileprivate", "func", "import",
    "init", "inout", "internal", "let", "open", "operator", "private", "protocol", "public",
    "rethrows", "static", "struct", "subscript", "typealias", "var", "break", "case", "continue",
    "default", "defer", "do", "else", "fallthrough", "for", "guard", "if", "in", "repeat", "return",
    "switch", "where", "while", "as", "Any", "catch", "false", "is", "nil", "super", "self", "Self",
    "throw", "throws", "true", "try", "model", "provider", "featureNames", "options", "state",
  ]

  /// Replaces all characters but letters, digits and underscores. Inserts an underscore before a digit at the
  /// beginning.
  private static func plain(_ name: String) -> String {
    var made = ""
    for letter in name.unicodeScalars {
      let isPlain: Bool =
        letter == "_" || letter.properties.isAlphabetic || ("0"..."9").contains(letter)
      made.unicodeScalars.append(isPlain ? letter : "_")
    }
    if let first = made.unicodeScalars.first, ("0"..."9").contains(first) { made = "_" + made }
    return made.isEmpty ? "_" : made
  }

  /// Returns the name of the class for a model's name.
  static func type(_ name: String) -> String {
    let made: String = plain(name)
    return keywords.contains(made) || made == "_" ? made + "_Model" : made
  }

  /// Returns the name of the variable for a feature's name.
  static func variable(_ name: String) -> String {
    let made: String = plain(name)
    return keywords.contains(made) || made == "_" ? made + "_" : made
  }

  /// Returns the name with its first letter in upper case.
  static func capitalized(_ name: String) -> String {
    name.prefix(1).uppercased() + name.dropFirst()
  }

  /// Joins the lines of a text, so that the text stays within a comment of one line.
  static func oneLine(_ text: String) -> String {
    text.unicodeScalars.split { scalar in
      scalar.properties.generalCategory == .control || (0x2028...0x2029).contains(scalar.value)
    }.map(String.init).joined(separator: " ")
  }

  /// Returns a text as a Swift string literal.
  static func literal(_ text: String) -> String {
    var made = "\""
    for letter in text.unicodeScalars {
      switch letter {
      case "\"": made += "\\\""
      case "\\": made += "\\\\"
      case _ where letter.value < 32 || letter.value == 127:
        made += "\\u{\(String(letter.value, radix: 16))}"
      default: made.unicodeScalars.append(letter)
      }
    }
    return made + "\""
  }
}
