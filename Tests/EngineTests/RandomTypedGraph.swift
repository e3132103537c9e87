import Engine
import Operators

/// A random graph of int32 and float32 values. It contains conversions between both types, and operators that move,
/// compare and join values.
///
/// Floating-point values are multiples of ¼ that float32 represents exactly. So plans must give exactly the results of
/// the reference implementations. Integers wrap around on overflow.
struct RandomTypedGraph {
  private struct Value {
    var id: Graph.ValueID
    var type: TensorType
  }

  private(set) var graph = Graph()
  private var generator: SplitMix64
  private var values: [Value] = []
  /// A description of the added operators, for messages.
  private(set) var recipe: [String] = []
  /// The inputs for running the graph.
  private(set) var inputs: [ReferenceTensor] = []

  /// Builds the graph for a seed. The graph for a seed is identical on every machine.
  init(seed: UInt64) throws {
    generator = SplitMix64(seed: seed)
    let shape: Shape = [2, 3, 4, 5]
    let quarters: [Double] = (0..<shape.count).map { _ in
      Double(Int.random(in: -32...32, using: &generator)) / 4
    }
    addInput(ReferenceTensor(shape, quarters))
    let integerValues: [Int64] = (0..<shape.count).map { _ in
      // Only a few values are large, so that conversions and sorts get small values too.
      Int.random(in: 0..<8, using: &generator) == 0
        ? Int64(Int32.random(in: Int32.min...Int32.max, using: &generator))
        : Int64.random(in: -9...9, using: &generator)
    }
    addInput(ReferenceTensor(shape, integerValues: integerValues, .int32))
    let count = Int.random(in: 4...16, using: &generator)
    while graph.nodes.count < count { try addNode() }
    graph.outputs = [values[values.count - 1].id]
    for value in values.dropFirst(2).dropLast()
    where Int.random(in: 0..<6, using: &generator) == 0 {
      graph.outputs.append(value.id)
    }
  }

  private mutating func addInput(_ tensor: ReferenceTensor) {
    let id = graph.addValue("x\(inputs.count)", type: tensor.type)
    graph.inputs.append(id)
    values.append(Value(id: id, type: tensor.type))
    inputs.append(tensor)
  }

  private mutating func constant(_ shape: Shape, _ range: ClosedRange<Int64>, _ type: ElementType)
    -> Value
  {
    let integerValues: [Int64] = (0..<shape.count).map { _ in
      Int64.random(in: range, using: &generator)
    }
    let tensor = ReferenceTensor(shape, integerValues: integerValues, .int32).converted(to: type)
    let id = graph.addConstant(Constant(tensor), name: "c\(graph.values.count)")
    return Value(id: id, type: tensor.type)
  }

  /// Picks a value of a type. It is usually the newest value.
  private mutating func pick(_ element: ElementType, like type: TensorType? = nil) -> Value {
    let known = values.filter { $0.type.element == element && type.map($0.type.equals) ?? true }
    if let last = known.last, Int.random(in: 0..<3, using: &generator) > 0 { return last }
    return known.randomElement(using: &generator) ?? values[element == .int32 ? 1 : 0]
  }

  @discardableResult
  private mutating func add(_ operation: any Operator, _ operands: Value...) throws -> Value {
    let known = operands.map { OperatorInput($0.type, constant: graph[$0.id].constant) }
    guard let type = try operation.outputTypes(for: known)?[0] else { return operands[0] }
    let output = graph.addValue("v\(graph.nodes.count)")
    graph.nodes.append(
      Graph.Node(
        name: "n\(graph.nodes.count)", operation: operation, inputs: operands.map(\.id),
        outputs: [output]))
    let names = operands.map { graph[$0.id].name }.joined(separator: ", ")
    recipe.append("\(graph[output].name) = \(operation.name)(\(names)): \(type)")
    values.append(Value(id: output, type: type))
    return values[values.count - 1]
  }

  /// Returns an operand that broadcasts against a value. It is a value of the same type, often the value itself, or a
  /// constant with fewer axes.
  private mutating func partner(of value: Value) -> Value {
    let shape: Shape = value.type.shape
    switch Int.random(in: 0..<4, using: &generator) {
    case 0: return constant([shape[-1]], -4...4, value.type.element)
    case 1: return constant([1], -4...4, value.type.element)
    default: return pick(value.type.element, like: value.type)
    }
  }

  private mutating func addNode() throws {
    switch Int.random(in: 0..<12, using: &generator) {
    case 0, 1, 2: try addIntegerArithmetic()
    case 3: try addConversion()
    case 4: try addRealArithmetic()
    case 5, 6, 7: try addMove()
    case 8, 9: try addIndexing()
    case 10: try addChoice()
    default: try addFolding()
    }
  }

