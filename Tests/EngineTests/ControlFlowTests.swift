import Engine
import NetworkRuns
import Operators
import ModelFormat
import Testing

@Suite("Control flow")
struct ControlFlowTests {
  /// `while x < 100 { x = x · 2 + 1; n += 1 }`
  private static let doubling = DynamicNetwork(
    [
      .copy("start", "x"), .constant([0], "n"),
      .loop(
        while: ("goes on", [.less("x", than: 100, "goes on")]),
        [
          .linear(2, 1).named("next", ["x"], "next x"), .copy("next x", "x"),
          .linear(1, 1).named("count", ["n"], "next n"), .copy("next n", "n"),
        ]),
    ], inputs: [("start", [1])], outputs: ["x", "n"])

  @Test("A while loop counts its iterations", arguments: [-3, 0.0, 1, 7, 99.5, 100, 1000])
  func whileLoop(start: Double) throws {
    // A value of −1 or less never reaches 100, so the loop would not terminate.
    guard start > -1 else { return }
    let (x, n) = Self.doubled(start)
    #expect(try Self.doubling.network().run([.vector(start)]) == [.vector(x), .vector(n)])
  }

  private static func doubled(_ start: Double) -> (Double, Double) {
    var (x, n) = (start, 0.0)
    while x < 100 { (x, n) = (x * 2 + 1, n + 1) }
    return (x, n)
  }

  @Test("A for loop runs as many iterations as it states", arguments: [1, 2, 17])
  func forLoop(iterations: Int) throws {
    let network = try DynamicNetwork(
      [
        .copy("x", "y"),
        .loop(UInt64(iterations), [.sum(["y", "x"], "next"), .copy("next", "y")]),
      ], inputs: [("x", [2, 3])]
    ).network()
    let input = ReferenceTensor([2, 3], [1, 2, 3, 4, 5, 6])
    let expected = ReferenceTensor([2, 3], input.values.map { $0 * Double(iterations + 1) })
    #expect(try network.run([input]) == [expected])
  }

  @Test(
    "An input overrides the number of iterations stored in the file",
    arguments: [0, 1, 5])
  func countInput(iterations: Int) throws {
    let network = try DynamicNetwork(
      [
        .copy("x", "y"),
        .loop(99, count: "n", [.linear(3, 0).named("t", ["y"], "t"), .copy("t", "y")]),
      ], inputs: [("x", [1]), ("n", [1])]
    ).network()
    var expected = 2.0
    for _ in 0..<iterations { expected *= 3 }
    #expect(try network.run([.vector(2), .vector(Double(iterations))]) == [.vector(expected)])
  }

  @Test(
    "A loop with a condition and an iteration limit ends at whichever comes first",
    arguments: [2, 50])
  func jointCondition(iterations: Int) throws {
    let network = try DynamicNetwork(
      [
        .copy("x", "y"),
        .loop(
          UInt64(iterations), while: ("c", [.less("y", than: 10, "c")]),
          [.linear(1, 1).named("t", ["y"], "t"), .copy("t", "y")]),
      ], inputs: [("x", [1])]
    ).network()
    #expect(try network.run([.vector(0)]) == [.vector(iterations == 2 ? 2 : 10)])
  }

  /// Sums the odd numbers below `stop`. The loop breaks when it reaches `stop`, before it adds `stop`:
  /// `for i in 1... { if i == stop { break }; if i is even { continue }; y += i }`
  private static func oddSum(stop: Float) -> DynamicNetwork {
    DynamicNetwork(
      [
        .copy("x", "y"), .constant([0], "i"), .constant([0], "odd"),
        .loop(
          500,
          [
            .linear(1, 1).named("step", ["i"], "next i"), .copy("next i", "i"),
            .linear(-1, 1).named("flip", ["odd"], "next odd"), .copy("next odd", "odd"),
            .equal("i", to: stop, "is last"),
            .branch("is last", [.constant([-1], "ended"), .breaking, .copy("x", "y")]),
            .branch("odd", [], otherwise: [.branch("i", [.continuing])]),
            .sum(["y", "i"], "next y"), .copy("next y", "y"),
          ]),
      ], inputs: [("x", [1])], outputs: ["y", "i"])
  }

