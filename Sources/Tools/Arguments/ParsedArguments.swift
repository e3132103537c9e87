/// The operands and options of a command line, parsed with the syntax of a command.
public struct ParsedArguments: Sendable {
  /// The operands, in the order of the command line.
  public private(set) var operands: [String] = []
  /// Whether `--help` was given. If so, no other word of the command line was parsed.
  public private(set) var asksForHelp = false
  private var given: [String: [String]] = [:]

  /// Parses the words after the command's name.
  ///
  /// `--name value`, `--name=value`, `-n value` and `-nvalue` are equivalent. Words after `--` are operands, and so is
  /// a single `-`. Throws ``UsageError`` for words that the syntax does not allow.
  public init(_ words: [String], syntax: CommandSyntax) throws {
    if words.prefix(while: { $0 != "--" }).contains(where: { $0 == "--help" || $0 == "-h" }) {
      asksForHelp = true
      return
    }
    var rest: ArraySlice<String> = words[...]
    while let word = rest.popFirst() {
      if word == "--" {
        operands += rest
        break
      }
      guard word.hasPrefix("-"), word != "-" else {
        operands.append(word)
        continue
      }
      try takeOption(word, &rest, syntax)
    }
    for option in syntax.options where option.isRequired && given[option.name] == nil {
      throw UsageError("--\(option.name) \(option.value ?? "") is missing.")
    }
    try checkOperands(syntax)
  }

  private mutating func takeOption(
    _ word: String, _ rest: inout ArraySlice<String>, _ syntax: CommandSyntax
  ) throws {
    var attached: String?
    let option: CommandSyntax.Option?
    if word.hasPrefix("--") {
      let parts = word.dropFirst(2).split(
        separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      attached = parts.count == 2 ? String(parts[1]) : nil
      option = syntax.options.first { $0.name == parts[0] }
      guard option != nil else {
        throw UsageError(
          "there is no option '--\(parts[0])'\(Self.suggestion(String(parts[0]), syntax))")
      }
    } else {
      let letter: Character? = word.dropFirst().first
      option = syntax.options.first { $0.letter == letter && letter != nil }
      attached = word.count > 2 ? String(word.dropFirst(2)) : nil
      guard option != nil else { throw UsageError("there is no option '\(word.prefix(2))'.") }
    }
    guard let option else { return }
    if !option.repeats, given[option.name] != nil {
      throw UsageError("--\(option.name) is given twice.")
    }
    guard let placeholder = option.value else {
      guard attached == nil else { throw UsageError("--\(option.name) takes no value.") }
      given[option.name] = []
      return
    }
    guard let value = attached ?? rest.popFirst(), !value.isEmpty else {
      throw UsageError("--\(option.name) needs a value: \(placeholder).")
    }
    given[option.name, default: []].append(value)
  }

  private func checkOperands(_ syntax: CommandSyntax) throws {
    for (position, operand) in syntax.operands.enumerated() where operands.count <= position {
      throw UsageError("\(operand.name) is missing.")
    }
    let last: CommandSyntax.Operand? = syntax.operands.last
    if last?.count != .atLeastOne, operands.count > syntax.operands.count {
      throw UsageError("'\(operands[syntax.operands.count])' is one operand too many.")
    }
  }

  /// Returns the end of an error sentence: “; did you mean '--model'?” with the most similar option, or “.” if no
  /// option has a similar name.
  private static func suggestion(_ name: String, _ syntax: CommandSyntax) -> String {
    let near = syntax.options.map { ($0.name, editDistance($0.name, name)) }.min { $0.1 < $1.1 }
    guard let near, near.1 <= 2 else { return "." }
    return "; did you mean '--\(near.0)'?"
  }

  // MARK: Changes

  /// Replaces an operand.
  public mutating func replaceOperand(_ position: Int, with text: String) {
    operands[position] = text
  }

  /// Replaces all values of an option.
  public mutating func replaceValues(_ name: String, with values: [String]) {
    given[name] = values
  }

  // MARK: Values

  /// Returns whether a switch or an option is given.
  public func has(_ name: String) -> Bool { given[name] != nil }

  /// Returns the value of an option, or nil if the option is not given.
  public func value(_ name: String) -> String? { given[name]?.first }

  /// Returns all values of an option that may be given more than once.
  public func values(_ name: String) -> [String] { given[name] ?? [] }

  /// Returns the value of an option as an integer, or nil if the option is not given. Throws if the value is not an
  /// integer in the range.
  public func integer(_ name: String, in range: ClosedRange<Int>) throws -> Int? {
    guard let text = value(name) else { return nil }
    guard let number = Int(text), range.contains(number) else {
      let bounds: String =
        range.upperBound == Int.max
        ? "of \(range.lowerBound) or more" : "from \(range.lowerBound) to \(range.upperBound)"
      throw UsageError("--\(name) is '\(text)', expected an integer \(bounds).")
    }
    return number
  }

  /// Returns the value of an option, or nil if the option is not given. Throws if the value is none of the words.
  public func choice(_ name: String, of words: [String]) throws -> String? {
    guard let text = value(name) else { return nil }
    guard let word = words.first(where: { $0.lowercased() == text.lowercased() }) else {
      throw UsageError(
        "--\(name) is '\(text)', expected \(words.dropLast().joined(separator: ", "))"
          + "\(words.count > 1 ? " or " : "")\(words.last ?? "").")
    }
    return word
  }
}

/// Returns the edit distance: how many letters must be replaced, inserted or deleted to change one word into the other.
///
/// **Source:** Wagner and Fischer, “The string-to-string correction problem” (1974).
public func editDistance(_ first: String, _ second: String) -> Int {
  let letters: [Character] = Array(second)
  var row: [Int] = Array(0...letters.count)
  for (index, letter) in first.enumerated() {
    var diagonal: Int = row[0]
    row[0] = index + 1
    for (column, other) in letters.enumerated() {
      let replaced: Int = diagonal + (letter == other ? 0 : 1)
      diagonal = row[column + 1]
      row[column + 1] = min(replaced, min(row[column], diagonal) + 1)
    }
  }
  return row[letters.count]
}
