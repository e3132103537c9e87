/// The words of a command line, sorted by the command's syntax.
public struct ParsedArguments: Sendable {
  /// What stood without a dash, in order.
  public private(set) var operands: [String] = []
  /// Whether help was asked for; then nothing else was checked.
  public private(set) var asksForHelp = false
  private var given: [String: [String]] = [:]

  /// Sorts the words behind the command's name.
  ///
  /// `--name value`, `--name=value`, `-n value` and `-nvalue` are the same. Words behind `--` are
  /// operands, and so is a lone `-`. Throws ``UsageError`` for what the syntax does not have.
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
      throw UsageError("'\(operands[syntax.operands.count])' is one word too many.")
    }
  }

  /// “; did you mean '--model'?” where an option is spelled almost so.
  private static func suggestion(_ name: String, _ syntax: CommandSyntax) -> String {
    let near = syntax.options.map { ($0.name, editDistance($0.name, name)) }.min { $0.1 < $1.1 }
    guard let near, near.1 <= 2 else { return "." }
    return "; did you mean '--\(near.0)'?"
  }

  // MARK: Values

  /// Whether a switch or an option is given.
  public func has(_ name: String) -> Bool { given[name] != nil }

  /// The value of an option, if it is given.
  public func value(_ name: String) -> String? { given[name]?.first }

  /// All values of an option that may be given more than once.
  public func values(_ name: String) -> [String] { given[name] ?? [] }

  /// A whole number in a range.
  public func integer(_ name: String, in range: ClosedRange<Int>) throws -> Int? {
    guard let text = value(name) else { return nil }
    guard let number = Int(text), range.contains(number) else {
      let bounds: String =
        range.upperBound == Int.max
        ? "from \(range.lowerBound) on" : "from \(range.lowerBound) to \(range.upperBound)"
      throw UsageError("--\(name) is '\(text)', expected a whole number \(bounds).")
    }
    return number
  }

  /// One of some words.
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

/// How many letters must be changed, put in or left out to turn one word into the other.
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
