import Operators
import Testing

@testable import Engine

@Suite("Regions of other types")
struct TypedRegionTests {
  /// `while x < limit { x += step }`, built without any message.
  private static func counter(step: Int32, limit: Int32) -> Graph {
    var condition = Graph()
    let tested = condition.addValue("x")
    let isLess = condition.addValue("goes on")
    condition.inputs = [tested]
    condition.nodes = [
      Graph.Node(
        name: "less", operation: BinaryFunctionOperator(.isLess),
        inputs: [tested, constant(limit, in: &condition)], outputs: [isLess])
    ]
    condition.outputs = [isLess, tested]
    var body = Graph()
    let old = body.addValue("x")
    let new = body.addValue("next")
    body.inputs = [old]
    body.nodes = [
      Graph.Node(
        name: "sum", operation: BinaryFunctionOperator(.add),
        inputs: [old, constant(step, in: &body)], outputs: [new])
    ]
    body.outputs = [new]
    var graph = Graph()
    let start = graph.addValue("start")
    let end = graph.addValue("end")
    graph.inputs = [start]
    graph.outputs = [end]
    graph.nodes = [
      Graph.Node(
        name: "loop", operation: LoopOperator(LoopRule(hasCondition: true)), inputs: [start],
        outputs: [end], regions: [Graph.Region(condition), Graph.Region(body)])
    ]
    return graph
  }

  private static func constant(_ value: Int32, in graph: inout Graph) -> Graph.ValueID {
    let tensor = ReferenceTensor([1], wholes: [Int64(value)], .int32)
    return graph.addConstant(Constant(tensor), name: "\(value)")
  }

  @Test("A counter of int32 counts beyond what float32 holds, and stays int32")
  func integers() throws {
    // 2²⁴ + 1 is the first whole number that float32 has not.
    let start: Int32 = 1 << 24
    let graph = Self.counter(step: 1, limit: start + 999)
    let network = Network(
      graph, passes: GraphPasses.standard, options: ExecutionOptions(threads: 1))
    try network.plan(for: [TensorType([1], .int32)]).withSession { session in
      let input = session.input(0)
      #expect(input.form.storage == .int32)
      input.memory.storeBytes(of: start, as: Int32.self)
      try session.run()
      let output = try session.output(0)
      #expect(output.form == TensorDescriptor([1], .int32))
      #expect(output.memory.load(as: Int32.self) == start + 999)
    }
  }
}
