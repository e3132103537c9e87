import NetworkRuns
import Operators
import Testing
import ThreadClock

@testable import Engine

/// What a turn of a loop costs beside its body: nothing is planned, looked up or taken from the system in it.
@Suite("The cost of loops", .serialized)
struct LoopCostTests {
  /// What a loop carries beside its counter.
  enum Body: String, Sendable, CaseIterable, CustomTestStringConvertible {
    /// A layer of a recurrent network: a product, a sum and a function.
    case memory
    /// The same, and every turn's state put into a list.
    case list

    /// The most that the loop may cost, beside the same in a straight line. The row of a list is written where
    /// the counter says, which a straight line knows beforehand; here it takes as long as the small body.
    var limit: Double { self == .memory ? 1.5 : 2.5 }

    var testDescription: String { rawValue }
  }

  private static let width = 256
  private static let turns = 1000

  /// The nodes of one turn: next state, next list.
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
    let (state, weights, turn) = (values[0], values[1], values[2])
    let product = node(BatchedMatMulOperator(), [state, weights])
    let sum = node(AddOperator(inputCount: 2), [product, state])
    let next = node(UnaryFunctionOperator(.tanh), [sum])
    let count = node(BinaryFunctionOperator(.add, number: 1), [turn])
    guard body == .list else { return [next, weights, count] }
    return [next, weights, count, node(ListWriteOperator(grows: false), [values[3], turn, next])]
  }

  private static func types(_ body: Body) -> [TensorType] {
    let types = [
      TensorType([1, width]), TensorType([width, width]), TensorType([1], .int32),
    ]
    return body == .list ? types + [TensorType([turns, width])] : types
  }

  private static func loop(_ body: Body) throws -> Graph {
    let types = types(body)
    func empty() -> Graph {
      var graph = Graph()
      graph.inputs = types.enumerated().map { graph.addValue("a\($0)", type: $1) }
      return graph
    }
    var (condition, turn, graph) = (empty(), empty(), empty())
    let goesOn = condition.addValue("goes on")
    condition.nodes = [
      Graph.Node(
        name: "less", operation: BinaryFunctionOperator(.isLess, number: Float(turns)),
        inputs: [condition.inputs[2]], outputs: [goesOn])
    ]
    condition.outputs = [goesOn] + condition.inputs
    turn.outputs = try add(body, turn.inputs, to: &turn)
    graph.outputs = types.indices.map { graph.addValue("b\($0)") }
    graph.nodes = [
      Graph.Node(
        name: "loop", operation: LoopOperator(LoopRule(hasCondition: true)), inputs: graph.inputs,
        outputs: graph.outputs, regions: [Graph.Region(condition), Graph.Region(turn)])
    ]
    return graph
  }

  /// The body as often as there are turns, one after the other.
  private static func straight(_ body: Body) throws -> Graph {
    var graph = Graph()
    graph.inputs = types(body).enumerated().map { graph.addValue("a\($0)", type: $1) }
    var values: [Graph.ValueID] = graph.inputs
    for _ in 0..<turns { values = try add(body, values, to: &graph) }
    graph.outputs = [values[0]] + values.dropFirst(2)
    return graph
  }

  /// The most that a loop may cost where others use the machine, whose work in the shared caches lengthens loops
  /// more than straight lines (1.9 beside a compiler). What plans or looks up in a turn costs ten times as much.
  private static let busyLimit = 3.0

  @Test(
    "A while loop of 1,000 turns costs little more than its body",
    .enabled(if: ThreadClock.isTelling), arguments: Body.allCases)
  func ratio(body: Body) throws {
    let options = ExecutionOptions(threads: 1, loopLimit: 2 * Self.turns)
    let types = Self.types(body)
    let plans: [PreparedPlan] = try [Self.loop(body), Self.straight(body)].map {
      try Network($0, passes: GraphPasses.standard, options: options).plan(for: types)
    }
    let inputs: [ReferenceTensor] = types.map { type in
      type.element == .int32
        ? ReferenceTensor(type.shape, wholes: [0], .int32)
        : ReferenceTensor(type.shape, (0..<type.shape.count).map { Double($0 % 7 - 3) / 64 })
    }
    /// The processor time of one run, in nanoseconds, and the state that it ends with.
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
      limit: body.limit, loop: { try timed(plans[0]) }, line: { try timed(plans[1]) })
    print("1,000 turns, \(body): \(cost.text)")
    #expect(cost.ratio <= (cost.isBusy ? Self.busyLimit : body.limit))
  }
}
