import NetworkRuns
import Operators
import ModelFormat
import Testing
import ThreadClock

@testable import Engine

@Suite("Regions")
struct RegionTests {
  @Test("A network without control flow is one segment")
  func oneSegment() throws {
    let network = try TestNetwork(
      [.convolution(4, 3, padding: 1).named("c", ["x"], "a"), .reLU.named("r", ["a"], "y")],
      input: [1, 3, 8, 8]
    ).network()
    let plan = try network.plan(for: [TensorType([1, 3, 8, 8])]).plan
    try #require(plan.segments.count == 1)
    guard case .run(let run) = plan.segments[0] else {
      Issue.record("the segment is \(plan.segments[0])")
      return
    }
    #expect(run.externals.isEmpty)
    #expect(plan.planCount == 1)
  }

  @Test("Layers before a loop are planned in advance, and the loop is a separate segment")
  func segments() throws {
    let network = try DynamicNetwork(
      [
        .linear(2, 1).named("a", ["x"], "b"), .sigmoid.named("s", ["b"], "y"),
        .loop(3, [.linear(3, 0).named("t", ["y"], "t"), .copy("t", "y")]),
        .linear(1, 1).named("z", ["y"], "z"),
      ], inputs: [("x", [2])], outputs: ["z"]
    ).network()
    let plan = try network.plan(for: [TensorType([2])]).plan
    let kinds = plan.segments.map { segment in
      switch segment {
      case .run: "run"
      case .control: "control"
      case .open: "open"
      }
    }
    #expect(kinds == ["run", "control", "open"])
  }

  @Test("A loop's node lists its carried values, and its body refers to no names")
  func explicitValues() throws {
    let graph = try DynamicNetwork(
      [
        .copy("x", "y"),
        .loop(
          4, while: ("c", [.less("y", than: 10, "c")]),
          [.sum(["y", "step"], "t"), .copy("t", "y")]),
      ], inputs: [("x", [1]), ("step", [1])]
    ).network().graph
    let loop = try #require(graph.nodes.last)
    // The loop carries the condition and y. It reads `step` from outside and does not change it.
    #expect(loop.outputs.map { graph[$0].name } == ["c", "y"])
    #expect(loop.inputs.map { graph[$0].name } == ["c", "y", "step"])
    #expect(loop.regions.count == 2)
    for region in loop.regions { #expect(region.graph.inputs.count == 3) }
    #expect(loop.regions[0].graph.outputs.count == 3)
    #expect(loop.regions[1].graph.outputs.count == 2)
  }

  @Test("Two regions read a value of the enclosing network", arguments: [0.0, 1])
  func sharedCapture(condition: Double) throws {
    let network = try DynamicNetwork(
      [
        .linear(3, 0).named("a", ["x"], "shared"),
        .branch(
          "c", [.linear(1, 1).named("t", ["shared"], "y")],
          otherwise: [.sum(["shared", "x"], "y")]),
        .sum(["y", "shared"], "z"),
      ], inputs: [("x", [2]), ("c", [1])], outputs: ["z"]
    ).network()
    let expected: ReferenceTensor = condition == 1 ? .vector(7, 13) : .vector(7, 14)
    #expect(try network.run([.vector(1, 2), .vector(condition)]) == [expected])
    #expect(
      try network.graph.definition([.vector(1, 2), .vector(condition)]) == [expected])
  }

