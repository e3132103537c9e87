import Engine
import OperatorSamples
import Operators

extension SampleGraph {
  /// The operators that ``addMade()`` adds.
  static let made: [any Operator.Type] = [
    BranchOperator.self, LoopOperator.self, LoopBreakOperator.self, LoopContinueOperator.self,
    CustomLayer.self,
  ]

  /// Adds a branch, a loop, one that is left early, or a class of the caller's own.
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

  /// A class of the caller's that reads a tensor which is kept between runs, and perhaps what the tensor is then.
  private mutating func addState(_ value: Value) throws {
    used.insert(CustomLayer.declaration.name)
    let numbers: [Double] = (0..<value.type.shape.count).map { _ in
      Double(BFloat16.nearest(to: inputGenerator.uniform(-1...1)))
    }
    let old = addInput(ReferenceTensor(value.type.shape, numbers))
    let sum = try add(Summing.layer, [old, value], tolerance: .rounding)[0]
    keep(old, as: Bool.random(using: &generator) ? sum : nil)
  }

  private mutating func addBranch(_ value: Value) throws {
    used.insert(BranchOperator.declaration.name)
    let truth = Int64.random(in: 0...1, using: &inputGenerator)
    let condition = addInput(ReferenceTensor([1], wholes: [truth], .int32))
    let sides = [body(value.type), body(value.type)].map(Graph.Region.init)
    try add(BranchOperator(), [condition, value], tolerance: tolerance(value), regions: sides)
  }

  /// Some turns of a value and of a counter, perhaps left or cut short at one of them.
  private mutating func addLoop(_ value: Value) throws {
    used.insert(LoopOperator.declaration.name)
    let counter = addInput(ReferenceTensor([1], wholes: [0], .int32))
    var turn = body(value.type)
    let count = turn.addValue("turn", type: counter.type)
    turn.inputs.append(count)
    let next = append(
      BinaryFunctionOperator(.add, number: 1), [count], to: &turn)
    var carried = turn.outputs[0]
    if Bool.random(using: &generator) {
      let isLast = append(BinaryFunctionOperator(.isGreater, number: 1), [next], to: &turn)
      let exit: any ControlOperator =
        Bool.random(using: &generator) ? LoopBreakOperator() : LoopContinueOperator()
      used.insert(exit.name)
      var side = body(value.type)
      side.nodes.append(
        Graph.Node(
          name: "exit", operation: exit, inputs: [], outputs: [], leaving: side.outputs))
      let output = turn.addValue("kept")
      turn.nodes.append(
        Graph.Node(
          name: "early", operation: BranchOperator(), inputs: [isLast, carried], outputs: [output],
          regions: [Graph.Region(side), .passing(1, of: ["kept"])], leaving: [carried, next]))
      carried = append(tame(value.type), [output], to: &turn)
    }
    turn.outputs = [carried, next]
    let most = Int.random(in: 1...4, using: &generator)
    let rule: LoopRule
    var regions = [Graph.Region(turn)]
    var operands = [value, counter]
    switch Int.random(in: 0..<3, using: &generator) {
    case 0: rule = LoopRule(hasCondition: false, most: most)
    case 1:
      rule = LoopRule(hasCondition: false, countsByInput: true)
      let count = Int64.random(in: 1...4, using: &inputGenerator)
      operands.insert(addInput(ReferenceTensor([1], wholes: [count], .int32)), at: 0)
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

  /// A region that makes a value of the same type from one.
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

  /// Keeps turns from growing without end.
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

/// A class as a user would bring it: the sum of its inputs, of a single one twice that.
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
