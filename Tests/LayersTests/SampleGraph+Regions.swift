import Engine
import OperatorSamples
import Operators

extension SampleGraph {
  /// The operators that ``addMade()`` adds.
  static let made: [any Operator.Type] = [
    BranchOperator.self, LoopOperator.self, LoopBreakOperator.self, LoopContinueOperator.self,
    CustomLayer.self,
  ]

  /// Adds a branch, a loop, a loop with an early exit, or a custom layer.
  mutating func addMade() throws {
    var value: Value?
    for known in pool.shuffled(using: &generator) where value == nil {
      let isFloat: Bool = known.type.element == .float32
      guard isFloat || known.type.element == .int32, known.type.shape.rank > 0,
        (1...512).contains(known.type.shape.count), known.tensor.reals.allSatisfy(\.isFinite)
      else { continue }
      value = known
    }
    guard let value else { return }
    switch Int.random(in: 0..<6, using: &generator) {
    case 0 where value.type.element == .float32:
      used.insert(CustomLayer.declaration.name)
      try add(Summing.layer, [value], tolerance: .rounding)
    case 1 where value.type.element == .float32: try addState(value)
    case 0, 1, 2: try addBranch(value)
    default: try addLoop(value)
    }
  }

  /// Adds a custom layer that reads a state tensor. Sometimes the layer's output also becomes the new state. A state that is
  /// only read may be in memory as float16.
  private mutating func addState(_ value: Value) throws {
    used.insert(CustomLayer.declaration.name)
    let numbers: [Double] = (0..<value.type.shape.count).map { _ in
      ElementType.float16.rounded(
        Double(BFloat16.nearest(to: inputGenerator.uniform(-1...1))))
    }
    let old = addInput(ReferenceTensor(value.type.shape, numbers))
    let sum = try add(Summing.layer, [old, value], tolerance: .rounding)[0]
    let isChanged = Bool.random(using: &generator)
    if !isChanged, Bool.random(using: &generator) { graph[old.id].narrowType = .float16 }
    keep(old, as: isChanged ? sum : nil)
  }

  private mutating func addBranch(_ value: Value) throws {
    used.insert(BranchOperator.declaration.name)
    let truth = Int64.random(in: 0...1, using: &inputGenerator)
    let condition = addInput(ReferenceTensor([1], integerValues: [truth], .int32))
    let sides = [body(value.type), body(value.type)].map(Graph.Region.init)
    try add(BranchOperator(), [condition, value], tolerance: tolerance(value), regions: sides)
  }

  /// Adds a loop over a value and a counter. Sometimes the loop has a break or a continue.
  private mutating func addLoop(_ value: Value) throws {
    used.insert(LoopOperator.declaration.name)
    let counter = addInput(ReferenceTensor([1], integerValues: [0], .int32))
    var iteration = body(value.type)
    let count = iteration.addValue("iteration", type: counter.type)
    iteration.inputs.append(count)
    let next = append(
      BinaryFunctionOperator(.add, number: 1), [count], to: &iteration)
    var state = iteration.outputs[0]
    if Bool.random(using: &generator) {
      let isLast = append(BinaryFunctionOperator(.isGreater, number: 1), [next], to: &iteration)
      let exit: any ControlOperator =
        Bool.random(using: &generator) ? LoopBreakOperator() : LoopContinueOperator()
      used.insert(exit.name)
      var side = body(value.type)
      side.nodes.append(
        Graph.Node(
          name: "exit", operation: exit, inputs: [], outputs: [], leaving: side.outputs))
      let output = iteration.addValue("result")
      iteration.nodes.append(
        Graph.Node(
          name: "early", operation: BranchOperator(), inputs: [isLast, state], outputs: [output],
          regions: [Graph.Region(side), .passing(1, of: ["result"])], leaving: [state, next]))
      state = append(tame(value.type), [output], to: &iteration)
    }
    iteration.outputs = [state, next]
    let most = Int.random(in: 1...4, using: &generator)
    let rule: LoopRule
    var regions = [Graph.Region(iteration)]
    var operands = [value, counter]
    switch Int.random(in: 0..<3, using: &generator) {
    case 0: rule = LoopRule(hasCondition: false, most: most)
    case 1:
      rule = LoopRule(hasCondition: false, countsByInput: true)
      let count = Int64.random(in: 1...4, using: &inputGenerator)
      operands.insert(addInput(ReferenceTensor([1], integerValues: [count], .int32)), at: 0)
    default:
      rule = LoopRule(hasCondition: true, most: 9)
      var condition = Graph()
      condition.inputs = [
        condition.addValue("x", type: value.type), condition.addValue("n", type: counter.type),
      ]
      let goesOn = append(
        BinaryFunctionOperator(.isLess, number: Float(most)), [condition.inputs[1]],
        to: &condition)
      condition.outputs = [goesOn] + condition.inputs
      regions.insert(Graph.Region(condition), at: 0)
    }
    try add(
      LoopOperator(rule), operands, outputs: 2, tolerance: tolerance(value), regions: regions)
  }

