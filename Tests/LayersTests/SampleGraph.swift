import Engine
import OperatorSamples
import Operators

/// A graph put together at random of samples of all operators: what one makes is what others read, cast,
/// reshaped and brought into the range that they were sampled in.
///
/// The values are computed by the operators' definitions while the graph grows. Beside them goes a shadow:
/// the same computed from inputs that differ by what kernels may round. Where both are equal, plans must
/// give the value to the last bit; elsewhere they must come as close as the shadow does.
struct SampleGraph {
  /// A value with what it must be.
  struct Value {
    let id: Graph.ValueID
    let tensor: ReferenceTensor
    /// The value from rounded inputs; nil where no kernel may differ.
    let shadow: ReferenceTensor?

    var type: TensorType { tensor.type }
    /// Tensors that shape rules and definitions may be given.
    var known: OperatorInput { OperatorInput(tensor.type, value: tensor) }
  }

  var graph = Graph()
  /// Decides what the graph is; the values of inputs have a generator of their own.
  var generator: SampleGenerator
  var inputGenerator: SampleGenerator
  private var noiseGenerator: SampleGenerator
  let precision: Precision
  /// What others may read.
  private(set) var pool: [Value] = []
  /// What the graph is to be run with.
  private(set) var inputs: [ReferenceTensor] = []
  /// What must come out, one an output of the graph.
  private(set) var expected: [Value] = []
  /// The inputs that are kept between runs, and what they are after a run; nil for those that are only read.
  private(set) var kept: [(input: Int, value: Value?)] = []
  /// What was put in, for messages.
  private(set) var recipe: [String] = []
  /// The groups of samples and the operators made here that occur.
  var used: Set<String> = []

  /// The graph of a seed: the same on every machine. One of so many neighbouring seeds has every sample.
  ///
  /// - Parameter run: gives the inputs other values. The graph is the same unless it depends on values, which its
  ///   recipe tells.
  init(seed: UInt64, run: UInt64 = 0, precision: Precision, fragments count: Int = 4) throws {
    generator = SampleGenerator(seed: seed &* 0x9E37_79B9)
    inputGenerator = SampleGenerator(seed: (seed &* 31 &+ run) &* 0x9E37_79B9 &+ 5)
    noiseGenerator = SampleGenerator(seed: seed &* 0x9E37_79B9 &+ 3)
    self.precision = precision
    let groups = SampleFragment.groups
    for offset in 0..<count {
      let turn = Int(truncatingIfNeeded: seed) * count + offset
      // Neighbours in the catalogue shall meet others too.
      let group = groups[turn % groups.count * 389 % groups.count]
      guard !group.fragments.isEmpty else { continue }
      try place(group.fragments[turn / groups.count % group.fragments.count])
      used.insert(group.name)
      if Int.random(in: 0..<6, using: &generator) == 0 { try addMade() }
    }
    chooseOutputs()
  }

  // MARK: Growing

  /// Adds a node.
  ///
  /// - Parameter fixed: the operands that say where or how many, which no rounding changes.
  @discardableResult
  mutating func add(
    _ operation: any Operator, _ operands: [Value], outputs count: Int = 1,
    tolerance: OperatorSample.Tolerance = .exact, regions: [Graph.Region] = [],
    fixed: Set<Int> = []
  ) throws -> [Value] {
    let tensors: [ReferenceTensor]
    var shadows: [ReferenceTensor]?
    let mayDiffer: Bool = operands.contains { $0.shadow != nil } || tolerance.relative > 0
    let given: [ReferenceTensor] = operands.map(\.tensor)
    // Each operand apart, also where two are one value: what cancels out does so but for rounding.
    var moved: [ReferenceTensor] = []
    for (position, operand) in operands.enumerated() {
      let tensor: ReferenceTensor = operand.shadow ?? operand.tensor
      let isFixed: Bool = tolerance.relative == 0 || fixed.contains(position)
      moved.append(isFixed ? tensor : shifted(tensor, by: 0))
    }
    if regions.isEmpty {
      guard let types = try operation.outputTypes(for: operands.map(\.known)) else {
        throw EngineError(.unsupported, "\(operation.name) has no type even with values known.")
      }
      tensors = try operation.define(given, types: types).map(Self.kept)
      if mayDiffer {
        let types = try operation.outputTypes(
          for: moved.map { OperatorInput($0.type, value: $0) })
        shadows = try types.map { try operation.define(moved, types: $0) }
      }
    } else {
      let alone = Self.graph(of: operation, regions, given.map(\.type), outputs: count)
      tensors = try alone.definition(given).compactMap { $0 }
      if mayDiffer { shadows = try alone.definition(moved).compactMap { $0 } }
    }
    let names = operands.map { graph[$0.id].name }.joined(separator: ", ")
    let made: [Value] = tensors.enumerated().map { position, tensor in
      let id = graph.addValue("v\(graph.values.count)")
      return Value(id: id, tensor: tensor, shadow: shadow(shadows?[position], tensor, tolerance))
    }
    graph.nodes.append(
      Graph.Node(
        name: "n\(graph.nodes.count)", operation: operation, inputs: operands.map(\.id),
        outputs: made.map(\.id), regions: regions))
    recipe.append(
      "\(made.map { "\(graph[$0.id].name): \($0.type)" }.joined(separator: ", "))"
        + " = \(operation)(\(names))")
    pool += made
    return made
  }

