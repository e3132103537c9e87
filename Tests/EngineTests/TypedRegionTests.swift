import Operators
import Testing

@testable import Engine

@Suite("Regions with other element types")
struct TypedRegionTests {
  /// Builds `while x < limit { x += step }` without specification messages.
  private static func counter(step: Int64, limit: Int64, _ element: ElementType) -> Graph {
    var condition = Graph()
    let tested = condition.addValue("x")
    let isLess = condition.addValue("goes on")
    condition.inputs = [tested]
    condition.nodes = [
      Graph.Node(
        name: "less", operation: BinaryFunctionOperator(.isLess),
        inputs: [tested, constant(limit, element, in: &condition)], outputs: [isLess])
    ]
    condition.outputs = [isLess, tested]
    var body = Graph()
    let old = body.addValue("x")
    let new = body.addValue("next")
    body.inputs = [old]
    body.nodes = [
      Graph.Node(
        name: "sum", operation: BinaryFunctionOperator(.add),
        inputs: [old, constant(step, element, in: &body)], outputs: [new])
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

  private static func constant(_ value: Int64, _ element: ElementType, in graph: inout Graph)
    -> Graph.ValueID
  {
    let tensor = ReferenceTensor([1], integerValues: [value], element)
    return graph.addConstant(Constant(tensor), name: "\(value)")
  }

  // 2²⁴ + 1 is the smallest positive integer that float32 cannot represent. 2⁵³ + 1 is the first integer that `Double`
  // cannot represent.
  @Test(
    "An integer counter counts beyond the range of floats and stays an integer",
    arguments: zip([ElementType.int32, .int64], [Int64(1 << 24), 1 << 53]))
  func integers(element: ElementType, start: Int64) throws {
    let graph = Self.counter(step: 1, limit: start + 999, element)
    let first = ReferenceTensor([1], integerValues: [start], element)
    let last = ReferenceTensor([1], integerValues: [start + 999], element)
    #expect(try graph.definition([first]) == [last])
    let network = Network(
      graph, passes: GraphPasses.standard, options: ExecutionOptions(threads: 1))
    try network.plan(for: [first.type]).withSession { session in
      let input = session.input(0)
      #expect(input.form.storage == element)
      TensorCodec.pack(first, as: input.form, into: input.memory)
      try session.run()
      let output = try session.output(0)
      #expect(output.form == TensorDescriptor([1], element))
      #expect(TensorCodec.unpack(output.memory, as: output.form) == last)
    }
  }
}
