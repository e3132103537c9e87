import NetworkRuns
import Operators
import Testing
import ThreadClock

@testable import Engine

/// Tests the overhead of a loop iteration: it must not plan, look up or allocate anything.
@Suite("The cost of loops", .serialized)
struct LoopCostTests {
  /// The computation of one iteration.
  enum Body: String, Sendable, CaseIterable, CustomTestStringConvertible {
    /// A recurrent layer: a matrix product, a sum and an activation.
    case memory
    /// A recurrent layer that also stores its state in a list in each iteration.
    case list

    /// The ratio of the loop's time to the unrolled form's time on a quiet machine. With this ratio, the measurement
    /// ends early. For lists it is larger: each iteration of the loop writes a list row at an index that is only known
    /// during the run (the counter). This write takes as long as the small body. In the unrolled form, all indices are
    /// known in advance.
    var quietRatio: Double { self == .memory ? 1.5 : 2.5 }

    var testDescription: String { rawValue }
  }

  private static let width = 256
  private static let iterations = 1000

  /// Adds the nodes of one iteration. Returns the next state and the next list.
  private static func add(_ body: Body, _ values: [Graph.ValueID], to graph: inout Graph) throws
    -> [Graph.ValueID]
  {
    func node(_ operation: any Operator, _ inputs: [Graph.ValueID]) -> Graph.ValueID {
      let output = graph.addValue("v\(graph.values.count)")
      graph.nodes.append(
        Graph.Node(
          name: "n\(graph.nodes.count)", operation: operation, inputs: inputs, outputs: [output]))
      return output
    }
    let (state, weights, iteration) = (values[0], values[1], values[2])
    let product = node(BatchedMatMulOperator(), [state, weights])
    let sum = node(AddOperator(inputCount: 2), [product, state])
    let next = node(UnaryFunctionOperator(.tanh), [sum])
    let count = node(BinaryFunctionOperator(.add, number: 1), [iteration])
    guard body == .list else { return [next, weights, count] }
    return [
      next, weights, count, node(ListWriteOperator(grows: false), [values[3], iteration, next]),
    ]
  }

  private static func types(_ body: Body) -> [TensorType] {
    let types = [
      TensorType([1, width]), TensorType([width, width]), TensorType([1], .int32),
    ]
    return body == .list ? types + [TensorType([iterations, width])] : types
  }

  private static func loop(_ body: Body) throws -> Graph {
    let types = types(body)
    func empty() -> Graph {
      var graph = Graph()
      graph.inputs = types.enumerated().map { graph.addValue("a\($0)", type: $1) }
      return graph
    }
    var (condition, iteration, graph) = (empty(), empty(), empty())
    let goesOn = condition.addValue("goes on")
    condition.nodes = [
      Graph.Node(
        name: "less", operation: BinaryFunctionOperator(.isLess, number: Float(iterations)),
        inputs: [condition.inputs[2]], outputs: [goesOn])
    ]
    condition.outputs = [goesOn] + condition.inputs
    iteration.outputs = try add(body, iteration.inputs, to: &iteration)
    graph.outputs = types.indices.map { graph.addValue("b\($0)") }
    graph.nodes = [
      Graph.Node(
        name: "loop", operation: LoopOperator(LoopRule(hasCondition: true)), inputs: graph.inputs,
        outputs: graph.outputs, regions: [Graph.Region(condition), Graph.Region(iteration)])
    ]
    return graph
  }

  /// Builds the unrolled form: the body, repeated once for each iteration.
  private static func straight(_ body: Body) throws -> Graph {
    var graph = Graph()
    graph.inputs = types(body).enumerated().map { graph.addValue("a\($0)", type: $1) }
    var values: [Graph.ValueID] = graph.inputs
    for _ in 0..<iterations { values = try add(body, values, to: &graph) }
    graph.outputs = [values[0]] + values.dropFirst(2)
    return graph
  }

  /// The largest allowed ratio of the loop's time to the unrolled form's time. Other programs on the machine use the
  /// shared caches and slow loops down more than unrolled code: the ratio is 1.9 while a compiler runs. Planning or a
  /// look-up in each iteration would cost ten times as much.
  private static let largestRatio = 3.0

  @Test(
    "A while loop of 1,000 iterations costs little more than its body",
    .enabled(if: ThreadClock.isMeaningful), arguments: Body.allCases)
  func ratio(body: Body) throws {
    let options = ExecutionOptions(threads: 1, loopLimit: 2 * Self.iterations)
    let types = Self.types(body)
    let plans: [PreparedPlan] = try [Self.loop(body), Self.straight(body)].map {
      try Network($0, passes: GraphPasses.standard, options: options).plan(for: types)
    }
    let inputs: [ReferenceTensor] = types.map { type in
      type.element == .int32
        ? ReferenceTensor(type.shape, integerValues: [0], .int32)
        : ReferenceTensor(type.shape, (0..<type.shape.count).map { Double($0 % 7 - 3) / 64 })
    }
    /// Runs the plan once. Returns the processor time in nanoseconds and the final state.
    func run(_ plan: PreparedPlan) throws -> (time: Int, state: ReferenceTensor) {
      try plan.withSession { session in
        session.give(inputs)
        let start = ThreadClock.now()
        try session.run()
        let time: Int = ThreadClock.now() - start
        return (time, try session.values(ofOutput: 0))
      }
    }
    let expected: ReferenceTensor = try run(plans[1]).state
    func timed(_ plan: PreparedPlan) throws -> Int {
      let (time, state) = try run(plan)
      #expect(state == expected)
      return time
    }
    let cost = try LoopCost(
      limit: body.quietRatio, loop: { try timed(plans[0]) }, line: { try timed(plans[1]) })
    print("1,000 iterations, \(body): \(cost.text)")
    #expect(cost.ratio <= Self.largestRatio)
  }
}