  /// A node of a graph of its own, for its definition.
  private static func graph(
    of operation: any Operator, _ regions: [Graph.Region], _ types: [TensorType], outputs: Int
  ) -> Graph {
    var graph = Graph()
    graph.inputs = types.enumerated().map { graph.addValue("a\($0)", type: $1) }
    graph.outputs = (0..<outputs).map { graph.addValue("b\($0)") }
    graph.nodes = [
      Graph.Node(
        name: "alone", operation: operation, inputs: graph.inputs, outputs: graph.outputs,
        regions: regions)
    ]
    return graph
  }

  /// Between nodes, float32 is kept as the definitions make it and other types as memory holds them.
  private static func kept(_ tensor: ReferenceTensor) -> ReferenceTensor {
    tensor.element == .float32 ? tensor : tensor.stored
  }

  /// The shadow of what a node makes: nil where it is what memory holds and no kernel may round.
  private mutating func shadow(
    _ other: ReferenceTensor?, _ tensor: ReferenceTensor, _ tolerance: OperatorSample.Tolerance
  ) -> ReferenceTensor? {
    guard tensor.element.isFloatingPoint else {
      return other == nil || other == tensor || tolerance.relative > 0 ? nil : other
    }
    let narrow: ElementType = narrow(tensor.element)
    let isHeld: Bool = tensor.values.allSatisfy { narrow.rounded($0) == $0 || $0.isNaN }
    if tolerance.relative == 0, isHeld, other == nil || other == tensor { return nil }
    let result: ReferenceTensor = other?.shape == tensor.shape ? other ?? tensor : tensor
    let most: Double = tensor.values.reduce(0) { $1.isFinite ? max($0, abs($1)) : $0 }
    let noise: Double = most * tolerance.relative(narrow == .bfloat16 ? .bfloat16 : .float32)
    return shifted(result, by: noise)
  }

  /// The smallest type that plans may keep a value in.
  private func narrow(_ element: ElementType) -> ElementType {
    precision == .bfloat16 ? .bfloat16 : element
  }

  /// Every element moved by what rounding may change, and by so much more.
  private mutating func shifted(_ tensor: ReferenceTensor, by noise: Double) -> ReferenceTensor {
    guard tensor.element.isFloatingPoint else { return tensor }
    let grain: Double = Self.grain[narrow(tensor.element)] ?? 0
    var result = tensor
    for index in result.values.indices {
      let sign: Double = Bool.random(using: &noiseGenerator) ? 1 : -1
      result.values[index] += sign * (noise + grain * abs(result.values[index]))
    }
    return result
  }

  /// What rounding changes a value by, relative to it.
  private static let grain: [ElementType: Double] = [
    .float32: 0x1p-23, .float16: 0x1p-10, .bfloat16: 0x1p-7, .float64: 0x1p-50,
  ]

