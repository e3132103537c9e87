import Foundation

/// A command line of `atelier` in a page.
struct PageCommand: Sendable, CustomStringConvertible {
  /// The page, from the project's folder on.
  let page: String
  let line: Int
  /// The words behind `atelier`.
  let words: [String]
  /// Whether it stands in a block of its own and so is what a reader types; one within a sentence may leave words out.
  let isWhole: Bool

  /// With another word in the place of one.
  func replacing(_ word: String, with other: String) -> PageCommand {
    PageCommand(
      page: page, line: line, words: words.map { $0 == word ? other : $0 }, isWhole: isWhole)
  }

  var description: String { "\(page):\(line): atelier \(words.joined(separator: " "))" }

  /// The command lines of a page in Markdown: in blocks, fenced or indented, and in code within sentences.
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
            PageCommand(page: page, line: index + 1, words: words(of: $0), isWhole: false)
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
            page: page, line: begun.line, words: words(of: command(begun.text) ?? ""), isWhole: true
          ))
      }
    }
    return found.filter { !$0.words.isEmpty }
  }

  /// What stands behind the program's name.
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

  /// The words as a shell would part them, up to a comment.
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