  private mutating func addIntegerArithmetic() throws {
    let value = pick(.int32)
    let functions: [BinaryFunction] =
      BinaryFunction.comparisons + BinaryFunction.logic + [
        .add, .add, .subtract, .multiply, .maximum, .minimum, .modulo, .floorDivide, .gate,
      ]
    let function = functions.randomElement(using: &generator) ?? .add
    switch Int.random(in: 0..<4, using: &generator) {
    case 0: try add(BinaryFunctionOperator(function, number: 3), value)
    case 1:
      let (second, third) = (partner(of: value), partner(of: value))
      try add(AddOperator(inputCount: 3), value, second, third)
    default:
      // Often uses the value itself: x + f(x) and x · x.
      let other = partner(of: value)
      try add(BinaryFunctionOperator(function), value, other)
    }
  }

  private mutating func addConversion() throws {
    if Bool.random(using: &generator) {
      try add(CastOperator(to: .int32), pick(.float32))
    } else {
      // Uses small numbers, so that sums of floats stay exact.
      let small = try add(BinaryFunctionOperator(.modulo, number: 64), pick(.int32))
      try add(CastOperator(to: .float32), small)
    }
  }

  private mutating func addRealArithmetic() throws {
    let value = pick(.float32)
    let other = partner(of: value)
    switch Int.random(in: 0..<5, using: &generator) {
    case 0: try add(RoundOperator(to: .bfloat16), value)
    case 1: try add(RoundOperator(to: .float16), value)
    case 2: try add(BinaryFunctionOperator(.isLess), value, other)
    case 3: try add(BinaryFunctionOperator(.maximum), value, other)
    default:
      let sum = try add(BinaryFunctionOperator(.add), value, other)
      try add(ClipOperator(minimum: -64, maximum: 64), sum)
    }
  }

  private mutating func addMove() throws {
    let value = pick(Bool.random(using: &generator) ? .int32 : .float32)
    let shape: Shape = value.type.shape
    guard shape.rank == 4 else {
      try add(ReshapeStaticOperator(targetShape: [1, 1, 1, shape.count]), value)
      return
    }
    switch Int.random(in: 0..<7, using: &generator) {
    case 0: try add(TransposeOperator(axes: [0, 2, 3, 1]), value)
    case 1: try add(TransposeOperator(axes: [0, 3, 1, 2]), value)
    case 2: try add(ReverseOperator(isReversed: [false, true, false, true]), value)
    case 3 where shape.count < 400: try add(TileOperator(repetitions: [1, 2, 1, 1]), value)
    case 4 where shape.count < 400:
      try add(ConstantPadOperator(value: 2, amounts: [0, 0, 1, 0, 0, 0, 0, 1]), value)
    case 5 where shape.count < 400:
      let other = pick(value.type.element, like: value.type)
      if other.type == value.type { try add(ConcatNDOperator(axis: 1), value, other) }
    default:
      try add(
        ReshapeStaticOperator(targetShape: [shape[0], shape[3], shape[1], shape[2]]), value)
    }
  }

  private mutating func addIndexing() throws {
    let value = pick(Bool.random(using: &generator) ? .int32 : .float32)
    let shape: Shape = value.type.shape
    let axis = Int.random(in: 0..<shape.rank, using: &generator)
    let extent = Int64(shape[axis])
    let element: ElementType = Bool.random(using: &generator) ? .int32 : .float32
    var named: Shape = shape
    named[axis] = 2
    switch Int.random(in: 0..<5, using: &generator) {
    case 0:
      let indices = constant([3], -extent...(extent - 1), element)
      try add(GatherOperator(axis: axis), value, indices)
    case 1:
      let indices = constant(named, -extent...(extent - 1), element)
      try add(GatherAlongAxisOperator(axis: axis), value, indices)
    case 2:
      let indices = constant([2, 1], 0...Int64(shape[0] - 1), element)
      try add(GatherNDOperator(), value, indices)
    default:
      let indices = constant([2], 0...(extent - 1), element)
      let updates = constant(named, -4...4, value.type.element)
      let modes: [ScatterMode] = [.update, .add, .subtract, .maximum, .minimum]
      let mode = modes.randomElement(using: &generator) ?? .update
      let changed = try add(ScatterOperator(axis: axis, mode: mode), value, indices, updates)
      if value.type.element == .float32 {
        try add(ClipOperator(minimum: -64, maximum: 64), changed)
      }
    }
  }

  private mutating func addChoice() throws {
    let value = pick(Bool.random(using: &generator) ? .int32 : .float32)
    let other = pick(value.type.element, like: value.type)
    let condition = pick(Bool.random(using: &generator) ? .int32 : .float32, like: value.type)
    guard other.type.shape == value.type.shape, condition.type.shape == value.type.shape else {
      return
    }
    try add(WhereBroadcastableOperator(), condition, value, other)
  }

  private mutating func addFolding() throws {
    let value = pick(.int32)
    let axis = Int.random(in: 0..<value.type.shape.rank, using: &generator)
    switch Int.random(in: 0..<3, using: &generator) {
    case 0: try add(CumSumOperator(axis: axis), value)
    case 1:
      let folded = try add(ReduceAxesOperator(.maximum, axes: [axis], keepsAxes: true), value)
      try add(BinaryFunctionOperator(.subtract), value, folded)
    default: try add(ArgSortOperator(axis: axis), value)
    }
  }
}

extension TensorType {
  fileprivate func equals(_ other: TensorType) -> Bool { shape == other.shape }
}