  @Test("Break and continue work from nested branches", arguments: [1, 2, 9, 40])
  func breakAndContinue(stop: Int) throws {
    let expected = stride(from: 1, to: stop, by: 2).reduce(0, +)
    let network = try Self.oddSum(stop: Float(stop)).network()
    #expect(
      try network.run([.vector(0)]) == [.vector(Double(expected)), .vector(Double(stop))])
  }

  @Test("Nested loops visit every pair")
  func nestedLoops() throws {
    let network = try DynamicNetwork(
      [
        .copy("x", "y"),
        .loop(
          7,
          [.loop(11, [.linear(1, 1).named("t", ["y"], "t"), .copy("t", "y")])]),
      ], inputs: [("x", [1])]
    ).network()
    #expect(try network.run([.vector(0.5)]) == [.vector(77.5)])
  }

  @Test("A value that the taken branch does not write keeps its content", arguments: [0.0, 1])
  func branch(condition: Double) throws {
    let network = try DynamicNetwork(
      [
        .linear(10, 0).named("a", ["x"], "y"), .linear(1, 5).named("b", ["x"], "z"),
        .branch(
          "c", [.linear(2, 0).named("t", ["y"], "t"), .copy("t", "y")],
          otherwise: [.linear(3, 0).named("u", ["z"], "u"), .copy("u", "z")]),
        .sum(["y", "z"], "sum"),
      ], inputs: [("x", [2]), ("c", [1])], outputs: ["y", "z", "sum"]
    ).network()
    let results = try network.run([.vector(1, 2), .vector(condition)])
    let (y, z): ([Double], [Double]) =
      condition == 0 ? ([10, 20], [18, 21]) : ([20, 40], [6, 7])
    #expect(results.map(\.values) == [y, z, [y[0] + z[0], y[1] + z[1]]])
  }

  @Test("Tensors that become longer in a loop keep their elements", arguments: [1, 4, 12])
  func lengthening(iterations: Int) throws {
    var message = Spec.ConcatNDLayerParams()
    message.axis = 0
    let network = try DynamicNetwork(
      [
        .copy("x", "y"),
        .loop(
          count: "n",
          [
            .linear(1, 1).named("next", ["x"], "next"), .copy("next", "x"),
            .of(.concatND(message), "join", ["y", "x"], ["joined"]), .copy("joined", "y"),
          ]),
      ], inputs: [("x", [1]), ("n", [1])]
    ).network()
    let expected = ReferenceTensor([iterations + 1], (0...iterations).map(Double.init))
    #expect(try network.run([.vector(0), .vector(Double(iterations))]) == [expected])
  }

  @Test("Fast kernels in a loop match the references")
  func convolutionInLoop() throws {
    let network = try DynamicNetwork(
      [
        .copy("x", "y"),
        .loop(
          3,
          [
            .convolution(4, 4, padding: 1).named("conv", ["y"], "a"),
            .sigmoid.named("s", ["a"], "b"), .sum(["b", "x"], "d"), .copy("d", "y"),
          ]),
      ], inputs: [("x", [1, 4, 9, 11])]
    ).network()
    let input = ReferenceTensor.random([1, 4, 9, 11])
    let answer = try network.run([input])[0]
    let definition = try #require(try network.graph.definition([input])[0])
    #expect(answer.relativeDifference(to: definition) < 1e-5)
  }

  @Test("Concurrent predictions do not interfere")
  func concurrency() async throws {
    let network = try Self.doubling.network()
    try await withThrowingTaskGroup(of: (Double, [ReferenceTensor]).self) { group in
      for start in 0..<32 {
        group.addTask { (Double(start), try network.run([.vector(Double(start))])) }
      }
      for try await (start, answer) in group {
        let (x, n) = Self.doubled(start)
        #expect(answer == [.vector(x), .vector(n)])
      }
    }
  }
}

@Suite("Invalid control flow")
struct BadControlFlowTests {
  private func message(_ body: () throws -> some Any) throws -> String {
    try #require(throws: EngineError.self) { _ = try body() }.message
  }

  @Test("A loop without a stopping condition is refused")
  func noEnd() throws {
    let network = DynamicNetwork([.loop(0, [.copy("x", "y")])], inputs: [("x", [1])])
    #expect(
      try message { try network.network() }
        == "Loop 'loop': the loop has no condition network, no input and maxLoopIterations 0, so it never ends."
    )
  }

  @Test("A loop that exceeds its iteration limit is stopped")
  func endless() throws {
    let network = try DynamicNetwork(
      [
        .copy("x", "y"),
        .loop(
          while: ("c", [.less("x", than: 1, "c")]),
          [.linear(1, 1).named("t", ["y"], "t"), .copy("t", "y")]),
      ], inputs: [("x", [1])]
    ).network(loopLimit: 50)
    #expect(try network.run([.vector(2)]) == [.vector(2)])
    #expect(
      try message { try network.run([.vector(0)]) }
        == "Loop 'loop': the loop has run 50 iterations without an end; set a higher loopLimit to allow more."
    )
  }

  @Test("An undefined name is reported with its reader, at any nesting depth")
  func unknownName() throws {
    let network = DynamicNetwork(
      [.loop(3, [.branch("x", [.reLU.named("r", ["nowhere"], "y")])])], inputs: [("x", [1])])
    #expect(
      try message { try network.network() }
        == "Layer 'r' reads 'nowhere', which no input and no earlier layer makes.")
  }

  @Test("Reading a value of the branch that was not taken is an error that names the reader")
  func missingValue() throws {
    let network = try DynamicNetwork(
      [.branch("x", [.copy("x", "z")]), .reLU.named("r", ["z"], "y")], inputs: [("x", [1])]
    ).network()
    #expect(try network.run([.vector(3)]) == [.vector(3)])
    #expect(
      try message { try network.run([.vector(0)]) }.hasPrefix(
        "Layer 'r' reads 'z', which no layer made in the branches and loops that ran"))
  }

  @Test("An output that only the other branch makes is reported by name")
  func missingOutput() throws {
    let network = try DynamicNetwork([.branch("x", [.copy("x", "y")])], inputs: [("x", [1])])
      .network()
    #expect(
      try message { try network.run([.vector(0)]) }.hasPrefix(
        "No layer made the output 'y' in the branches and loops that ran"))
  }

  @Test("A break outside of a loop is refused, also in a condition network")
  func strayBreak() throws {
    let stray = DynamicNetwork([.breaking, .copy("x", "y")], inputs: [("x", [1])])
    #expect(
      try message { try stray.network() }
        == "LoopBreak 'break': the layer is outside of a loop's body network.")
    let condition = DynamicNetwork(
      [.loop(while: ("c", [.less("x", than: 1, "c"), .breaking]), [.copy("x", "y")])],
      inputs: [("x", [1])])
    #expect(
      try message { try condition.network() }.contains("outside of a loop's body network."))
  }

  @Test("Excessively nested networks are refused")
  func deep() throws {
    var layer = Spec.NeuralNetworkLayer.copy("x", "y")
    for _ in 0..<70 { layer = .branch("x", [layer]) }
    let network = DynamicNetwork([layer], inputs: [("x", [1])])
    #expect(try message { try network.network() }.contains("networks are nested 64 deep"))
  }
}
