import Graph
import Operators
import Tensors

/// An operator of the file while it is read: its inputs in the graph, its settings, and the graph to add to.
struct LiteOperation {
  /// What the file says.
  let facts: LiteModel.Operation
  /// The name of what it makes.
  let name: String
  /// The graph so far.
  let context: LiteGraphBuilder

  /// An operator that is about to be read.
  init(_ facts: LiteModel.Operation, name: String, in context: LiteGraphBuilder) {
    self.facts = facts
    self.name = name
    self.context = context
  }

  private var builder: GraphBuilder { context.builder }

  // MARK: - Inputs

  /// The number of inputs, with those that are left out.
  var inputCount: Int { facts.inputs.count }

  /// Whether an input is given.
  func has(_ input: Int) -> Bool {
    facts.inputs.indices.contains(input) && facts.inputs[input] >= 0
  }

  /// The number of an input's tensor.
  func tensor(_ input: Int) throws -> Int {
    guard has(input) else { throw invalid("its input \(input) is missing.") }
    return facts.inputs[input]
  }

  /// What the file says of an input.
  func tensorFacts(_ input: Int) throws -> LiteModel.Tensor {
    context.subgraph.tensors[try tensor(input)]
  }

  /// What the file says of an output.
  func outputFacts(_ output: Int = 0) throws -> LiteModel.Tensor {
    guard facts.outputs.indices.contains(output) else {
      throw invalid("its output \(output) is missing. The file may be damaged.")
    }
    return context.subgraph.tensors[facts.outputs[output]]
  }

  /// An input as it is held.
  func value(_ input: Int) throws -> LiteValue { try context.value(of: try tensor(input)) }

  /// An input in the file's order.
  func written(_ input: Int) throws -> Graph.ValueID { try context.written(try tensor(input)) }

  /// An input of four axes as a picture.
  func picture(_ input: Int) throws -> Graph.ValueID { try context.picture(try tensor(input)) }

  /// An input as a constant with its axes in another order; nil where it is computed.
  func constant(_ input: Int, axes: [Int]) throws -> Graph.ValueID? {
    guard let facts = try value(input).constant else { return nil }
    guard facts.shape.count == axes.count else {
      throw invalid(
        "tensor '\(facts.name)' is \(Shape(facts.shape)), expected \(axes.count) axes.")
    }
    return builder.addConstant(try facts.constant(axes: axes), name: facts.name)
  }

  /// The extents of an input in the file's order, nil for those that are free; nil altogether where the number of
  /// axes is not known.
  func extents(_ input: Int) throws -> [Int?]? {
    let value: LiteValue = try value(input)
    let held: [Int?]? = builder.extents(of: value.id)
    guard value.isPicture, let held, held.count == 4 else { return held }
    return LiteValue.writtenAxes.map { held[$0] }
  }

  /// The number of axes of an input; that of the file's shape where nothing else is known.
  func rank(_ input: Int) throws -> Int {
    try extents(input)?.count ?? tensorFacts(input).shape.count
  }

  /// The extents of a constant input, which must be known, and have so many axes.
  func shape(_ input: Int, axes: Int) throws -> [Int] {
    let known: [Int] = try extents(input)?.compactMap { $0 } ?? []
    guard known.count == axes, known.allSatisfy({ (1...1 << 30).contains($0) }) else {
      throw invalid(
        "tensor '\(try tensorFacts(input).name)' is \(Shape(known)), expected \(axes) axes with at"
          + " least 1 of everything.")
    }
    return known
  }

  /// The whole numbers of an input, where they are known while the file is read.
  func knownIntegers(_ input: Int) throws -> [Int]? {
    guard let constant = builder.constant(of: try written(input)) else { return nil }
    guard constant.count <= 65_536 else {
      throw invalid("its input \(input) holds \(constant.count) numbers, expected a few.")
    }
    return try constant.tensor().reals.map { Int(bounding: $0) }
  }

  /// The whole numbers of an input, which must be known.
  func integers(_ input: Int) throws -> [Int] {
    guard let known = try knownIntegers(input) else {
      throw EngineError(
        .unsupported,
        "its input '\(try tensorFacts(input).name)' is computed, expected numbers of the file.")
    }
    return known
  }

