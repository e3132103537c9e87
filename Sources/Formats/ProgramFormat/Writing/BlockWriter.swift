import Graph
import ModelFormat
import Operators

/// Writes the operations of one block. A block computes a graph or a region.
package final class BlockWriter {
  private struct Form: Hashable {
    let name: String
    let element: ElementType
  }

  private struct Key: Hashable {
    let identity: Constant.Identity
    let element: ElementType
    let shape: Shape
  }

  /// The unique names, the weight file and the opset. The writers of all blocks of the program share this object.
  let output: ProgramOutput
  /// The graph that the block computes.
  let graph: Graph
  /// The known types of the graph's values.
  let known: KnownTypes
  /// The operations written so far.
  private(set) var operations: [Spec.MILSpec.Operation] = []
  private var values: [Graph.ValueID: MILValue] = [:]
  private var casts: [Form: MILValue] = [:]
  private var constants: [Key: MILValue] = [:]

  init(_ output: ProgramOutput, _ graph: Graph, _ known: KnownTypes) {
    self.output = output
    self.graph = graph
    self.known = known
  }

  // MARK: - Values

  /// Binds a value of the graph to the program's value that has the same content.
  func bind(_ id: Graph.ValueID, to value: MILValue) { values[id] = value }

  /// Returns the program's value for a value of the graph, without a cast. If the value is a constant, writes it:
  /// floating-point numbers in the program's floating-point type, integers as int32.
  func value(of id: Graph.ValueID) throws -> MILValue {
    if let value = values[id] { return value }
    guard let constant = graph[id].constant else {
      throw EngineError(
        .invalidModel,
        "no operation on this path makes the value '\(graph[id].name)'.")
    }
    return constant.type.element.isInteger
      ? try integer(constant) : try real(constant, as: output.real)
  }

  /// Casts a value to another type.
  func cast(_ value: MILValue, to element: ElementType) throws -> MILValue {
    if value.element == element { return value }
    let form = Form(name: value.name, element: element)
    if let known = casts[form] { return known }
    let made = try add(
      "cast", ["x": .value(value), "dtype": .string(element.castName)], element, value.extents,
      name: "\(value.name)_\(element.castName)")
    casts[form] = made
    return made
  }

  // MARK: - Constants

  /// Writes a constant in a floating-point type. If the constant is compressed and the program can express the
  /// compressed form, the constant stays compressed.
  func real(_ constant: Constant, as element: ElementType, shape: Shape? = nil) throws -> MILValue {
    let shape: Shape = shape ?? constant.shape
    let key = Key(identity: constant.identity, element: element, shape: shape)
    if let known = constants[key] { return known }
    let shaped: Constant = try constant.fitted(to: shape, "the numbers of a constant")
    let made: MILValue =
      if let stored = shaped.stored, let kept = try compressed(shaped, stored, element) {
        kept
      } else {
        try state(try output.value(shaped, real: element), element, shape, "const")
      }
    constants[key] = made
    return made
  }

  /// Writes a constant of integers.
  func integer(_ constant: Constant) throws -> MILValue {
    let key = Key(identity: constant.identity, element: .int32, shape: constant.shape)
    if let known = constants[key] { return known }
    let made = try numbers(try constant.tensor(), .int32)
    constants[key] = made
    return made
  }

  /// Writes constant numbers.
  func numbers(_ tensor: ReferenceTensor, _ element: ElementType, _ name: String = "const") throws
    -> MILValue
  {
    try state(try output.value(tensor, element), element, tensor.shape, name)
  }

  private func state(
    _ value: Spec.MILSpec.Value, _ element: ElementType, _ shape: Shape, _ name: String
  ) throws -> MILValue {
    let made = MILValue(
      name: output.name(name), element: element, extents: shape.dimensions.map { $0 })
    operations.append(.constant(named: made.name, type: made.type, value))
    return made
  }

  /// Writes the operation of a constant: `const`, or an operation that decompresses the constant. The operands become
  /// attributes of the operation.
  func stored(
    _ type: String, _ operands: [String: Spec.MILSpec.Value], _ element: ElementType, _ shape: Shape
  ) -> MILValue {
    let made = MILValue(
      name: output.name("weights"), element: element, extents: shape.dimensions.map { $0 })
    operations.append(
      .making(type, named: made.name, attributes: operands, outputs: [(made.name, made.type)]))
    return made
  }

  // MARK: - Operations

  /// Adds an operation with one output, and returns the output.
  func add(
    _ type: String, _ inputs: [String: MILOperand], _ element: ElementType, _ extents: [Int?],
    name: String, real: ElementType? = nil, exactName: Bool = false
  ) throws -> MILValue {
    try add(
      type, inputs, [(element, extents)], name: name, real: real, exactName: exactName)[0]
  }

  /// Adds an operation, and returns its outputs.
  func add(
    _ type: String, _ inputs: [String: MILOperand], _ made: [(ElementType, [Int?])], name: String,
    real: ElementType? = nil, exactName: Bool = false, blocks: [Spec.MILSpec.Block] = []
  ) throws -> [MILValue] {
    var arguments: [String: Spec.MILSpec.Argument] = [:]
    for (key, operand) in inputs.sorted(by: { $0.key < $1.key }) {
      arguments[key] = try argument(
        operand, "\(name)_\(key)", real: real ?? output.real)
    }
    let outputs: [MILValue] = made.enumerated().map { position, type in
      MILValue(
        name: exactName ? name : output.name(made.count == 1 ? name : "\(name)_\(position)"),
        element: type.0, extents: type.1)
    }
    operations.append(
      .making { operation in
        operation.type = type
        operation.inputs = arguments
        operation.outputs = outputs.map { output in
          .making {
            $0.name = output.name
            $0.type = output.type
          }
        }
        operation.blocks = blocks
        operation.attributes = ["name": .string(outputs.first?.name ?? name)]
      })
    return outputs
  }

  /// Adds an operation whose message already exists.
  func add(_ operation: Spec.MILSpec.Operation) { operations.append(operation) }

  private func argument(_ operand: MILOperand, _ name: String, real: ElementType) throws
    -> Spec.MILSpec.Argument
  {
    func bound(_ values: [MILValue]) -> Spec.MILSpec.Argument {
      .making { message in
        message.arguments = values.map { value in .making { $0.binding = .name(value.name) } }
      }
    }
    switch operand {
    case .value(let value): return bound([value])
    case .values(let values): return bound(values)
    case .int(let number):
      return bound([
        try numbers(ReferenceTensor([], integerValues: [Int64(number)], .int32), .int32, name)
      ]
      )
    case .ints(let list):
      return bound([
        try numbers(
          ReferenceTensor([list.count], integerValues: list.map(Int64.init), .int32), .int32, name)
      ])
    case .bool(let flag):
      return bound([try numbers(ReferenceTensor([], [flag ? 1 : 0]), .bool, name)])
    case .bools(let flags):
      return bound([
        try numbers(ReferenceTensor([flags.count], flags.map { $0 ? 1 : 0 }), .bool, name)
      ])
    case .real(let number):
      return bound([try numbers(ReferenceTensor([], [Double(number)]), real, name)])
    case .reals(let list):
      return bound([try numbers(ReferenceTensor([list.count], list.map(Double.init)), real, name)])
    case .string(let text):
      let named: String = output.name(name)
      operations.append(.constant(named: named, type: .string, .string(text)))
      return .making { $0.arguments = [.making { $0.binding = .name(named) }] }
    }
  }
}
