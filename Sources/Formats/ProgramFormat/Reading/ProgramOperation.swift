import Graph
import ModelFormat

/// One operation while it is read: its inputs by name, and the graph that its operators go to.
package struct ProgramOperation {
  /// The message.
  package let message: Spec.MILSpec.Operation
  /// The operation's name: that of its attribute `name`, else of its first output.
  package let name: String
  /// What the program says of the outputs; nil for those that are no tensors.
  package let outputs: [WrittenType?]
  /// The graph around it.
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

  /// The name of an operation in sentences.
  package static func name(of message: Spec.MILSpec.Operation) -> String {
    if case .immediateValue(let immediate)? = message.attributes["name"]?.value,
      case .tensor(let tensor)? = immediate.value, case .strings(let strings)? = tensor.value,
      let name = strings.values.first, !name.isEmpty
    {
      return name
    }
    return message.outputs.first?.name ?? message.type
  }

  /// The operations' set.
  package var opset: Opset { builder.opset }

  /// An error that the program contradicts the definition; the operation's name goes in front.
  package func invalid(_ sentence: String) -> EngineError { EngineError(.invalidModel, sentence) }

  /// An error that the program asks for what cannot be computed here.
  package func unsupported(_ sentence: String) -> EngineError {
    EngineError(.unsupported, sentence)
  }
}

// MARK: - Inputs

extension ProgramOperation {
  /// Whether an input is given.
  package func has(_ input: String) -> Bool { inputs[input]?.isEmpty == false }

  /// The only value of an input; nil where it is left out.
  package func optionalValue(_ input: String) throws -> ProgramValue? {
    guard let values = inputs[input], let first = values.first else { return nil }
    guard values.count == 1 else {
      throw invalid("'\(input)' is bound to \(values.count) values, expected 1.")
    }
    return first
  }

  /// The only value of an input.
  package func value(_ input: String) throws -> ProgramValue {
    guard let value = try optionalValue(input) else {
      throw invalid("the input '\(input)' is missing.")
    }
    return value
  }

  /// All values of an input that takes several, as `concat` does.
  package func values(_ input: String) throws -> [ProgramValue] {
    guard let values = inputs[input] else { throw invalid("the input '\(input)' is missing.") }
    return values
  }

  /// A tensor that is left out or given.
  package func optionalTensor(_ input: String) throws -> ProgramTensor? {
    switch try optionalValue(input) {
    case .tensor(let tensor)?: return tensor
    case nil: return nil
    default: throw invalid("'\(input)' is no tensor.")
    }
  }

  /// A tensor.
  package func tensor(_ input: String) throws -> ProgramTensor {
    guard let tensor = try optionalTensor(input) else {
      throw invalid("the input '\(input)' is missing.")
    }
    return tensor
  }

  /// All tensors of an input that takes several.
  package func tensors(_ input: String) throws -> [ProgramTensor] {
    try values(input).map { value in
      guard case .tensor(let tensor) = value else { throw invalid("'\(input)' is no tensor.") }
      return tensor
    }
  }

  /// The list of tensors of an input, as one tensor with a leading axis.
  package func list(_ input: String) throws -> ProgramTensor {
    guard case .list(let list) = try value(input) else { throw invalid("'\(input)' is no list.") }
    return list
  }

  /// The rank of a tensor, which every operation knows of its inputs.
  package func rank(_ input: String) throws -> Int {
    guard let rank = try tensor(input).rank else {
      throw unsupported("'\(input)' has no known rank.")
    }
    return rank
  }
}

// MARK: - Parameters

extension ProgramOperation {
  /// The values of an input that the program states; nil where it is left out or computed.
  ///
  /// - Throws: for more numbers than any list of sizes, axes or parameters has.
  package func constant(_ input: String) throws -> ReferenceTensor? {
    guard let tensor = try optionalTensor(input), let constant = tensor.constant else { return nil }
    _ = try Shape.computed(constant.shape.dimensions, "the list '\(input)'")
    return try constant.tensor()
  }

  private func stated(_ input: String) throws -> ReferenceTensor? {
    guard has(input) else { return nil }
    guard let constant = try constant(input) else {
      throw unsupported("'\(input)' is computed, expected a constant.")
    }
    return constant
  }

