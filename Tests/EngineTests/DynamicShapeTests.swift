import Engine
import NetworkRuns
import Operators
import ModelFormat
import Testing

@Suite("Data-dependent shapes")
struct DynamicShapeTests {
  private static func slice(axis input: String, to end: String) -> Spec.NeuralNetworkLayer {
    var message = Spec.SliceDynamicLayerParams()
    message.beginMasks = [true]
    message.endMasks = [false]
    message.strides = [1]
    return .of(.sliceDynamic(message), "slice", [input, "zero", end], ["y"])
  }

  @Test("The output has one index for each nonzero element", arguments: [0, 1, 5, 24])
  func nonZero(count: Int) throws {
    let network = try DynamicNetwork(
      [
        .linear(2, 0).named("twice", ["x"], "a"),
        .of(.whereNonZero(Spec.WhereNonZeroLayerParams()), "find", ["a"], ["found"]),
        .linear(1, 100).named("move", ["found"], "y"),
      ], inputs: [("x", [4, 6])]
    ).network()
    let input = ReferenceTensor([4, 6], (0..<24).map { $0 * 7 % 24 < count ? 1.5 : 0 })
    var expected: [Double] = []
    for position in 0..<24 where input.values[position] != 0 {
      expected += [100 + Double(position / 6), 100 + Double(position % 6)]
    }
    #expect(try network.run([input]) == [ReferenceTensor([count, 2], expected)])
    #expect(try network.isPlanned([[4, 6]]) == false)
  }

  @Test("A slice ends at a computed index", arguments: [1, 3, 7, -2])
  func slice(end: Int) throws {
    let network = try DynamicNetwork(
      [
        .constant([0], "zero"), .linear(1, 1).named("plus", ["n"], "end"),
        Self.slice(axis: "x", to: "end"),
      ], inputs: [("x", [7]), ("n", [1])]
    ).network()
    let input = ReferenceTensor([7], [1, 2, 3, 4, 5, 6, 7])
    let expected = Array(input.values[..<(end < 0 ? 7 + end : end)])
    #expect(
      try network.run([input, .vector(Double(end - 1))]) == [
        ReferenceTensor([expected.count], expected)
      ])
  }

  @Test("A reshape follows a shape given as an input")
  func reshapeByInput() throws {
    let network = try DynamicNetwork(
      [
        .of(.reshapeDynamic(Spec.ReshapeDynamicLayerParams()), "r", ["x", "sizes"], ["a"]),
        .linear(2, 0).named("twice", ["a"], "y"),
      ], inputs: [("x", [2, 3]), ("sizes", [2])]
    ).network()
    let input = ReferenceTensor([2, 3], [1, 2, 3, 4, 5, 6])
    for sizes in [[3, 2], [6, 1], [1, -1]] as [[Double]] {
      let answer = try network.run([input, ReferenceTensor([2], sizes)])[0]
      #expect(answer.values == [2, 4, 6, 8, 10, 12])
      #expect(answer.shape[0] == Int(sizes[0]))
    }
    let error = try #require(throws: EngineError.self) {
      try network.run([input, .vector(4, 2)])
    }
    #expect(error.message.hasPrefix("ReshapeDynamic 'r': "))
  }

  @Test("Non-maximum suppression keeps the highest-scoring boxes")
  func suppression() throws {
    var message = Spec.NonMaximumSuppressionLayerParams()
    message.iouThreshold = 0.5
    message.scoreThreshold = 0.1
    message.maxBoxes = 3
    let network = try DynamicNetwork(
      [
        .linear(1, 0).named("boxes", ["x"], "boxes"),
        .of(
          .nonMaximumSuppression(message), "nms", ["boxes", "scores"],
          ["kept", "kept scores", "indices", "count"]),
        .linear(10, 0).named("ten", ["count"], "y"),
      ], inputs: [("x", [1, 4, 4]), ("scores", [1, 4, 1])], outputs: ["indices", "y"]
    ).network()
    // Each box is (x, y, width, height). The first two overlap almost completely. The third is separate from them. The
    // score of the fourth is below the threshold.
    let boxes = ReferenceTensor(
      [1, 4, 4], [1, 1, 2, 2, 1.1, 1, 2, 2, 9, 9, 2, 2, 5, 5, 1, 1])
    let scores = ReferenceTensor([1, 4, 1], [0.6, 0.9, 0.8, 0.05])
    let results = try network.run([boxes, scores])
    #expect(results[0].values.prefix(2) == [1, 2])
    #expect(results[1].values == [20])
  }

  @Test("The two branches of a condition may give different shapes", arguments: [0.0, 1])
  func shapesByBranch(condition: Double) throws {
    let network = try DynamicNetwork(
      [
        .branch("c", [.constant([1, 2, 3], "y")], otherwise: [.constant([5], "y")]),
        .linear(2, 0).named("twice", ["y"], "z"),
      ], inputs: [("c", [1])], outputs: ["z"]
    ).network()
    let expected: ReferenceTensor = condition == 1 ? .vector(2, 4, 6) : .vector(10)
    #expect(try network.run([.vector(condition)]) == [expected])
  }

  @Test("A slice that squeezes every axis gives a scalar, and an axis can be added to it")
  func scalar() throws {
    let squeezing: Spec.SliceStaticLayerParams = {
      var message = Spec.SliceStaticLayerParams()
      (message.beginIds, message.endIds, message.strides) = ([1, 2], [0, 0], [1, 1])
      (message.beginMasks, message.endMasks) = ([false, false], [false, false])
      message.squeezeMasks = [true, true]
      return message
    }()
    var expanding = Spec.ExpandDimsLayerParams()
    expanding.axes = [0]
    let network = try DynamicNetwork(
      [
        .of(.sliceStatic(squeezing), "slice", ["x"], ["a"]),
        .of(.expandDims(expanding), "once", ["a"], ["b"]),
        .of(.expandDims(expanding), "twice", ["b"], ["c"]),
      ], inputs: [("x", [2, 3])], outputs: ["a", "b", "c"]
    ).network()
    #expect(
      try network.run([ReferenceTensor([2, 3], [0, 1, 2, 3, 4, 5])]) == [
        ReferenceTensor([1], [5]), ReferenceTensor([1], [5]), ReferenceTensor([1, 1], [5]),
      ])
  }

  @Test("An empty input gives an empty output")
  func emptyInput() throws {
    let network = try DynamicNetwork(
      [.linear(2, 1).named("a", ["x"], "b"), .reLU.named("c", ["b"], "y")],
      inputs: [("x", [0, 3])]
    ).network()
    #expect(try network.run([ReferenceTensor([0, 3], [])]) == [ReferenceTensor([0, 3], [])])
    #expect(try network.isPlanned([[2, 3]]))
  }
}

