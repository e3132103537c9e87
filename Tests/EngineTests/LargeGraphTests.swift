import Engine
import Operators
import ModelFormat
import Testing
import ThreadClock

/// Tests graphs with many layers: the time for passes and planning must be proportional to the number of layers.
@Suite("Large graphs", .serialized)
struct LargeGraphTests {
  /// Builds a chain of `count` layers. It contains layers that passes fuse, layers that stay separate, and residuals.
  private static func chain(_ count: Int) -> TestNetwork {
    var layers: [Spec.NeuralNetworkLayer] = []
    var last = "x"
    func add(_ layer: Spec.NeuralNetworkLayer, _ inputs: [String]) {
      let name = "v\(layers.count)"
      layers.append(layer.named("l\(layers.count)", inputs, name))
      last = name
    }
    while layers.count < count {
      let source = last
      add(.linear(0.5, 0.1), [last])
      add(.sigmoid, [last])
      add(.convolution(4, 4, kernel: 1), [last])
      add(.reLU, [last])
      add(.add, [last, source])
    }
    return TestNetwork(layers, input: [1, 4, 2, 2], output: last)
  }

  /// Measures the processor time of the passes and the planning for a chain of `count` layers, in nanoseconds.
  private static func planning(_ count: Int) throws -> Int {
    let network = try chain(count).network()
    let start = ThreadClock.now()
    _ = try network.plan(for: [TensorType([1, 4, 2, 2])])
    return ThreadClock.now() - start
  }

  @Test("Ten times as many layers take at most thirty times as long to plan")
  func isNotQuadratic() throws {
    _ = try Self.planning(400)
    let small = try (0..<3).map { _ in try Self.planning(1_000) }.min() ?? 0
    let large = try (0..<3).map { _ in try Self.planning(10_000) }.min() ?? 0
    print("1,000 layers: \(small / 1000) µs, 10,000 layers: \(large / 1000) µs")
    #expect(large < small * 30)
  }

  /// Measures the processor time for differentiating a chain with respect to its input, in nanoseconds. Also returns
  /// the number of resulting nodes.
  private static func differentiating(_ count: Int) throws -> (time: Int, nodes: Int) {
    var graph = try chain(count).graph()
    try graph.inferTypes(from: [TensorType([1, 4, 2, 2])])
    let loss = try graph.apply(
      ReduceAxesOperator(.sum), to: [graph.outputs[0]], name: "loss")
    let start = ThreadClock.now()
    _ = try graph.differentiate(loss, withRespectTo: [graph.inputs[0]])
    return (ThreadClock.now() - start, graph.nodes.count)
  }

  @Test("Ten times as many layers take at most thirty times as long to differentiate")
  func differentiates() throws {
    _ = try Self.differentiating(400)
    let small = try (0..<3).map { _ in try Self.differentiating(1_000).time }.min() ?? 0
    let large = try (0..<3).map { _ in try Self.differentiating(10_000).time }.min() ?? 0
    print("1,000 layers differentiated: \(small / 1000) µs, 10,000 layers: \(large / 1000) µs")
    #expect(large < small * 30)
  }
}