  /// A new input of the graph.
  mutating func addInput(_ tensor: ReferenceTensor) -> Value {
    let id = graph.addValue("x\(inputs.count)", type: tensor.type)
    graph.inputs.append(id)
    inputs.append(tensor)
    recipe.append("x\(inputs.count - 1): \(tensor.type)")
    let value = Value(
      id: id, tensor: tensor, shadow: shadow(nil, tensor, .exact))
    pool.append(value)
    return value
  }

  /// Notes that an input is kept between runs, and what it is then.
  mutating func keep(_ input: Value, as value: Value?) {
    guard let position = graph.inputs.firstIndex(of: input.id) else { return }
    kept.append((position, value))
    recipe.append("x\(position) is kept, \(value.map { graph[$0.id].name } ?? "only read")")
  }

  mutating func addConstant(_ tensor: ReferenceTensor) -> Value {
    let id = graph.addConstant(Constant(tensor), name: "c\(graph.values.count)")
    return Value(id: id, tensor: tensor, shadow: shadow(nil, tensor, .exact))
  }

  // MARK: Samples

  private mutating func place(_ fragment: SampleFragment) throws {
    var operands: [Value] = []
    for input in fragment.inputs {
      let mustBeExact: Bool = !fragment.isContinuous || !input.isData
      if let same = operands.last(where: { $0.type == input.type }), input.isData,
        Int.random(in: 0..<5, using: &generator) == 0
      {
        operands.append(same)
        continue
      }
      operands.append(try operand(input, of: fragment, mustBeExact))
    }
    recipe.append("# \(fragment.name)")
    let fixed = Set(fragment.inputs.indices.filter { fragment.isFixed($0) })
    let made = try add(
      fragment.operation, operands, outputs: fragment.outputCount, tolerance: fragment.tolerance,
      fixed: fixed)
    // x + f(x), where both are of one shape.
    guard let first = made.first, Int.random(in: 0..<3, using: &generator) == 0,
      let partner = operands.first(where: { $0.type == first.type }),
      first.type.element != .bool
    else { return }
    try add(
      AddOperator(inputCount: 2), [partner, first],
      tolerance: first.type.element.isInteger ? .exact : .rounding)
  }

  private mutating func operand(
    _ input: SampleFragment.Input, of fragment: SampleFragment, _ mustBeExact: Bool
  ) throws -> Value {
    if Int.random(in: 0..<4, using: &generator) > 0, input.constant == nil,
      let value = try reused(for: input, of: fragment, mustBeExact)
    {
      return value
    }
    let tensor = fragment.values(of: input, &generator)
    let isFixed: Bool
    if case .values = input.fill { isFixed = true } else { isFixed = !input.isData }
    let odds: Int = input.constant != nil ? 4 : isFixed ? 2 : 1
    if Int.random(in: 0..<odds, using: &generator) > 0 { return addConstant(tensor) }
    let value = addInput(fragment.values(of: input, &inputGenerator))
    // In bfloat16 even an input may be rounded: a table of places is then read as a constant.
    return value.shadow != nil && mustBeExact ? addConstant(tensor) : value
  }

  /// A value that others have made, as this operand.
  private mutating func reused(
    for input: SampleFragment.Input, of fragment: SampleFragment, _ mustBeExact: Bool
  ) throws -> Value? {
    let known = pool.filter { value in
      (1...4096).contains(value.type.shape.count) && value.tensor.reals.allSatisfy(\.isFinite)
    }
    guard var value = known.randomElement(using: &generator) else { return nil }
    if let last = known.last, Bool.random(using: &generator) { value = last }
    let isMoved: Bool = input.isData && fragment.operation is any MovingOperator
    return try fitted(value, to: input, isMoved: isMoved, mustBeExact: mustBeExact)
  }

  // MARK: Outputs

  /// What nobody reads, and some of what others do.
  private mutating func chooseOutputs() {
    let read = Set(graph.nodes.flatMap(\.inputs))
    for value in pool where !graph.inputs.contains(value.id) {
      let isKept: Bool = kept.contains { $0.value?.id == value.id }
      if isKept || !read.contains(value.id) || Int.random(in: 0..<6, using: &generator) == 0 {
        graph.outputs.append(value.id)
        expected.append(value)
      }
    }
    graph.kept = kept.map { input, value in
      Graph.Kept(input: input, output: value.flatMap { graph.outputs.firstIndex(of: $0.id) })
    }
  }
}