@Suite("Shapes derived from other shapes")
struct ShapeQueryTests {
  @Test(
    "A reshape to another tensor's shape is planned in advance for every size", arguments: [4, 10])
  func reshapeLikeAnother(width: Int) throws {
    let network = try DynamicNetwork(
      [
        .linear(1, 1).named("a", ["x"], "b"),
        .of(.getShape(Spec.GetShapeLayerParams()), "shape", ["form"], ["sizes"]),
        .of(.reshapeDynamic(Spec.ReshapeDynamicLayerParams()), "r", ["b", "sizes"], ["y"]),
      ], inputs: [("x", [2, 4]), ("form", [4, 2])]
    ).network()
    let input = ReferenceTensor([2, width], (0..<2 * width).map(Double.init))
    #expect(try network.isPlanned([input.shape, [width, 2]]))
    #expect(
      try network.run([input, ReferenceTensor([width, 2])]) == [
        ReferenceTensor([width, 2], input.values.map { $0 + 1 })
      ])
  }

  @Test("Arithmetic on shapes is planned in advance")
  func computedShape() throws {
    let network = try DynamicNetwork(
      [
        .of(.getShape(Spec.GetShapeLayerParams()), "shape", ["x"], ["sizes"]),
        .constant([2, 1], "factors"), .product(["sizes", "factors"], "larger"),
        .of(.fillDynamic(Self.filling(3)), "fill", ["larger"], ["threes"]),
        .of(.getShape(Spec.GetShapeLayerParams()), "shape2", ["threes"], ["sizes2"]),
        .constant([7], "seven"),
        .of(
          .broadcastToDynamic(Spec.BroadcastToDynamicLayerParams()), "b", ["seven", "sizes2"],
          ["sevens"]),
        .sum(["threes", "sevens"], "y"),
      ], inputs: [("x", [1, 5])]
    ).network()
    for height in [1, 3] {
      #expect(try network.isPlanned([[height, 5]]))
      #expect(
        try network.run([ReferenceTensor([height, 5])]) == [
          ReferenceTensor([height * 2, 5], repeating: 10)
        ])
    }
  }

  private static func filling(_ value: Float) -> Spec.FillDynamicLayerParams {
    var message = Spec.FillDynamicLayerParams()
    message.value = value
    return message
  }
}
