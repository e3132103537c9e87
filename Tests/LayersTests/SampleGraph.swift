import Engine
import OperatorSamples
import Operators

/// A random graph of samples of all operators. Each operator reads values that earlier operators computed. The graph
/// first casts, reshapes and clamps such a value to the type, the shape and the range that the operator's sample needs.
///
/// While the graph is built, the operators' reference implementations compute its values. For most values, they also
/// compute a second version, the *shadow*. It results from operands that are changed by the rounding error that kernels
/// may introduce. If a value has no shadow, plans must match it exactly. Otherwise, the error of a plan may be up to
/// eight times the error of the shadow (see `complaint` in SampleGraphTests.swift).
struct SampleGraph {
  /// A value of the graph with its expected contents.
  struct Value {
    let id: Graph.ValueID
    let tensor: ReferenceTensor
    /// The shadow of the value (see ``SampleGraph``). Nil if every kernel must match the value exactly.
    let shadow: ReferenceTensor?

    var type: TensorType { tensor.type }
    /// The value as an operator's input, for shape inference and reference implementations.
    var known: OperatorInput { OperatorInput(tensor.type, value: tensor) }
  }

  var graph = Graph()
  /// The generator that determines the structure of the graph. Another generator, `inputGenerator`, fills the inputs.
  var generator: SplitMix64
  var inputGenerator: SplitMix64
  private var noiseGenerator: SplitMix64
  let precision: Precision
  /// The values that later nodes may read.
  private(set) var pool: [Value] = []
  /// The inputs for running the graph.
  private(set) var inputs: [ReferenceTensor] = []
  /// The expected values, one for each output of the graph.
  private(set) var expected: [Value] = []
  /// The positions of the inputs that are states, and the states' values after a run. A value is nil if the graph only
  /// reads the state.
  private(set) var states: [(input: Int, value: Value?)] = []
  /// A description of the added nodes, for messages.
  private(set) var recipe: [String] = []
  /// The names of the sample groups and of the generated operators that the graph contains.
  var used: Set<String> = []

  /// Builds the graph for a seed. The graph for a seed is identical on every machine. Enough consecutive seeds together
  /// contain every sample.
  ///
  /// - Parameter run: a second seed, which changes only the values of the inputs. The graph stays the same, unless its
  ///   structure depends on these values. A different graph has a different recipe.
  init(seed: UInt64, run: UInt64 = 0, precision: Precision, fragments count: Int = 4) throws {
    generator = SplitMix64(seed: seed &* 0x9E37_79B9)
    inputGenerator = SplitMix64(seed: (seed &* 31 &+ run) &* 0x9E37_79B9 &+ 5)
    noiseGenerator = SplitMix64(seed: seed &* 0x9E37_79B9 &+ 3)
    self.precision = precision
    let groups = SampleFragment.groups
    for offset in 0..<count {
      let step = Int(truncatingIfNeeded: seed) * count + offset
      // The stride through the catalogue also combines operators that are not adjacent in the catalogue. It is a prime
      // that is larger than the catalogue, so the steps visit every group.
      let group = groups[step % groups.count * 7919 % groups.count]
      guard !group.fragments.isEmpty else { continue }
      try add(group.fragments[step / groups.count % group.fragments.count])
      used.insert(group.name)
      if Int.random(in: 0..<6, using: &generator) == 0 { try addMade() }
    }
    chooseOutputs()
  }

  // MARK: Building

  /// Adds a node.
  ///
  /// - Parameter fixed: the indices of the operands that hold indices or counts. These operands must not be rounded.
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
    // Each operand is perturbed separately, even if two operands are the same value. Kernels may round the two
    // differently. So a difference of equal operands may not be zero.
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
      tensors = try operation.define(given, types: types).map(Self.stored)
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

  /// Builds a graph with a single node, for running the node's reference implementation.
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

  /// Returns the value as memory stores it between nodes. float32 stays unchanged, and other types are rounded.
  private static func stored(_ tensor: ReferenceTensor) -> ReferenceTensor {
    tensor.element == .float32 ? tensor : tensor.stored
  }

  /// Returns the shadow of a node's output. Nil if memory stores the value exactly and no kernel may round it.
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

  /// Returns the smallest type in which plans may store a value of this type.
  private func narrow(_ element: ElementType) -> ElementType {
    precision == .bfloat16 ? .bfloat16 : element
  }

  /// Perturbs every element by the largest rounding error plus the given noise.
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

  /// The relative rounding error of each element type.
  private static let grain: [ElementType: Double] = [
    .float32: 0x1p-23, .float16: 0x1p-10, .bfloat16: 0x1p-7, .float64: 0x1p-50,
  ]

  /// Adds an input to the graph.
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

  /// Records that an input is a state, and the value that the state has after a run.
  mutating func keep(_ input: Value, as value: Value?) {
    guard let position = graph.inputs.firstIndex(of: input.id) else { return }
    states.append((position, value))
    recipe.append("x\(position) is state, \(value.map { graph[$0.id].name } ?? "only read")")
  }

  mutating func addConstant(_ tensor: ReferenceTensor) -> Value {
    let id = graph.addConstant(Constant(tensor), name: "c\(graph.values.count)")
    return Value(id: id, tensor: tensor, shadow: shadow(nil, tensor, .exact))
  }

  // MARK: Samples

  private mutating func add(_ fragment: SampleFragment) throws {
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
    // Sometimes adds x + f(x), if the type of f(x) equals the type of an operand x.
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
    // In bfloat16, plans may round even an input. So an operand that must be exact becomes a constant.
    return value.shadow != nil && mustBeExact ? addConstant(tensor) : value
  }

  /// Reuses an earlier value as an operand.
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

  /// Chooses the graph's outputs: all values that no node reads, all new values of states, and some of the other
  /// values.
  private mutating func chooseOutputs() {
    let read = Set(graph.nodes.flatMap(\.inputs))
    for value in pool where !graph.inputs.contains(value.id) {
      let isState: Bool = states.contains { $0.value?.id == value.id }
      if isState || !read.contains(value.id) || Int.random(in: 0..<6, using: &generator) == 0 {
        graph.outputs.append(value.id)
        expected.append(value)
      }
    }
    graph.states = states.map { input, value in
      Graph.State(input: input, output: value.flatMap { graph.outputs.firstIndex(of: $0.id) })
    }
  }
}
