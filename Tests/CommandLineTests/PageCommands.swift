import Foundation

/// A command line of `atelier` in a documentation page.
struct PageCommand: Sendable, CustomStringConvertible {
  /// The page's path relative to the project's folder.
  let page: String
  let line: Int
  /// The words after `atelier`.
  let words: [String]
  /// Whether the command is in a code block, where a reader copies it. A command within a sentence may be abbreviated.
  let isComplete: Bool

  /// Returns the command with one word replaced by another.
  func replacing(_ word: String, with other: String) -> PageCommand {
    PageCommand(
      page: page, line: line, words: words.map { $0 == word ? other : $0 }, isComplete: isComplete)
  }

  var description: String { "\(page):\(line): atelier \(words.joined(separator: " "))" }

  /// Finds the command lines in a Markdown page: in fenced or indented blocks, and in inline code.
  static func all(in text: String, page: String) -> [PageCommand] {
    var found: [PageCommand] = []
    var isFenced = false
    var pending: (text: String, line: Int)?
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      let bare: String = line.trimmingCharacters(in: .whitespaces)
      if bare.hasPrefix("```") {
        isFenced.toggle()
        continue
      }
      if let begun = pending {
        pending = (begun.text + " " + bare, begun.line)
      } else if isFenced || line.hasPrefix("    ") {
        if command(bare) != nil { pending = (bare, index + 1) }
      } else {
        found += spans(of: bare).compactMap { span in
          command(span).map {
            PageCommand(page: page, line: index + 1, words: words(of: $0), isComplete: false)
          }
        }
      }
      guard let begun = pending else { continue }
      if begun.text.hasSuffix("\\") {
        pending?.text.removeLast()
      } else {
        pending = nil
        found.append(
          PageCommand(
            page: page, line: begun.line, words: words(of: command(begun.text) ?? ""),
            isComplete: true
          ))
      }
    }
    return found.filter { !$0.words.isEmpty }
  }

  /// Returns the part of a line after the program's name. Nil if the line runs another program.
  private static func command(_ text: String) -> String? {
    for name in ["atelier ", ".build/release/atelier "] where text.hasPrefix(name) {
      return String(text.dropFirst(name.count))
    }
    return nil
  }

  private static func spans(of line: String) -> [String] {
    line.split(separator: "`", omittingEmptySubsequences: false).enumerated()
      .filter { $0.offset % 2 == 1 }.map { String($0.element) }
  }

  /// Splits a text into words like a shell, and ends at a comment. Leaves out the word “…”, with which pages abbreviate
  /// a command.
  static func words(of text: String) -> [String] {
    var words: [String] = []
    var word: String?
    var quote: Character?
    for character in text {
      if let open = quote {
        if character == open { quote = nil } else { word?.append(character) }
      } else if character == "'" || character == "\"" {
        quote = character
        word = word ?? ""
      } else if character == "#", word == nil {
        break
      } else if character.isWhitespace {
        if let done = word { words.append(done) }
        word = nil
      } else {
        word = (word ?? "") + String(character)
      }
    }
    if let done = word { words.append(done) }
    return words.filter { $0 != "…" }
  }
}
