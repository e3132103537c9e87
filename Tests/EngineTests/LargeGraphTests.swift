import Engine
import Operators
import ModelFormat
import Testing
import ThreadClock

/// Graphs of many layers: passes and planning take time in proportion to their number.
@Suite("Large graphs", .serialized)
struct LargeGraphTests {
  /// Layers that fuse, layers that do not, and residuals.
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

  /// The processor time that passes and planning take.
  private static func planning(_ count: Int) throws -> Int {
    let network = try chain(count).network()
    let start = ThreadClock.now()
    _ = try network.plan(for: [TensorType([1, 4, 2, 2])])
    return ThreadClock.now() - start
  }

  @Test("Ten times the layers take at most thirty times as long to plan")
  func isNotQuadratic() throws {
    _ = try Self.planning(400)
    let small = try (0..<3).map { _ in try Self.planning(1_000) }.min() ?? 0
    let large = try (0..<3).map { _ in try Self.planning(10_000) }.min() ?? 0
    print("1,000 layers: \(small / 1000) µs, 10,000 layers: \(large / 1000) µs")
    #expect(large < small * 30)
  }

  /// The processor time that differentiating a chain by its input takes, in nanoseconds, and the nodes that
  /// come of it.
  private static func differentiating(_ count: Int) throws -> (time: Int, nodes: Int) {
    var graph = try chain(count).graph()
    try graph.inferTypes(from: [TensorType([1, 4, 2, 2])])
    let loss = try graph.apply(
      ReduceAxesOperator(.sum), to: [graph.outputs[0]], name: "loss")
    let start = ThreadClock.now()
    _ = try graph.differentiate(loss, withRespectTo: [graph.inputs[0]])
    return (ThreadClock.now() - start, graph.nodes.count)
  }

  @Test("Ten times the layers take at most thirty times as long to differentiate")
  func differentiates() throws {
    _ = try Self.differentiating(400)
    let small = try (0..<3).map { _ in try Self.differentiating(1_000).time }.min() ?? 0
    let large = try (0..<3).map { _ in try Self.differentiating(10_000).time }.min() ?? 0
    print("1,000 layers differentiated: \(small / 1000) µs, 10,000 layers: \(large / 1000) µs")
    #expect(large < small * 30)
  }
}
