import Graph
import Operators
import Tensors

/// The operator of the file that is being read. A reader gets the operator's inputs and options from this type, and
/// adds operators to the graph through it.
struct LiteOperation {
  /// The operator in the file.
  let tensorInFile: LiteModel.Operation
  /// The name of the operator's first output.
  let name: String
  /// The builder of the graph.
  let context: LiteGraphBuilder

  /// Makes the state for reading an operator of the file.
  init(_ tensorInFile: LiteModel.Operation, name: String, in context: LiteGraphBuilder) {
    self.tensorInFile = tensorInFile
    self.name = name
    self.context = context
  }

  private var builder: GraphBuilder { context.builder }

  // MARK: - Inputs

  /// The number of inputs. Omitted inputs count.
  var inputCount: Int { tensorInFile.inputs.count }

  /// Returns whether the operator has an input at this index that is not omitted.
  func has(_ input: Int) -> Bool {
    tensorInFile.inputs.indices.contains(input) && tensorInFile.inputs[input] >= 0
  }

  /// Returns the index of the tensor of an input.
  func tensor(_ input: Int) throws -> Int {
    guard has(input) else { throw invalid("its input \(input) is missing.") }
    return tensorInFile.inputs[input]
  }

  /// Returns the tensor of an input as the file describes it.
  func fileTensor(_ input: Int) throws -> LiteModel.Tensor {
    context.subgraph.tensors[try tensor(input)]
  }

  /// Returns the tensor of an output as the file describes it.
  func fileOutput(_ output: Int = 0) throws -> LiteModel.Tensor {
    guard tensorInFile.outputs.indices.contains(output) else {
      throw invalid("its output \(output) is missing. The file may be damaged.")
    }
    return context.subgraph.tensors[tensorInFile.outputs[output]]
  }

  /// Returns an input in the axis order in which the graph stores it.
  func value(_ input: Int) throws -> LiteValue { try context.value(of: try tensor(input)) }

  /// Returns an input in the file's axis order.
  func written(_ input: Int) throws -> Graph.ValueID { try context.written(try tensor(input)) }

  /// Returns an input of four axes as a channels-first image `[N, C, H, W]`.
  func picture(_ input: Int) throws -> Graph.ValueID { try context.picture(try tensor(input)) }

  /// Returns an input as a constant whose axes are in the order `axes`. Nil if the model computes the input at run
  /// time.
  func constant(_ input: Int, axes: [Int]) throws -> Graph.ValueID? {
    guard let tensorInFile = try value(input).constant else { return nil }
    guard tensorInFile.shape.count == axes.count else {
      throw invalid(
        "tensor '\(tensorInFile.name)' is \(Shape(tensorInFile.shape)), expected \(axes.count) axes."
      )
    }
    return builder.addConstant(try tensorInFile.constant(axes: axes), name: tensorInFile.name)
  }

  /// Returns the extents of an input in the file's axis order. A dynamic extent is nil. If the rank is unknown, the
  /// whole result is nil.
  func extents(_ input: Int) throws -> [Int?]? {
    let value: LiteValue = try value(input)
    let held: [Int?]? = builder.extents(of: value.id)
    guard value.isPicture, let held, held.count == 4 else { return held }
    return LiteValue.writtenAxes.map { held[$0] }
  }

  /// Returns the rank of an input. If the graph does not know the rank, returns the rank in the file.
  func rank(_ input: Int) throws -> Int {
    try extents(input)?.count ?? fileTensor(input).shape.count
  }

  /// Returns the extents of an input. Throws if one of them is unknown, or if the input does not have `axes` axes.
  func shape(_ input: Int, axes: Int) throws -> [Int] {
    let known: [Int] = try extents(input)?.compactMap { $0 } ?? []
    guard known.count == axes, known.allSatisfy({ (1...1 << 30).contains($0) }) else {
      throw invalid(
        "tensor '\(try fileTensor(input).name)' is \(Shape(known)), expected \(axes) axes with"
          + " extents of at least 1.")
    }
    return known
  }

  /// Returns the integers of an input. Nil if the model computes them at run time.
  func knownIntegers(_ input: Int) throws -> [Int]? {
    guard let constant = builder.constant(of: try written(input)) else { return nil }
    guard constant.count <= 65_536 else {
      throw invalid(
        "its input \(input) holds \(constant.count) numbers, more than a list of axes or sizes has."
      )
    }
    return try constant.tensor().reals.map { Int(bounding: $0) }
  }