  private func tolerance(_ value: Value) -> OperatorSample.Tolerance {
    value.type.element.isInteger ? .exact : .accumulation
  }

  /// Builds a region with one input that computes a value of the input's type.
  private mutating func body(_ type: TensorType) -> Graph {
    var graph = Graph()
    graph.inputs = [graph.addValue("x", type: type)]
    var value = graph.inputs[0]
    let reversed: [Bool] = type.shape.dimensions.map { _ in Bool.random(using: &generator) }
    for _ in 0..<Int.random(in: 1...3, using: &generator) {
      var operators: [any Operator] = [
        ReverseOperator(isReversed: reversed), CopyOperator(), CumSumOperator(axis: 0),
        BinaryFunctionOperator(.maximum, number: -3),
      ]
      operators +=
        type.element.isInteger
        ? [BinaryFunctionOperator(.floorDivide, number: 3)]
        : [
          UnaryFunctionOperator(.tanh), ActivationOperator(.sigmoid), SoftmaxNDOperator(axis: -1),
          Summing.layer, Summing.layer,
        ]
      let chosen = operators.randomElement(using: &generator) ?? CopyOperator()
      value = append(chosen, [value], to: &graph)
      value = append(tame(type), [value], to: &graph)
      if Bool.random(using: &generator) {
        value = append(AddOperator(inputCount: 2), [value, graph.inputs[0]], to: &graph)
      }
    }
    graph.outputs = [append(tame(type), [value], to: &graph)]
    return graph
  }

  /// Returns an operator that keeps values bounded in all iterations of a loop.
  private func tame(_ type: TensorType) -> any Operator {
    type.element.isInteger
      ? BinaryFunctionOperator(.modulo, number: 0x1p20) : ClipOperator(minimum: -2, maximum: 2)
  }

  private func append(
    _ operation: any Operator, _ inputs: [Graph.ValueID], to graph: inout Graph
  ) -> Graph.ValueID {
    let output = graph.addValue("r\(graph.values.count)")
    graph.nodes.append(
      Graph.Node(
        name: "m\(graph.nodes.count)", operation: operation, inputs: inputs, outputs: [output]))
    return output
  }
}

/// A custom layer as a user would write it. It returns the sum of its inputs. A single input is doubled.
private final class Summing: CustomLayerImplementation {
  static var layer: CustomLayer {
    CustomLayer(className: "Summing", implementation: Summing())
  }

  func outputShapes(for inputs: [Shape]) throws -> [Shape] { [inputs[0]] }

  func evaluate(inputs: [CustomLayerTensor], outputs: [CustomLayerTensor]) throws {
    let second: CustomLayerTensor = inputs[inputs.count - 1]
    for index in 0..<inputs[0].shape.count {
      outputs[0].data[index] = inputs[0].data[index] + second.data[index]
    }
  }
}