  /// Whole numbers that the program states, kept to what sizes, axes and indices can be; nil where they are left
  /// out. Throws where they are computed.
  package func optionalInts(_ input: String) throws -> [Int]? {
    guard let constant = try stated(input) else { return nil }
    return constant.element.isInteger
      ? constant.wholes.map { Int(bounding: $0) }
      : try constant.values.map { try whole($0, input) }
  }

  /// Whole numbers that the program states.
  package func ints(_ input: String) throws -> [Int] {
    guard let numbers = try optionalInts(input) else {
      throw invalid("the input '\(input)' is missing.")
    }
    return numbers
  }

  /// Whole numbers that the program states, or others where they are left out.
  package func ints(_ input: String, or standard: [Int]) throws -> [Int] {
    try optionalInts(input) ?? standard
  }

  /// A whole number that the program states.
  package func int(_ input: String) throws -> Int {
    guard let number = try ints(input).first else { throw invalid("'\(input)' is empty.") }
    return number
  }

  /// A whole number that the program states, or another where it is left out.
  package func int(_ input: String, or standard: Int) throws -> Int {
    has(input) ? try int(input) : standard
  }

  private func whole(_ value: Double, _ input: String) throws -> Int {
    guard let whole = Int(exactly: value) else {
      throw invalid("'\(input)' is \(value), expected a whole number.")
    }
    return Int(bounding: whole)
  }

  /// Numbers that the program states; nil where they are left out.
  package func optionalFloats(_ input: String) throws -> [Float]? {
    try stated(input)?.reals.map { Float($0) }
  }

  /// A number that the program states.
  package func float(_ input: String) throws -> Float {
    guard let number = try optionalFloats(input)?.first else {
      throw invalid("the input '\(input)' is missing.")
    }
    return number
  }

  /// A number that the program states, or another where it is left out.
  package func float(_ input: String, or standard: Float) throws -> Float {
    try optionalFloats(input)?.first ?? standard
  }

  /// A truth value that the program states, or another where it is left out.
  package func bool(_ input: String, or standard: Bool) throws -> Bool {
    try stated(input).map { ($0.reals.first ?? 0) != 0 } ?? standard
  }

  /// Truth values that the program states; nil where they are left out.
  package func optionalBools(_ input: String) throws -> [Bool]? {
    try stated(input)?.reals.map { $0 != 0 }
  }

  /// A string that the program states; nil where it is left out.
  package func optionalString(_ input: String) throws -> String? {
    switch try optionalValue(input) {
    case .strings(let strings)?:
      guard let first = strings.first else { throw invalid("'\(input)' is empty.") }
      return first
    case nil: return nil
    default: throw invalid("'\(input)' is no string.")
    }
  }

  /// A string that the program states.
  package func string(_ input: String) throws -> String {
    guard let string = try optionalString(input) else {
      throw invalid("the input '\(input)' is missing.")
    }
    return string
  }

  /// A string that the program states, or another where it is left out.
  package func string(_ input: String, or standard: String) throws -> String {
    try optionalString(input) ?? standard
  }
}

// MARK: - Making

extension ProgramOperation {
  /// Adds an operator that makes one value.
  package func add(_ operation: any Operator, _ inputs: Graph.ValueID...) -> Graph.ValueID {
    builder.add(operation, inputs, outputs: 1, name: name)[0]
  }

  /// Adds an operator that makes one value.
  package func add(_ operation: any Operator, _ inputs: [Graph.ValueID]) -> Graph.ValueID {
    builder.add(operation, inputs, outputs: 1, name: name)[0]
  }

  /// Adds an operator that makes several values.
  package func add(_ operation: any Operator, _ inputs: [Graph.ValueID], outputs: Int)
    -> [Graph.ValueID]
  {
    builder.add(operation, inputs, outputs: outputs, name: name)
  }

  /// A value that does not change.
  package func constant(_ tensor: ReferenceTensor) -> Graph.ValueID {
    builder.addConstant(Constant(tensor), name: name)
  }

  /// A number that does not change, of rank 0.
  package func constant(_ number: Float, as element: ElementType = .float32) -> Graph.ValueID {
    constant(ReferenceTensor([], repeating: Double(number), element.held))
  }

  /// Whole numbers that do not change, as a vector of `int32`.
  package func constant(_ numbers: [Int]) -> Graph.ValueID {
    constant(ReferenceTensor([numbers.count], wholes: numbers.map(Int64.init), .int32))
  }
}
