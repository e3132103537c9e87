/// The modules that a Swift file imports.
public struct SourceImports: Sendable, Equatable {
  /// The modules that the file imports in any case.
  public private(set) var always: [String] = []
  /// The modules that the file imports inside of `#if`.
  public private(set) var conditional: [String] = []

  /// All imports.
  public var all: [String] { always + conditional }

  /// Finds the imports of a file. Comments and texts with several lines are skipped.
  ///
  /// - Parameter source: The content of the file.
  public init(source: String) {
    var depth = 0
    var commentDepth = 0
    var isInText = false
    for line in source.split(whereSeparator: \.isNewline) {
      let quotes: Int = line.ranges(of: "\"\"\"").count
      if isInText {
        if quotes % 2 == 1 { isInText = false }
        continue
      }
      var code: Substring = line.drop(while: \.isWhitespace)
      if commentDepth == 0, code.hasPrefix("//") { continue }
      let opened: Int = line.ranges(of: "/*").count
      let closed: Int = line.ranges(of: "*/").count
      let isComment: Bool = commentDepth > 0
      commentDepth = max(0, commentDepth + opened - closed)
      if isComment { continue }
      if quotes % 2 == 1 { isInText = true }
      if code.hasPrefix("#if") { depth += 1 }
      if code.hasPrefix("#endif") { depth = max(0, depth - 1) }
      while code.hasPrefix("@") {
        // An attribute, such as `@preconcurrency` or `@_spi(Name)`.
        code = code.drop { !$0.isWhitespace }.drop(while: \.isWhitespace)
      }
      for statement in code.split(separator: ";") {
        guard let module = Self.module(statement) else { continue }
        if depth > 0 { conditional.append(module) } else { always.append(module) }
      }
    }
  }

  private static let access: Set<Substring> = [
    "public", "package", "internal", "fileprivate", "private",
  ]
  private static let kinds: Set<Substring> = [
    "class", "enum", "func", "let", "protocol", "struct", "typealias", "var",
  ]

  /// Returns the module of an import, such as `CoreML` of `public import struct CoreML.MLTensor`. Nil for other
  /// statements.
  private static func module(_ statement: Substring) -> String? {
    var words: ArraySlice<Substring> = statement.split(whereSeparator: \.isWhitespace)[...]
    if let first = words.first, access.contains(first) { words.removeFirst() }
    guard words.popFirst() == "import" else { return nil }
    if let first = words.first, kinds.contains(first) { words.removeFirst() }
    let name: Substring = words.first?.prefix { $0.isLetter || $0.isNumber || $0 == "_" } ?? ""
    return name.isEmpty ? nil : String(name)
  }
}
