/// Names of models and features as Swift writes them.
enum SwiftName {
  /// Words that stand for something else in Swift where a variable may be.
  private static let keywords: Set<String> = [
    "associatedtype", "class", "deinit", "enum", "extension", "fileprivate", "func", "import",
    "init", "inout", "internal", "let", "open", "operator", "private", "protocol", "public",
    "rethrows", "static", "struct", "subscript", "typealias", "var", "break", "case", "continue",
    "default", "defer", "do", "else", "fallthrough", "for", "guard", "if", "in", "repeat", "return",
    "switch", "where", "while", "as", "Any", "catch", "false", "is", "nil", "super", "self", "Self",
    "throw", "throws", "true", "try", "model", "provider", "featureNames", "options", "state",
  ]

  /// Letters, digits and underscores alone; an underscore in front of a digit.
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

  /// The name of a class.
  static func type(_ name: String) -> String {
    let made: String = plain(name)
    return keywords.contains(made) || made == "_" ? made + "_Model" : made
  }

  /// The name of a variable.
  static func variable(_ name: String) -> String {
    let made: String = plain(name)
    return keywords.contains(made) || made == "_" ? made + "_" : made
  }

  /// The name with its first letter large.
  static func capitalized(_ name: String) -> String {
    name.prefix(1).uppercased() + name.dropFirst()
  }

  /// A text on one line, which stays in its comment.
  static func oneLine(_ text: String) -> String {
    text.unicodeScalars.split { scalar in
      scalar.properties.generalCategory == .control || (0x2028...0x2029).contains(scalar.value)
    }.map(String.init).joined(separator: " ")
  }

  /// A text as a literal.
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
