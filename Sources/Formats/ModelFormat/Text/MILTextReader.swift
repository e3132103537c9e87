/// Reads a program's text into the specification's messages. The text may be damaged or hostile.
struct MILTextReader {
  /// The maximum nesting depth of blocks. The next constant is the maximum nesting depth of types and values. A message
  /// with both kinds of nesting stays below `WireReader.maximumDepth`.
  static let maximumBlockDepth = 24
  static let maximumNesting = 10

  var lexer: MILTextLexer
  private let modelName: String
  /// The current operation, for errors.
  private var operation: String?
  private var blockDepth = 0

  /// - Parameter name: The model's name in errors.
  init(_ text: ByteValues, name: String) {
    modelName = name
    lexer = MILTextLexer(text.array())
  }

  /// Reads the whole text.
  mutating func readProgram() throws -> MILText {
    do {
      return try program()
    } catch let fault as MILTextLexer.Fault {
      let location = "model.mil, line \(lexer.line(of: fault.offset))"
      let subject: String = operation.map { "\(location), operation \($0)" } ?? location
      throw ModelFormatError(
        code: .damaged, message: "Model \(modelName): \(subject): \(fault.sentence).")
    }
  }

  private mutating func program() throws -> MILText {
    try lexer.advance()
    try expectWord("program")
    try expect("(")
    let parts: [ArraySlice<UInt8>] = lexer.slice.split(
      separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
    let numbers: [Int] = parts.compactMap { MILNumber.integerValue($0, as: Int.self) }
    guard lexer.kind == .number, numbers.count == 2, numbers[0] == 1, numbers[1] >= 0 else {
      throw expected("a version 1.0 to 1.3")
    }
    try lexer.advance()
    try expect(")")
    let last: UInt8? = lexer.bytes.last
    var text = MILText(
      version: .init(numbers[0], numbers[1]), endsWithNewline: last == UInt8(ascii: "\n"))
    text.program.attributes = try attributes()
    try expect("{")
    while !isAt("}") {
      let (name, function) = try function()
      guard text.program.functions.updateValue(function, forKey: name) == nil else {
        throw fault("the function '\(name)' is defined twice")
      }
      text.functionNames.append(name)
    }
    try expect("}")
    guard lexer.kind == .end else { throw expected("the end of the text") }
    return text
  }

  private mutating func function() throws -> (String, Spec.MILSpec.Function) {
    operation = nil
    try expectWord("func")
    let name: String = try self.readName()
    try expect("<")
    var function = Spec.MILSpec.Function()
    function.opset = MILTextNames.operationSet(text: try self.readName())
    try expect(">")
    function.inputs = try parameters()
    function.attributes = try attributes()
    function.blockSpecializations[function.opset] = try block()
    operation = nil
    try expect(";")
    return (name, function)
  }

  /// Reads a function's parameters in parentheses. Each parameter is a type and a name.
  private mutating func parameters() throws -> [Spec.MILSpec.NamedValueType] {
    try list(from: "(", to: ")") { reader in try reader.parameter() }
  }

  private mutating func parameter() throws -> Spec.MILSpec.NamedValueType {
    let type: Spec.MILSpec.ValueType = try valueType()
    let name: String = try self.readName()
    return .making {
      $0.type = type
      $0.name = name
    }
  }

  /// Reads the operations of a block in braces, and then the names of the block's results: `{ … } -> (a, b)`.
  private mutating func block() throws -> Spec.MILSpec.Block {
    guard blockDepth < Self.maximumBlockDepth else {
      throw fault("blocks are nested deeper than \(Self.maximumBlockDepth)")
    }
    blockDepth += 1
    defer { blockDepth -= 1 }
    var block = Spec.MILSpec.Block()
    try expect("{")
    while !isAt("}") { block.operations.append(try operationLine()) }
    try expect("}")
    guard lexer.kind == .arrow else { throw expected("'->' after the block") }
    try lexer.advance()
    block.outputs = try list(from: "(", to: ")") { reader in try reader.readName() }
    return block
  }

  // MARK: Operations

  private mutating func operationLine() throws -> Spec.MILSpec.Operation {
    var message = Spec.MILSpec.Operation()
    operation = nil
    var type: String = try readName()
    // An operation without outputs begins with its own name.
    if !isAt("(") {
      message.outputs.append(try output(ofType: type))
      operation = "with the output '\(message.outputs[0].name)'"
      while isAt(",") {
        try lexer.advance()
        message.outputs.append(try parameter())
      }
      try expect("=")
      type = try readName()
    }
    message.type = type
    operation =
      message.outputs.first.map { "'\(type)' with the output '\($0.name)'" } ?? "'\(type)'"
    let outer: String? = operation
    try expect("(")
    while !isAt(")") {
      let key: String = try readName()
      try expect("=")
      guard message.inputs.updateValue(try argument(), forKey: key) == nil else {
        throw fault("the input '\(key)' is stated twice")
      }
      guard isAt(",") else { break }
      try lexer.advance()
    }
    try expect(")")
    message.attributes = try attributes()
    while isAt("(") {
      message.blocks.append(try nestedBlock())
      operation = outer
    }
    try expect(";")
    return message
  }

  private mutating func output(ofType word: String) throws -> Spec.MILSpec.NamedValueType {
    let type: Spec.MILSpec.ValueType = try valueType(word: word)
    let name: String = try self.readName()
    return .making {
      $0.type = type
      $0.name = name
    }
  }

  /// Reads a block that belongs to an operation: the block's inputs, attributes, operations and results.
  private mutating func nestedBlock() throws -> Spec.MILSpec.Block {
    let inputs: [Spec.MILSpec.NamedValueType] = try parameters()
    let attributes: [String: Spec.MILSpec.Value] = try self.attributes()
    var block: Spec.MILSpec.Block = try self.block()
    block.inputs = inputs
    block.attributes = attributes
    return block
  }

  /// Reads an argument: a name, a value, or a list of names and values in parentheses.
  private mutating func argument() throws -> Spec.MILSpec.Argument {
    guard isAt("(") else {
      let only: Spec.MILSpec.Argument.Binding = try binding()
      return .making { $0.arguments = [only] }
    }
    let all = try list(from: "(", to: ")") { reader in try reader.binding() }
    return .making { $0.arguments = all }
  }

  private mutating func binding() throws -> Spec.MILSpec.Argument.Binding {
    let isWord: Bool = lexer.kind == .word
    let name: String = try self.readName()
    guard isWord, isAt("(") || isAt("<") else { return .making { $0.binding = .name(name) } }
    let value: Spec.MILSpec.Value = try typedValue(word: name)
    return .making { $0.binding = .value(value) }
  }

  /// Reads attributes in brackets, each a name and a value. Returns no attributes if no bracket follows.
  private mutating func attributes() throws -> [String: Spec.MILSpec.Value] {
    var found: [String: Spec.MILSpec.Value] = [:]
    guard isAt("[") else { return found }
    let all = try list(from: "[", to: "]") { reader in
      let key: String = try reader.readName()
      try reader.expect("=")
      return (key, try reader.typedValue())
    }
    for (key, value) in all where found.updateValue(value, forKey: key) != nil {
      throw fault("the attribute '\(key)' is stated twice")
    }
    return found
  }

  // MARK: Tokens

  /// Reads comma-separated elements between two marks.
  mutating func list<Element>(
    from opening: Unicode.Scalar, to closing: Unicode.Scalar,
    _ element: (_ reader: inout MILTextReader) throws -> Element
  ) throws -> [Element] {
    try expect(opening)
    var elements: [Element] = []
    while !isAt(closing) {
      elements.append(try element(&self))
      guard isAt(",") else { break }
      try lexer.advance()
    }
    try expect(closing)
    return elements
  }

  /// Returns whether the current token is this mark.
  func isAt(_ mark: Unicode.Scalar) -> Bool { lexer.kind == .mark(UInt8(ascii: mark)) }

  /// Reads the punctuation mark `mark`. Throws if the current token is not this mark.
  mutating func expect(_ mark: Unicode.Scalar) throws {
    guard isAt(mark) else { throw expected("'\(mark)'") }
    try lexer.advance()
  }

  private mutating func expectWord(_ word: String) throws {
    guard lexer.kind == .word, lexer.text == word else { throw expected("'\(word)'") }
    try lexer.advance()
  }

  /// Reads a name. A name that is not a word is in quotation marks in the text.
  mutating func readName() throws -> String {
    let name: String
    switch lexer.kind {
    case .word: name = lexer.text
    case .string: name = try lexer.stringValue()
    default: throw expected("a name")
    }
    try lexer.advance()
    return name
  }

  /// Returns an error that says what was expected instead of the current token.
  func expected(_ what: String) -> MILTextLexer.Fault {
    let found: String =
      lexer.kind == .end ? "the end of the text" : "'\(lexer.text.prefix(40))'"
    return fault("expected \(what), found \(found)")
  }

  /// Returns an error about the current token.
  func fault(_ sentence: String) -> MILTextLexer.Fault {
    MILTextLexer.Fault(sentence: sentence, offset: lexer.range.lowerBound)
  }
}
