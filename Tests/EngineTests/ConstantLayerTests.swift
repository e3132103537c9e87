import Engine
import ModelFormat
import NetworkRuns
import Testing

@Suite("Layers that produce constants")
struct ConstantLayerTests {
  @Test("Layers that produce constants become values of the graph instead of nodes")
  func noNodes() throws {
    let test = TestNetwork(
      [.constant([1, 2, 3], "k"), .sum(["x", "k"], "y")], input: [3])
    let graph = try test.graph()
    #expect(graph.nodes.map(\.name) == ["y"])
    #expect(try test.network().run([.vector(10, 20, 30)]) == [.vector(11, 22, 33)])
  }

  @Test("A constant may be an output of a network")
  func output() throws {
    let network = try DynamicNetwork(
      [.constant([4, 5], "k"), .copy("x", "y")], inputs: [("x", [1])], outputs: ["k", "y"]
    ).network()
    #expect(try network.isPlanned([[1]]))
    #expect(try network.run([.vector(7)]) == [.vector(4, 5), .vector(7)])
  }

  @Test("A constant may be an output of a network with control flow")
  func outputOfDynamic() throws {
    let network = try DynamicNetwork(
      [
        .constant([4, 5], "k"), .less("x", than: 0, "c"), .copy("x", "y"),
        .branch("c", [.copy("k", "y")]),
      ], inputs: [("x", [1])], outputs: ["k", "y"]
    ).network()
    #expect(try network.run([.vector(7)]) == [.vector(4, 5), .vector(7)])
    #expect(try network.run([.vector(-7)]) == [.vector(4, 5), .vector(4, 5)])
  }

  @Test("A constant after a break is not evaluated")
  func afterBreak() throws {
    let network = try DynamicNetwork(
      [
        .copy("x", "y"),
        .loop(
          3,
          [
            .linear(1, 1).named("next", ["y"], "next"), .copy("next", "y"),
            .less("y", than: 10, "small"), .branch("small", [.breaking]), .constant([9], "y"),
          ]),
      ], inputs: [("x", [1])]
    ).network()
    #expect(try network.run([.vector(1)]) == [.vector(2)])
    #expect(try network.run([.vector(20)]) == [.vector(9)])
  }

  @Test("A constant without elements is an empty tensor")
  func empty() throws {
    let network = try DynamicNetwork(
      [.constant([], "k"), .copy("x", "y")], inputs: [("x", [1])], outputs: ["k", "y"]
    ).network()
    let answers = try network.run([.vector(7)])
    #expect(answers.map(\.shape) == [[0], [1]])
  }
}
