import NetworkRuns
import Operators
import ModelFormat
import Testing

@testable import Engine

@Suite("Tensors of dynamic length")
struct DynamicLengthTests {
  /// Appends one element of `x` to `y` per iteration, then computes with all of `y`.
  private static func appending(_ between: [Spec.NeuralNetworkLayer], from joined: String) throws
    -> Network
  {
    var message = Spec.ConcatNDLayerParams()
    message.axis = 0
    return try DynamicNetwork(
      [
        .copy("x", "y"),
        .loop(
          count: "n",
          [
            .linear(1, 1).named("next", ["x"], "next"), .copy("next", "x"),
            .of(.concatND(message), "join", ["y", "x"], ["joined"]),
          ] + between + [.copy(joined, "y")]),
      ], inputs: [("x", [1]), ("n", [1])]
    ).network()
  }

  @Test("A sequence that is extended a thousand times needs plans for only a few lengths")
  func appendedSequence() throws {
    let network = try Self.appending(
      [
        .linear(1, 0.25).named("more", ["joined"], "more"),
        .sum(["more", "x"], "sum"), .linear(0.5, 0).named("half", ["sum"], "half"),
      ], from: "half")
    let plan = try network.plan(for: [TensorType([1]), TensorType([1])]).plan
    let answer = try network.run([.vector(3), .vector(1000)])[0]
    #expect(answer.shape == [1001])
    let definition = try #require(
      try network.graph.definition([.vector(3), .vector(1000)])[0])
    #expect(answer.relativeDifference(to: definition) < 1e-5)
    #expect(plan.planCount <= 30, "\(plan.planCount) plans")
    // In the next run, the sequence starts with one element again and ends at another length.
    let again = try network.run([.vector(5), .vector(40)])[0]
    let expected = try #require(try network.graph.definition([.vector(5), .vector(40)])[0])
    #expect(again.relativeDifference(to: expected) < 1e-5)
    #expect(plan.planCount <= 35, "\(plan.planCount) plans")
  }

  @Test(
    "A layer whose result changes with padding is planned for its exact length",
    arguments: [3, 20, 70])
  func exactWhereLengthCounts(iterations: Int) throws {
    var mean = Spec.ReduceMeanLayerParams()
    mean.axes = [0]
    mean.keepDims = true
    let network = try Self.appending(
      [
        .of(.reduceMean(mean), "mean", ["joined"], ["mean"]),
        .of(.subtractBroadcastable(.init()), "centre", ["joined", "mean"], ["centred"]),
        .linear(0.75, 1).named("less", ["centred"], "less"),
      ], from: "less")
    let inputs: [ReferenceTensor] = [.vector(3), .vector(Double(iterations))]
    let answer = try network.run(inputs)[0]
    let definition = try #require(try network.graph.definition(inputs)[0])
    #expect(answer.shape == [iterations + 1])
    #expect(answer.relativeDifference(to: definition) < 1e-5)
  }

  @Test("Two sequences extended from one value share no memory afterwards")
  func forkedSequences() throws {
    var message = Spec.ConcatNDLayerParams()
    message.axis = 0
    let network = try DynamicNetwork(
      [
        .copy("x", "y"), .copy("x", "z"),
        .loop(
          40,
          [
            .linear(1, 1).named("next", ["x"], "next"),
            .linear(-1, 0).named("minus", ["next"], "minus"), .copy("next", "x"),
            .of(.concatND(message), "join y", ["y", "x"], ["longer"]),
            .of(.concatND(message), "join z", ["y", "minus"], ["other"]),
            .copy("longer", "y"), .copy("other", "z"),
          ]),
      ], inputs: [("x", [1])], outputs: ["y", "z"]
    ).network()
    let answer = try network.run([.vector(0)])
    #expect(answer[0].values == (0...40).map(Double.init))
    #expect(answer[1].values == (0..<40).map(Double.init) + [-40])
  }

  @Test("A dynamic batch extends all tensors that depend on it", arguments: [2, 33])
  func appendedRows(iterations: Int) throws {
    var message = Spec.ConcatNDLayerParams()
    message.axis = 1
    let network = try DynamicNetwork(
      [
        .copy("x", "y"),
        .loop(
          UInt64(iterations),
          [
            .sigmoid.named("s", ["x"], "sx"), .of(.concatND(message), "join", ["y", "sx"], ["j"]),
            .sum(["j", "bias"], "sum"), .copy("sum", "y"), .linear(-1, 0.5).named("f", ["x"], "fx"),
            .copy("fx", "x"),
          ]),
      ], inputs: [("x", [1, 1, 5]), ("bias", [5])]
    ).network()
    let inputs: [ReferenceTensor] = [.random([1, 1, 5]), .random([5], seed: 9)]
    let answer = try network.run(inputs)[0]
    let definition = try #require(try network.graph.definition(inputs)[0])
    #expect(answer.shape == [1, iterations + 1, 5])
    #expect(answer.relativeDifference(to: definition) < 1e-5)
  }

  /// Creates a vector of ones, then applies two layers to it. The second input states the length of the vector.
  private static func filled(_ last: [Spec.NeuralNetworkLayer]) throws -> Network {
    var fill = Spec.FillDynamicLayerParams()
    fill.value = 1
    return try DynamicNetwork(
      [
        .of(.fillDynamic(fill), "f", ["n"], ["ones"]), .linear(2, 1).named("a", ["ones"], "a"),
        .sum(["a", "x"], "b"),
      ] + last, inputs: [("x", [16]), ("n", [1])]
    ).network()
  }

  @Test(
    "A shape that fits one length by coincidence is refused at another, also after planning the first"
  )
  func chance() throws {
    let network = try Self.filled([.linear(1, 0).named("y", ["b"], "y")])
    let x = ReferenceTensor.random([16])
    let sums = ReferenceTensor([16], x.values.map { Double(Float($0) + 3) })
    for count in [1, 16, 9, 16, 1, 9, 9, 16, 12, 1] as [Double] {
      let run = { try network.run([x, .vector(count)])[0] }
      if count == 1 || count == 16 {
        #expect(try run() == sums)
      } else {
        let error = try #require(throws: EngineError.self) { try run() }
        #expect(error.message.hasPrefix("AddBroadcastable 'b': "))
      }
    }
  }

  @Test("Layers after a data-dependent count are planned for only a few counts")
  func dataDependentCount() throws {
    let network = try DynamicNetwork(
      [
        .of(.whereNonZero(Spec.WhereNonZeroLayerParams()), "find", ["x"], ["found"]),
        .linear(0.25, 1).named("scale", ["found"], "scaled"),
        .sigmoid.named("s", ["scaled"], "soft"), .sum(["soft", "scaled"], "y"),
      ], inputs: [("x", [10, 20])]
    ).network()
    let plan = try network.plan(for: [TensorType([10, 20])]).plan
    for count in 1...100 {
      let input = ReferenceTensor([10, 20], (0..<200).map { $0 * 7 % 200 < count ? 1 : 0 })
      let answer = try network.run([input])[0]
      let definition = try #require(try network.graph.definition([input])[0])
      try #require(answer.shape == [count, 2])
      #expect(answer.relativeDifference(to: definition) < 1e-5)
    }
    // There is one plan for each data-dependent count, two plans to detect that the count varies, and one plan for each
    // power of two.
    #expect(plan.planCount <= 100 + 2 + 4, "\(plan.planCount) plans")
  }
}
