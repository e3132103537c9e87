import Graph
import ModelFormat

/// An operation of the program that is being read: its inputs by name, and the builder that gets its operators.
package struct ProgramOperation {
  /// The operation's message.
  package let message: Spec.MILSpec.Operation
  /// The operation's name: the value of the attribute `name`, or else the name of the first output.
  package let name: String
  /// The declared types of the outputs. Nil for an output that is neither a tensor nor a list.
  package let outputs: [WrittenType?]
  /// The builder of the block that contains the operation.
  package let builder: ProgramBuilder
  private let inputs: [String: [ProgramValue]]

  package init(
    _ message: Spec.MILSpec.Operation, inputs: [String: [ProgramValue]], builder: ProgramBuilder
  ) throws {
    self.message = message
    self.inputs = inputs
    self.builder = builder
    outputs = try message.outputs.map { try WrittenType($0.type) }
    name = Self.name(of: message)
  }

  /// Returns the name of an operation, for messages.
  package static func name(of message: Spec.MILSpec.Operation) -> String {
    if case .immediateValue(let immediate)? = message.attributes["name"]?.value,
      case .tensor(let tensor)? = immediate.value, case .strings(let strings)? = tensor.value,
      let name = strings.values.first, !name.isEmpty
    {
      return name
    }
    return message.outputs.first?.name ?? message.type
  }

  /// The function's opset.
  package var opset: Opset { builder.opset }

  /// Returns an error for a program that contradicts the specification of the operation. `sentence` says how. The
  /// builder adds the operation's name before the sentence.
  package func invalid(_ sentence: String) -> EngineError { EngineError(.invalidModel, sentence) }

  /// Returns an error for a program that needs something Atelier cannot compute. `sentence` says what.
  package func unsupported(_ sentence: String) -> EngineError {
    EngineError(.unsupported, sentence)
  }
}

// MARK: - Inputs

extension ProgramOperation {
  /// Returns whether the operation has an input.
  package func has(_ input: String) -> Bool { inputs[input]?.isEmpty == false }

  /// Returns the only value of an input. Nil if the input is omitted.
  package func optionalValue(_ input: String) throws -> ProgramValue? {
    guard let values = inputs[input], let first = values.first else { return nil }
    guard values.count == 1 else {
      throw invalid("'\(input)' is bound to \(values.count) values, expected 1.")
    }
    return first
  }

  /// Returns the only value of a required input.
  package func value(_ input: String) throws -> ProgramValue {
    guard let value = try optionalValue(input) else {
      throw invalid("the input '\(input)' is missing.")
    }
    return value
  }

  /// Returns all values of an input that takes several values, such as `values` of `concat`.
  package func values(_ input: String) throws -> [ProgramValue] {
    guard let values = inputs[input] else { throw invalid("the input '\(input)' is missing.") }
    return values
  }

  /// Returns the tensor of an input. Nil if the input is omitted.
  package func optionalTensor(_ input: String) throws -> ProgramTensor? {
    switch try optionalValue(input) {
    case .tensor(let tensor)?: return tensor
    case nil: return nil
    default: throw invalid("'\(input)' is not a tensor.")
    }
  }

  /// Returns the tensor of a required input.
  package func tensor(_ input: String) throws -> ProgramTensor {
    guard let tensor = try optionalTensor(input) else {
      throw invalid("the input '\(input)' is missing.")
    }
    return tensor
  }

  /// Returns all tensors of an input that takes several tensors.
  package func tensors(_ input: String) throws -> [ProgramTensor] {
    try values(input).map { value in
      guard case .tensor(let tensor) = value else { throw invalid("'\(input)' is not a tensor.") }
      return tensor
    }
  }

  /// Returns the list that an input holds. The list is stored as one tensor with an additional first axis.
  package func list(_ input: String) throws -> ProgramTensor {
    guard case .list(let list) = try value(input) else {
      throw invalid("'\(input)' is not a list.")
    }
    return list
  }

  /// Returns the rank of an input. Throws if the rank is unknown, because operations need the ranks of their inputs.
  package func rank(_ input: String) throws -> Int {
    guard let rank = try tensor(input).rank else {
      throw unsupported("'\(input)' has no known rank.")
    }
    return rank
  }
}

// MARK: - Parameters

extension ProgramOperation {
  /// Returns the values of a constant input. Nil if the input is omitted, or computed at run time.
  ///
  /// - Throws: If the input has more numbers than a list of sizes, axes or parameters can have.
  package func constant(_ input: String) throws -> ReferenceTensor? {
    guard let tensor = try optionalTensor(input), let constant = tensor.constant else { return nil }
    _ = try Shape.computed(constant.shape.dimensions, "the list '\(input)'")
    return try constant.tensor()
  }

  private func constantTensor(_ input: String) throws -> ReferenceTensor? {
    guard has(input) else { return nil }
    guard let constant = try constant(input) else {
      throw unsupported("'\(input)' is computed, expected a constant.")
    }
    return constant
  }

