import Operators
import Testing

@testable import Engine

/// `x + amount` in int32, and nothing else.
private struct IntegerSum: DerivedOperator {
  static let declaration = OperatorDeclaration("IntegerSum", specification: nil, summary: "x + n")
  var amount: Int32

  func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    [TensorType(inputs[0].shape, .int32)]
  }

  func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    [ReferenceTensor(inputs[0].shape, inputs[0].values.map { $0 + Double(amount) })]
  }

  var kernels: [KernelCandidate] {
    [
      KernelCandidate("int32") { [amount] request in
        guard request.inputs[0].storage == .int32 else { return nil }
        let count = request.inputs[0].shape.count
        return Kernel(
          ClosureStep { memory in
            let (source, target) = (memory.inputs[0], memory.outputs[0])
            for index in 0..<count {
              let value = source.load(fromByteOffset: index * 4, as: Int32.self)
              target.storeBytes(of: value &+ amount, toByteOffset: index * 4, as: Int32.self)
            }
          }, inputs: request.inputs, outputs: request.inputs)
      }
    ]
  }
}

/// Whether the first int32 is below a limit, as a truth value.
private struct IntegerLess: DerivedOperator {
  static let declaration = OperatorDeclaration("IntegerLess", specification: nil, summary: "x < n")
  var limit: Int32

  func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? { [TensorType([1], .bool)] }

  func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    [ReferenceTensor([1], [inputs[0].values[0] < Double(limit) ? 1 : 0])]
  }

  var kernels: [KernelCandidate] {
    [
      KernelCandidate("int32") { [limit] request in
        guard request.inputs[0].storage == .int32 else { return nil }
        return Kernel(
          ClosureStep { memory in
            let value = memory.inputs[0].load(as: Int32.self)
            memory.outputs[0].storeBytes(of: value < limit ? 1 : 0, as: UInt8.self)
          }, inputs: request.inputs, outputs: [TensorDescriptor([1], .bool)])
      }
    ]
  }
}

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
        name: "less", operation: IntegerLess(limit: limit), inputs: [tested], outputs: [isLess])
    ]
    condition.outputs = [isLess, tested]
    var body = Graph()
    let old = body.addValue("x")
    let new = body.addValue("next")
    body.inputs = [old]
    body.nodes = [
      Graph.Node(name: "sum", operation: IntegerSum(amount: step), inputs: [old], outputs: [new])
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