  /// Iterations in which `odd` is true assign `extra`. So `extra` is absent until the second iteration. Later
  /// iterations that do not assign it keep its value.
  @Test("A branch in a loop leaves a value absent until an iteration makes it", arguments: 0..<5)
  func absentInLoop(iterations: Int) throws {
    let network = try DynamicNetwork(
      [
        .constant([0], "odd"), .constant([0], "n"),
        .loop(
          count: "iterations",
          [
            .branch("odd", [.linear(10, 0).named("e", ["n"], "extra")]),
            .linear(-1, 1).named("flip", ["odd"], "t"), .copy("t", "odd"),
            .linear(1, 1).named("count", ["n"], "u"), .copy("u", "n"),
          ]),
        .sum(["extra", "x"], "y"),
      ], inputs: [("x", [1]), ("iterations", [1])]
    ).network()
    let inputs: [ReferenceTensor] = [.vector(5), .vector(Double(iterations))]
    if iterations < 2 {
      let error = try #require(throws: EngineError.self) { try network.run(inputs) }
      #expect(
        error.message
          == "Layer 'y' reads 'extra', which no layer made in the branches and loops that ran."
      )
    } else {
      #expect(try network.run(inputs) == [.vector(iterations < 4 ? 15 : 35)])
    }
  }

  /// For `i` = 1, 2, …, the inner loop adds `i + j` to `y` for `j` = `i` + 1, `i` + 2, …. The inner loop breaks when
  /// `j` is `stop`, and continues without adding when `i + j` is 7. After the inner loop, the outer loop breaks if `i`
  /// is 4. Otherwise, it adds 0.5 to `y`.
  @Test("Nested loops with breaks and continues count what the definition counts", arguments: 1..<8)
  func nestedExits(stop: Int) throws {
    let network = try DynamicNetwork(
      [
        .copy("x", "y"), .constant([0], "i"),
        .loop(
          6,
          [
            .linear(1, 1).named("ni", ["i"], "ni"), .copy("ni", "i"), .copy("i", "j"),
            .loop(
              9,
              [
                .linear(1, 1).named("nj", ["j"], "nj"), .copy("nj", "j"),
                .equal("j", to: Float(stop), "last"), .branch("last", [.breaking]),
                .sum(["i", "j"], "s"), .equal("s", to: 7, "skips"),
                .branch("skips", [.linear(1, 100).named("h", ["y"], "h"), .continuing]),
                .sum(["y", "s"], "ny"), .copy("ny", "y"),
              ]),
            .equal("i", to: 4, "done"), .branch("done", [.breaking]),
            .linear(1, 0.5).named("half", ["y"], "hy"), .copy("hy", "y"),
          ]),
      ], inputs: [("x", [1])], outputs: ["y", "i", "j"]
    ).network()
    let definition = try network.graph.definition([.vector(0)])
    #expect(try network.run([.vector(0)]) == definition.compactMap { $0 })
    #expect(try network.run([.vector(2.5)])[0].values[0] == (definition[0]?.values[0] ?? 0) + 2.5)
  }

  @Test("A missing branch makes nothing, and an empty condition is an error with a message")
  func missingBranch() throws {
    let network = try DynamicNetwork(
      [.branch("c", [.linear(2, 0).named("t", ["x"], "y")])], inputs: [("x", [2]), ("c", [0])]
    ).network()
    #expect(try network.graph.definition([.vector(1, 2), .vector(0)]) == [nil])
    let error = try #require(throws: EngineError.self) {
      try network.run([.vector(1, 2), ReferenceTensor([0], [])])
    }
    #expect(error.message.contains("the condition 'c' has no element, expected one number."))
  }

  @Test("A condition that the condition network does not make is refused")
  func missingCondition() throws {
    let network = DynamicNetwork(
      [.loop(while: ("c", [.less("x", than: 1, "d")]), [.copy("x", "y")])], inputs: [("x", [1])])
    let error = try #require(throws: EngineError.self) { try network.network() }
    #expect(
      error.message
        == "Loop 'loop': the condition network does not make the condition 'c'.")
  }

  @Test("A loop's values stay intact as long as other values or outputs depend on them")
  func readersOutsideTheLoop() throws {
    // The loop carries `y`. After an iteration has computed a new `y`, `old` still reads the previous value.
    let network = try DynamicNetwork(
      [
        .copy("x", "y"), .copy("x", "old"),
        .loop(
          5, [.copy("y", "old"), .linear(2, 1).named("t", ["y"], "t"), .copy("t", "y")]),
        .sum(["old", "x"], "z"),
      ], inputs: [("x", [3])], outputs: ["y", "old", "z"]
    ).network()
    let expected: [ReferenceTensor] = [
      .vector(31, 63, 95), .vector(15, 31, 47), .vector(15, 32, 49),
    ]
    #expect(try network.run([.vector(0, 1, 2)]) == expected)
    #expect(try network.run([.vector(0, 1, 2)]) == expected)
  }
}

@Suite("Plans of regions")
struct RegionPlanTests {
  @Test("A loop's body is planned once, for any number of iterations")
  func plannedOnce() throws {
    let network = try DynamicNetwork(
      [
        .copy("x", "y"),
        .loop(
          count: "n",
          while: ("c", [.less("y", than: 1e6, "c")]),
          [.linear(1, 1).named("t", ["y"], "t"), .copy("t", "y")]),
      ], inputs: [("x", [1]), ("n", [1])]
    ).network()
    let types = [TensorType([1]), TensorType([1])]
    let plan = try network.plan(for: types).plan
    #expect(try network.run([.vector(0), .vector(3)]) == [.vector(3)])
    let planned = plan.planCount
    #expect(planned <= 3)
    #expect(try network.run([.vector(0), .vector(1000)]) == [.vector(1000)])
    #expect(plan.planCount == planned)
  }

  /// A body of three layers of moderate size.
  private static let body: [Spec.NeuralNetworkLayer] = [
    .convolution(16, 16, padding: 1).named("conv", ["y"], "a"), .sigmoid.named("s", ["a"], "b"),
    .sum(["b", "x"], "d"), .copy("d", "y"),
  ]

  @Test(
    "A loop of 1000 iterations takes at most 1.5 times as long as its unrolled body",
    .enabled(if: ThreadClock.isMeaningful))
  func iterationsAreCheap() throws {
    let options = ExecutionOptions(threads: 1)
    func network(_ layers: [Spec.NeuralNetworkLayer]) throws -> Network {
      try DynamicNetwork(layers, inputs: [("x", [1, 16, 16, 16])]).network(options)
    }
    let loop = try network([.copy("x", "y"), .loop(1000, Self.body)])
    let unrolled = (0..<100).flatMap { _ in Self.body }
    let line = try network([.copy("x", "y")] + unrolled)
    let input = ReferenceTensor.random([1, 16, 16, 16])
    #expect(try loop.run([input])[0].relativeDifference(to: line.run([input])[0]) < 1e-4)
    let cost = try LoopCost(
      limit: 1.5, loop: { try loop.processorTime([input]) },
      line: { try line.processorTime([input], runs: 10) })
    #expect(cost.ratio < 1.5, "\(cost.text)")
  }
}

extension Network {
  /// Measures the processor time of several predictions on this thread after a warm-up, in nanoseconds.
  fileprivate func processorTime(_ inputs: [ReferenceTensor], runs: Int = 1) throws -> Int {
    let prepared = try plan(for: inputs.map { TensorType($0.shape) })
    return try prepared.withSession { session in
      session.give(inputs)
      try session.run()
      let start = ThreadClock.now()
      for _ in 0..<runs { try session.run() }
      return ThreadClock.now() - start
    }
  }
}