  /// The only number of an input, which must be known.
  func number(_ input: Int) throws -> Double {
    guard let constant = builder.constant(of: try written(input)), constant.count == 1 else {
      throw EngineError(
        .unsupported, "its input \(input) is computed, expected one number of the file.")
    }
    return try constant.tensor().reals[0]
  }

  /// An axis that counts from the end where it is negative.
  func axis(_ axis: Int, rank: Int) throws -> Int {
    let place: Int = axis < 0 ? axis + rank : axis
    guard (0..<rank).contains(place) else {
      throw invalid("axis \(axis) does not exist among \(rank).")
    }
    return place
  }

  /// What becomes of integers that `int32` cannot hold: numbers of int32 wrap around, and those of wider types are
  /// kept to the range, as the file's constants are.
  var overflow: IntegerOverflow {
    get throws {
      let element: LiteElement = try tensorFacts(0).element
      return element.held == .int32 && element != .int32 ? .saturates : .wraps
    }
  }

  // MARK: - Settings

  /// A whole number of the settings.
  func int(_ field: Int, or standard: Int = 0) throws -> Int {
    try (facts.options?.int(field, or: standard)).map { Int(bounding: $0) } ?? standard
  }

  /// A number of the settings that must be positive.
  func size(_ field: Int, or standard: Int, _ what: String) throws -> Int {
    let size: Int = try int(field, or: standard)
    guard (1...1 << 24).contains(size) else {
      throw invalid("\(what) is \(size), expected 1 or more.")
    }
    return size
  }

  /// A byte of the settings.
  func byte(_ field: Int) throws -> Int { try facts.options?.byte(field) ?? 0 }

  /// A truth value of the settings.
  func bool(_ field: Int) throws -> Bool { try facts.options?.bool(field) ?? false }

  /// A real number of the settings.
  func float(_ field: Int, or standard: Float = 0) throws -> Float {
    try facts.options?.float(field, or: standard) ?? standard
  }

  /// The function that follows.
  func activation(_ field: Int) throws -> LiteActivation {
    let number: Int = try byte(field)
    guard let function = LiteActivation(rawValue: number) else {
      throw invalid("the activation \(number) does not exist.")
    }
    return function
  }

  // MARK: - The graph

  /// Adds an operator that makes one value.
  func add(_ operation: any Operator, _ inputs: Graph.ValueID..., part: String = "") throws
    -> Graph.ValueID
  {
    try builder.add(
      operation, inputs, outputs: 1, name: part.isEmpty ? name : "\(name)/\(part)")[0]
  }

  /// Adds an operator that makes several values, or reads a list.
  func add(_ operation: any Operator, _ inputs: [Graph.ValueID], outputs: Int, part: String = "")
    throws -> [Graph.ValueID]
  {
    try builder.add(
      operation, inputs, outputs: outputs, name: part.isEmpty ? name : "\(name)/\(part)")
  }

  /// A value that is a number everywhere.
  func scalar(_ number: Double, _ element: ElementType = .float32) -> Graph.ValueID {
    builder.addConstant(
      ReferenceTensor([], repeating: number, element), name: "\(name)/number")
  }

  /// A list of whole numbers.
  func list(_ numbers: [Int]) -> Graph.ValueID {
    builder.addConstant(
      ReferenceTensor([numbers.count], wholes: numbers.map(Int64.init), .int32),
      name: "\(name)/numbers")
  }

  /// The type of a value's elements.
  func element(of value: Graph.ValueID) -> ElementType { builder.element(of: value) ?? .float32 }

  /// A value as one of another type in the graph.
  func converted(_ value: Graph.ValueID, to element: ElementType) throws -> Graph.ValueID {
    self.element(of: value) == element
      ? value : try add(CastOperator(to: element), value, part: "type")
  }

  /// A file that contradicts itself.
  func invalid(_ sentence: String) -> EngineError { EngineError(.invalidModel, sentence) }
}