  /// Returns the integers of a constant input, clamped to the range of sizes, axes and indices. Nil if the input is
  /// omitted. Throws if the input is computed at run time.
  package func optionalInts(_ input: String) throws -> [Int]? {
    guard let constant = try constantTensor(input) else { return nil }
    return constant.element.isInteger
      ? constant.integerValues.map { Int(bounding: $0) }
      : try constant.values.map { try integer($0, input) }
  }

  /// Returns the integers of a required constant input.
  package func ints(_ input: String) throws -> [Int] {
    guard let numbers = try optionalInts(input) else {
      throw invalid("the input '\(input)' is missing.")
    }
    return numbers
  }

  /// Returns the integers of a constant input, or `standard` if the input is omitted.
  package func ints(_ input: String, or standard: [Int]) throws -> [Int] {
    try optionalInts(input) ?? standard
  }

  /// Returns the integer of a required constant input.
  package func int(_ input: String) throws -> Int {
    guard let number = try ints(input).first else { throw invalid("'\(input)' is empty.") }
    return number
  }

  /// Returns the integer of a constant input, or `standard` if the input is omitted.
  package func int(_ input: String, or standard: Int) throws -> Int {
    has(input) ? try int(input) : standard
  }

  private func integer(_ value: Double, _ input: String) throws -> Int {
    guard let integer = Int(exactly: value) else {
      throw invalid("'\(input)' is \(value), expected an integer.")
    }
    return Int(bounding: integer)
  }

  /// Returns the numbers of a constant input. Nil if the input is omitted.
  package func optionalFloats(_ input: String) throws -> [Float]? {
    try constantTensor(input)?.reals.map { Float($0) }
  }

  /// Returns the number of a required constant input.
  package func float(_ input: String) throws -> Float {
    guard let number = try optionalFloats(input)?.first else {
      throw invalid("the input '\(input)' is missing.")
    }
    return number
  }

  /// Returns the number of a constant input, or `standard` if the input is omitted.
  package func float(_ input: String, or standard: Float) throws -> Float {
    try optionalFloats(input)?.first ?? standard
  }

  /// Returns the boolean of a constant input, or `standard` if the input is omitted.
  package func bool(_ input: String, or standard: Bool) throws -> Bool {
    try constantTensor(input).map { ($0.reals.first ?? 0) != 0 } ?? standard
  }

  /// Returns the booleans of a constant input. Nil if the input is omitted.
  package func optionalBools(_ input: String) throws -> [Bool]? {
    try constantTensor(input)?.reals.map { $0 != 0 }
  }

  /// Returns the string of a constant input. Nil if the input is omitted.
  package func optionalString(_ input: String) throws -> String? {
    switch try optionalValue(input) {
    case .strings(let strings)?:
      guard let first = strings.first else { throw invalid("'\(input)' is empty.") }
      return first
    case nil: return nil
    default: throw invalid("'\(input)' is not a string.")
    }
  }

  /// Returns the string of a required constant input.
  package func string(_ input: String) throws -> String {
    guard let string = try optionalString(input) else {
      throw invalid("the input '\(input)' is missing.")
    }
    return string
  }

  /// Returns the string of a constant input, or `standard` if the input is omitted.
  package func string(_ input: String, or standard: String) throws -> String {
    try optionalString(input) ?? standard
  }
}

// MARK: - Making

extension ProgramOperation {
  /// Adds an operator with one output, and returns the output.
  package func add(_ operation: any Operator, _ inputs: Graph.ValueID...) -> Graph.ValueID {
    builder.add(operation, inputs, outputs: 1, name: name)[0]
  }

  /// Adds an operator with one output, and returns the output.
  package func add(_ operation: any Operator, _ inputs: [Graph.ValueID]) -> Graph.ValueID {
    builder.add(operation, inputs, outputs: 1, name: name)[0]
  }

  /// Adds an operator with several outputs, and returns the outputs.
  package func add(_ operation: any Operator, _ inputs: [Graph.ValueID], outputs: Int)
    -> [Graph.ValueID]
  {
    builder.add(operation, inputs, outputs: outputs, name: name)
  }

  /// Adds a constant to the graph.
  package func constant(_ tensor: ReferenceTensor) -> Graph.ValueID {
    builder.addConstant(Constant(tensor), name: name)
  }

  /// Adds a constant number of rank 0. `element` is the number's type in the program.
  package func constant(_ number: Float, as element: ElementType = .float32) -> Graph.ValueID {
    constant(ReferenceTensor([], repeating: Double(number), element.held))
  }

  /// Adds constant integers as a vector of type `int32`.
  package func constant(_ numbers: [Int]) -> Graph.ValueID {
    constant(ReferenceTensor([numbers.count], integerValues: numbers.map(Int64.init), .int32))
  }
}
