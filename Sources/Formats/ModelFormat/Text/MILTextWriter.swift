/// Writes a program as text with the layout of Apple's compiler.
///
/// The program may come from a file that nobody has checked. The writer keeps the program's faults in the text. It
/// takes time and memory proportional to the program's size.
struct MILTextWriter {
  /// Whether a scalar's type is written as its element type, `int32`. If false, it is written as a tensor type without
  /// dimensions.
  let namesScalars: Bool
  private(set) var bytes: [UInt8] = []

  init(namesScalars: Bool) {
    self.namesScalars = namesScalars
  }

  mutating func write(_ text: MILText) {
    add("program(\(text.version.major).\(text.version.minor))\n")
    if !text.program.attributes.isEmpty {
      addAttributes(text.program.attributes)
      add("\n")
    }
    add("{\n")
    let named: [String] = text.functionNames.filter { text.program.functions[$0] != nil }
    let others = Set(text.program.functions.keys).subtracting(named)
    for name in named + others.sorted() {
      if let function = text.program.functions[name] { add(function, name: name) }
    }
    add(text.endsWithNewline ? "}\n" : "}")
  }

  private mutating func add(_ function: Spec.MILSpec.Function, name: String) {
    add("    func ")
    addName(name)
    add("<")
    addName(MILTextNames.operationSet(message: function.opset))
    add(">")
    addParameters(function.inputs)
    addAttributes(function.attributes, after: " ")
    add(" ")
    add(function.block ?? Spec.MILSpec.Block(), indent: 8)
    add(";\n")
  }

  private mutating func addParameters(_ parameters: [Spec.MILSpec.NamedValueType]) {
    add("(")
    addList(parameters) { writer, parameter in writer.add(parameter) }
    add(")")
  }

  private mutating func add(_ value: Spec.MILSpec.NamedValueType) {
    add(value.type)
    add(" ")
    addName(value.name)
  }

  /// Writes the operations of a block, indented by four columns relative to the block's closing brace.
  private mutating func add(_ block: Spec.MILSpec.Block, indent: Int) {
    add("{\n")
    for operation in block.operations { add(operation, indent: indent + 4) }
    addSpaces(indent)
    add("} -> (")
    addList(block.outputs) { writer, name in writer.addName(name) }
    add(")")
  }

  private mutating func add(_ operation: Spec.MILSpec.Operation, indent: Int) {
    addSpaces(indent)
    addList(operation.outputs) { writer, output in writer.add(output) }
    if !operation.outputs.isEmpty { add(" = ") }
    addName(operation.type)
    add("(")
    addList(Self.sorted(operation.inputs)) { writer, input in
      writer.addName(input.key)
      writer.add(" = ")
      writer.add(input.value)
    }
    add(")")
    addAttributes(operation.attributes)
    for block in operation.blocks {
      add(" ")
      addParameters(block.inputs)
      addAttributes(block.attributes, after: " ")
      add(" ")
      add(block, indent: indent + 4)
    }
    add(";\n")
  }

  private mutating func add(_ argument: Spec.MILSpec.Argument) {
    if argument.arguments.count == 1 {
      add(argument.arguments[0])
    } else {
      add("(")
      addList(argument.arguments) { writer, binding in writer.add(binding) }
      add(")")
    }
  }

  private mutating func add(_ binding: Spec.MILSpec.Argument.Binding) {
    switch binding.binding {
    case .name(let name)?: addName(name)
    case .value(let value)?: addTyped(value)
    case nil: addName("")
    }
  }

  private mutating func addAttributes(
    _ attributes: [String: Spec.MILSpec.Value], after space: String = ""
  ) {
    guard !attributes.isEmpty else { return }
    add(space)
    add("[")
    addList(Self.sorted(attributes)) { writer, attribute in
      writer.addName(attribute.key)
      writer.add(" = ")
      writer.addTyped(attribute.value)
    }
    add("]")
  }

  // MARK: Parts

  /// Returns the entries of a dictionary, sorted by the bytes of their names.
  private static func sorted<Value>(_ entries: [String: Value]) -> [(key: String, value: Value)] {
    entries.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
  }

  mutating func add(_ text: String) { bytes += Array(text.utf8) }

  private mutating func addSpaces(_ count: Int) {
    bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: count))
  }

  mutating func addList<Elements: Sequence>(
    _ elements: Elements,
    _ addElement: (_ writer: inout MILTextWriter, _ element: Elements.Element) -> Void
  ) {
    var isFirst = true
    for element in elements {
      if !isFirst { add(", ") }
      isFirst = false
      addElement(&self, element)
    }
  }

  /// Writes a number in hexadecimal.
  mutating func add(_ number: Double) { MILNumber.append(number, to: &bytes) }

  /// Writes a name, in quotation marks if it is not a word.
  private mutating func addName(_ name: String) {
    let isWord: Bool =
      name.utf8.first.map(MILTextLexer.isLetter) == true
      && name.utf8.allSatisfy { MILTextLexer.isLetter($0) || MILTextLexer.isDigit($0) }
    isWord ? add(name) : addString(name)
  }

  /// Writes a string in quotation marks, and escapes invisible characters.
  mutating func addString(_ string: String) {
    bytes.append(UInt8(ascii: "\""))
    for byte in string.utf8 {
      switch byte {
      case UInt8(ascii: "\""): add("\\\"")
      case UInt8(ascii: "\\"): add("\\\\")
      case 10: add("\\n")
      case 9: add("\\t")
      case 13: add("\\r")
      case 0..<32, 127:
        let digits = String(byte, radix: 8)
        add("\\" + String(repeating: "0", count: 3 - digits.count) + digits)
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}