  /// Returns the integers of an input. Throws if the model computes them at run time.
  func integers(_ input: Int) throws -> [Int] {
    guard let known = try knownIntegers(input) else {
      throw EngineError(
        .unsupported,
        "its input '\(try fileTensor(input).name)' is computed, expected a constant.")
    }
    return known
  }

  /// Returns the only number of an input. Throws if the model computes it at run time.
  func number(_ input: Int) throws -> Double {
    guard let constant = builder.constant(of: try written(input)), constant.count == 1 else {
      throw EngineError(
        .unsupported, "its input \(input) is computed, expected a constant.")
    }
    return try constant.tensor().reals[0]
  }

  /// Returns an axis as a non-negative number. A negative `axis` counts back from the last axis.
  func axis(_ axis: Int, rank: Int) throws -> Int {
    let resolved: Int = axis < 0 ? axis + rank : axis
    guard (0..<rank).contains(resolved) else {
      throw invalid("axis \(axis) does not exist in a tensor of rank \(rank).")
    }
    return resolved
  }

  /// How operators treat results that `int32` cannot hold. The file's type of the first input decides. For int32,
  /// results wrap around. For wider integer types, results are clamped, like the file's constants of these types.
  var overflow: IntegerOverflow {
    get throws {
      let element: LiteElement = try fileTensor(0).element
      return element.held == .int32 && element != .int32 ? .saturates : .wraps
    }
  }

  // MARK: - Settings

  /// Returns an integer option.
  func int(_ field: Int, or standard: Int = 0) throws -> Int {
    try (tensorInFile.options?.int(field, or: standard)).map { Int(bounding: $0) } ?? standard
  }

  /// Returns an integer option. Throws if it is not positive.
  func size(_ field: Int, or standard: Int, _ what: String) throws -> Int {
    let size: Int = try int(field, or: standard)
    guard (1...1 << 24).contains(size) else {
      throw invalid("\(what) is \(size), expected 1 or more.")
    }
    return size
  }

  /// Returns a byte option.
  func byte(_ field: Int) throws -> Int { try tensorInFile.options?.byte(field) ?? 0 }

  /// Returns a boolean option.
  func bool(_ field: Int) throws -> Bool { try tensorInFile.options?.bool(field) ?? false }

  /// Returns a floating-point option.
  func float(_ field: Int, or standard: Float = 0) throws -> Float {
    try tensorInFile.options?.float(field, or: standard) ?? standard
  }

  /// Returns the fused activation that a field of the options states.
  func activation(_ field: Int) throws -> LiteActivation {
    let number: Int = try byte(field)
    guard let function = LiteActivation(rawValue: number) else {
      throw invalid("the activation \(number) does not exist.")
    }
    return function
  }

  // MARK: - The graph

  /// Adds an operator with one output, and returns the output.
  func add(_ operation: any Operator, _ inputs: Graph.ValueID..., part: String = "") throws
    -> Graph.ValueID
  {
    try builder.add(
      operation, inputs, outputs: 1, name: part.isEmpty ? name : "\(name)/\(part)")[0]
  }

  /// Adds an operator with several outputs or a list of inputs, and returns the outputs.
  func add(_ operation: any Operator, _ inputs: [Graph.ValueID], outputs: Int, part: String = "")
    throws -> [Graph.ValueID]
  {
    try builder.add(
      operation, inputs, outputs: outputs, name: part.isEmpty ? name : "\(name)/\(part)")
  }

  /// Adds a scalar constant.
  func scalar(_ number: Double, _ element: ElementType = .float32) -> Graph.ValueID {
    builder.addConstant(
      ReferenceTensor([], repeating: number, element), name: "\(name)/number")
  }

  /// Adds a constant list of integers.
  func list(_ numbers: [Int]) -> Graph.ValueID {
    builder.addConstant(
      ReferenceTensor([numbers.count], integerValues: numbers.map(Int64.init), .int32),
      name: "\(name)/numbers")
  }

  /// Returns the element type of a value.
  func element(of value: Graph.ValueID) -> ElementType { builder.element(of: value) ?? .float32 }

  /// Casts a value to another element type of the graph.
  func converted(_ value: Graph.ValueID, to element: ElementType) throws -> Graph.ValueID {
    self.element(of: value) == element
      ? value : try add(CastOperator(to: element), value, part: "type")
  }

  /// Returns an error for a file that contradicts itself. `sentence` says how.
  func invalid(_ sentence: String) -> EngineError { EngineError(.invalidModel, sentence) }
}
