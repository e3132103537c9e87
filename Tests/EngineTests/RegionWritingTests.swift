import Engine
import ModelFormat
import NetworkRuns
import Operators
import Testing

/// Tests writing graphs with branches and loops as layers of a NeuralNetwork.
@Suite("Regions written as nested networks")
struct RegionWritingTests {
  /// A network with its test inputs.
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let layers: [Spec.NeuralNetworkLayer]
    let inputs: [(String, [Int64])]
    var outputs: [String] = ["y"]
    let samples: [[ReferenceTensor]]
  }

  private static let counting: [Spec.NeuralNetworkLayer] = [
    .linear(1, 1).named("t", ["y"], "t"), .copy("t", "y"),
  ]

  static let cases: [Case] = [
    Case(
      testDescription: "a while loop",
      layers: [
        .copy("start", "x"), .constant([0], "n"),
        .loop(
          while: ("goes on", [.less("x", than: 100, "goes on")]),
          [
            .linear(2, 1).named("next", ["x"], "next x"), .copy("next x", "x"),
            .linear(1, 1).named("count", ["n"], "next n"), .copy("next n", "n"),
          ]),
      ], inputs: [("start", [1])], outputs: ["x", "n"],
      samples: [0, 7, 1000].map { [.vector($0)] }),
    Case(
      testDescription: "an input that gives the number of iterations",
      layers: [
        .copy("x", "y"),
        .loop(99, count: "n", [.linear(3, 0).named("t", ["y"], "t"), .copy("t", "y")]),
      ], inputs: [("x", [1]), ("n", [1])], samples: [0, 1, 5].map { [.vector(2), .vector($0)] }),
    Case(
      testDescription: "a condition network that also writes a value",
      layers: [
        .copy("x", "y"),
        .loop(
          6,
          while: (
            "c", [.linear(2, 0).named("d", ["y"], "d"), .copy("d", "y"), .less("y", than: 90, "c")]
          ), counting),
      ], inputs: [("x", [1])], samples: [1, 80].map { [.vector($0)] }),
    Case(
      testDescription: "two swapped values",
      layers: [
        .copy("x", "y"), .linear(0, 1).named("z", ["x"], "z"),
        .loop(
          7,
          [
            .copy("y", "before"), .sum(["y", "z"], "next"), .copy("next", "y"),
            .copy("before", "z"),
          ]
        ),
      ], inputs: [("x", [2])], outputs: ["y", "z"], samples: [[.vector(1, -3)]]),
    Case(
      testDescription: "breaks and continues in nested branches", layers: oddSum,
      inputs: [("x", [1]), ("stop", [1])], outputs: ["y", "i"],
      samples: [1, 2, 9, 40].map { [.vector(0), .vector($0)] }),
    Case(
      testDescription: "loops in loops",
      layers: [.copy("x", "y"), .loop(7, [.loop(11, counting), .loop(2, counting)])],
      inputs: [("x", [1])], samples: [[.vector(0.5)]]),
    Case(
      testDescription: "a branch of two sides",
      layers: [
        .linear(10, 0).named("a", ["x"], "y"), .linear(1, 5).named("b", ["x"], "z"),
        .branch(
          "c", [.linear(2, 0).named("t", ["y"], "t"), .copy("t", "y")],
          otherwise: [.linear(3, 0).named("u", ["z"], "u"), .copy("u", "z")]),
        .sum(["y", "z"], "sum"),
      ], inputs: [("x", [2]), ("c", [1])], outputs: ["y", "z", "sum"],
      samples: [0, 1].map { [.vector(1, 2), .vector($0)] }),
    Case(
      testDescription: "a value that only the taken branch makes",
      layers: [
        .branch("x", [.copy("x", "z")], otherwise: [.linear(1, 9).named("o", ["x"], "z")]),
        .linear(2, 0).named("r", ["z"], "y"),
      ], inputs: [("x", [1])], samples: [0, 3].map { [.vector($0)] }),
    Case(
      testDescription: "a tensor that becomes longer",
      layers: [
        .copy("x", "y"),
        .loop(
          count: "n",
          [
            .linear(1, 1).named("next", ["x"], "next"), .copy("next", "x"),
            .of(
              .concatND(.making { $0.axis = 0 }), "join", ["y", "x"], ["joined"]),
            .copy("joined", "y"),
          ]),
      ], inputs: [("x", [1]), ("n", [1])], samples: [1, 9].map { [.vector(0), .vector($0)] }),
    Case(
      testDescription: "a convolution in a loop",
      layers: [
        .copy("x", "y"),
        .loop(
          3,
          [
            .convolution(4, 4, padding: 1).named("conv", ["y"], "a"),
            .sigmoid.named("s", ["a"], "b"), .sum(["b", "x"], "d"), .copy("d", "y"),
          ]),
      ], inputs: [("x", [1, 4, 5, 6])], samples: [[.random([1, 4, 5, 6])]]),
  ]

  /// `for i in 1... { if i == stop { break }; if i is even { continue }; y += i }`
  private static let oddSum: [Spec.NeuralNetworkLayer] = [
    .copy("x", "y"), .constant([0], "i"), .constant([0], "odd"),
    .loop(
      500,
      [
        .linear(1, 1).named("step", ["i"], "next i"), .copy("next i", "i"),
        .linear(-1, 1).named("flip", ["odd"], "next odd"), .copy("next odd", "odd"),
        .of(.equal(.init()), "is last", ["i", "stop"], ["is last"]),
        .branch("is last", [.constant([-1], "ended"), .breaking, .copy("x", "y")]),
        .branch("odd", [], otherwise: [.branch("i", [.continuing])]),
        .sum(["y", "i"], "next y"), .copy("next y", "y"),
      ]),
  ]

  @Test("Nested networks compute the same as the original networks", arguments: cases)
  func roundTrip(test: Case) throws {
    let network = DynamicNetwork(test.layers, inputs: test.inputs, outputs: test.outputs)
    let graph: Graph = try network.network().graph
    let layers = try graph.neuralNetworkLayers()
    let again = try DynamicNetwork(layers, inputs: test.inputs, outputs: test.outputs).network()
    // The network `again` is written as layers and read again. The result `twice` must still compute the same.
    let twice = try DynamicNetwork(
      try again.graph.neuralNetworkLayers(), inputs: test.inputs, outputs: test.outputs
    ).network()
    for inputs in test.samples {
      let expected = try graph.definition(inputs)
      #expect(try again.graph.definition(inputs) == expected)
      #expect(try again.run(inputs) == network.network().run(inputs))
      #expect(try twice.run(inputs) == network.network().run(inputs))
    }
  }

  @Test("A written branch that is not taken leaves its values absent, as in the original")
  func missing() throws {
    let network = DynamicNetwork(
      [.branch("x", [.copy("x", "z")]), .reLU.named("r", ["z"], "y")], inputs: [("x", [1])])
    let again = try DynamicNetwork(
      try network.network().graph.neuralNetworkLayers(), inputs: [("x", [1])]
    ).network()
    #expect(try again.run([.vector(3)]) == [.vector(3)])
    let error = #expect(throws: EngineError.self) { try again.run([.vector(0)]) }
    #expect(
      error?.message.contains("which no layer made in the branches and loops that ran") == true)
  }

  /// The test builds the graph by hand. One argument of the loop is a constant matrix. Every iteration swaps the two
  /// carried values.
  @Test("Nested networks store constant arguments as weights")
  func constantArguments() throws {
    var body = Graph()
    let (a, b) = (body.addValue("a"), body.addValue("b"))
    let matrix = body.addValue("matrix")
    body.inputs = [a, b, matrix]
    let product = body.addValue("product")
    body.nodes = [
      Graph.Node(
        name: "dense", operation: InnerProductOperator(), inputs: [a, matrix], outputs: [product])
    ]
    body.outputs = [b, product]
    var graph = Graph()
    let x = graph.addInput("x", [1, 2])
    let start = graph.addConstant(Constant([1, 2], [3, 5]), name: "start")
    let weights = graph.addConstant(Constant([2, 2], [0, 1, -1, 0.5]), name: "weights")
    let outputs = [graph.addValue("p"), graph.addValue("q")]
    graph.nodes = [
      Graph.Node(
        name: "loop", operation: LoopOperator(LoopRule(hasCondition: false, most: 5)),
        inputs: [x, start, weights], outputs: outputs, regions: [Graph.Region(body)])
    ]
    graph.outputs = outputs
    let layers = try graph.neuralNetworkLayers()
    let again = DynamicNetwork(layers, inputs: [("x", [1, 2])], outputs: ["p", "q"])
    let input = ReferenceTensor([1, 2], [0.25, -4])
    #expect(try again.network().graph.definition([input]) == graph.definition([input]))
  }
}
