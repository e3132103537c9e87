import Engine
import Layers
import ModelFormat
import Testing

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

  private static func planning(_ count: Int) throws -> Duration {
    let network = try chain(count).network()
    return try ContinuousClock().measure {
      _ = try network.plan(for: [TensorType([1, 4, 2, 2])])
    }
  }

  @Test("Ten times the layers take at most thirty times as long to plan")
  func isNotQuadratic() throws {
    _ = try Self.planning(400)
    // The best of three: others use the machine too.
    let small = try (0..<3).map { _ in try Self.planning(1_000) }.min() ?? .zero
    let large = try (0..<3).map { _ in try Self.planning(10_000) }.min() ?? .zero
    print("1,000 layers: \(small), 10,000 layers: \(large)")
    #expect(large < small * 30)
  }
}
