import Conversion
import Engine
import Foundation
import ModelFormat
import NeuralNetworkFormat
import Operators
import Testing

@Suite("A written model")
struct WrittenModelTests {
  private func inFolder<Result>(_ body: (URL) throws -> Result) throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder)
  }

  /// Writes a model in a format and reads it again.
  private func written(_ model: GraphModel, as ending: String) throws -> GraphModel {
    try inFolder { folder in
      let file: URL = folder.appendingPathComponent("model.\(ending)")
      var options = WritingOptions()
      options.precision = .float32
      try ModelWriters.write(model, to: file, options: options)
      return try ModelReaders.read(file)
    }
  }

  private func expectSame(
    _ model: GraphModel, as ending: String, _ inputs: [ReferenceTensor]
  ) throws {
    let wanted = try model.graph.definition(inputs)
    let again = try written(model, as: ending)
    let found = try again.graph.definition(inputs)
    for (a, b) in zip(found, wanted) {
      let (a, b) = (try #require(a), try #require(b))
      #expect(a.shape == b.shape || b.shape.rank == 0 && a.shape.count == 1)
      for (x, y) in zip(a.values, b.values) { #expect(abs(x - y) < 1e-5) }
    }
  }

  static let formats: [String] = ["mlmodel", "mlpackage", "onnx"]

  @Test("A written model pads integers by a value clamped to int32")
  func paddedIntegers() throws {
    let builder = GraphBuilder()
    let x = builder.addInput("x", extents: [2], element: .int32)
    let pad = ConstantPadOperator(value: 0x1p63, amounts: [1, 1])
    builder.addOutput(try builder.add(pad, x, name: "y"), name: "y")
    let again = try written(builder.model(), as: "mlpackage")
    let y = try again.graph.definition([ReferenceTensor([2], integerValues: [1, 2], .int32)])[0]
    #expect(y?.reals == [2_147_483_647, 1, 2, 2_147_483_647])
  }

  /// Uses a layer that adds the same axis twice. The reader accepts this layer, and the planner refuses it.
  @Test(
    "A writer plans a model first, refuses an invalid one with a message and leaves no file",
    arguments: formats)
  func cannotBePlanned(ending: String) throws {
    var axes = Spec.ExpandDimsLayerParams()
    axes.axes = [0, 0]
    var layer = Spec.NeuralNetworkLayer()
    (layer.name, layer.input, layer.output) = ("wider", ["x"], ["y"])
    layer.layer = .expandDims(axes)
    var network = Spec.NeuralNetwork()
    (network.layers, network.arrayInputShapeMapping) = ([layer], .exactArrayMapping)
    var features: [Spec.FeatureDescription] = []
    for (name, shape) in [("x", [2, 3] as [Int64]), ("y", [])] {
      var array = Spec.ArrayFeatureType()
      (array.shape, array.dataType) = (shape, .float32)
      var feature = Spec.FeatureDescription()
      (feature.name, feature.type) = (name, Spec.FeatureType())
      feature.type?.type = .multiArrayType(array)
      features.append(feature)
    }
    var message = Spec.Model()
    (message.specificationVersion, message.type) = (5, .neuralNetwork(network))
    message.description = Spec.ModelDescription()
    message.description?.input = [features[0]]
    message.description?.output = [features[1]]
    let model = try #require(try GraphModel(neuralNetwork: message))
    try inFolder { folder in
      let error = #expect(throws: EngineError.self) {
        try ModelWriters.write(model, to: folder.appendingPathComponent("model.\(ending)"))
      }
      #expect(error?.message.contains("'wider': axes is [0, 0]") == true, "\(error?.message ?? "")")
      let left: [String] = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      #expect(left.isEmpty)
    }
  }

  /// Writes `x.view(x.size(0), -1)`. An extent of the shape is a scalar. It becomes a vector and is concatenated with
  /// another number.
  @Test("A written model preserves the axes that scalars become", arguments: formats)
  func scalars(ending: String) throws {
    let builder = GraphBuilder()
    let x = builder.addInput("x", extents: [Extent(from: 1), 3, 2])
    let shape = try builder.add(
      CastOperator(to: .int32), builder.add(GetShapeOperator(), x, name: "shape"), name: "sizes")
    let zero = builder.addConstant(ReferenceTensor([], integerValues: [0], .int32), name: "zero")
    let count = try builder.add(GatherOperator(axis: 0), shape, zero, name: "count")
    let first = try builder.add(ExpandDimsOperator(axes: [0]), count, name: "first")
    let rest = builder.addConstant(ReferenceTensor([1], integerValues: [-1], .int32), name: "rest")
    let sizes = try builder.add(
      ConcatNDOperator(axis: 0), [first, rest], outputs: 1, name: "both")[0]
    let flat = try builder.add(ReshapeDynamicOperator(), x, sizes, name: "flat")
    builder.state([Extent(from: 0), Extent(from: 0)], .float32, of: flat)
    builder.addOutput(flat, name: "y")
    for batch in [1, 3] {
      let x = ReferenceTensor([batch, 3, 2], (0..<batch * 6).map(Double.init))
      try expectSame(builder.model(), as: ending, [x])
    }
  }

  @Test("A written model stores values computed from constants as weights", arguments: formats)
  func constants(ending: String) throws {
    let builder = GraphBuilder()
    let x = builder.addInput("x", extents: [2, 4])
    let integers = builder.addConstant(
      Constant([4, 3], (0..<12).map { Float($0) - 5 }), name: "integers")
    let scale = builder.addConstant(Constant([3], [0.5, 0.25, 2]), name: "scale")
    let scaled = try builder.add(
      BinaryFunctionOperator(.multiply), integers, scale, name: "scaled")
    let weights = try builder.add(TransposeOperator(axes: [1, 0]), scaled, name: "weights")
    let made = try builder.add(
      BatchedMatMulOperator.ofRows, [x, weights], outputs: 1, name: "y")[0]
    builder.addOutput(made, name: "y")
    try expectSame(
      builder.model(), as: ending, [ReferenceTensor([2, 4], [1, 2, 3, 4, -1, 0, 2, 5])])
  }

  @Test(
    "A written model resizes to another image's size by nearest neighbour",
    arguments: ["mlpackage", "onnx"])
  func computedSizes(ending: String) throws {
    let builder = GraphBuilder()
    let free: [Extent] = [1, 1, Extent(from: 1), Extent(from: 1)]
    let (x, like) = (
      builder.addInput("x", extents: free), builder.addInput("like", extents: free)
    )
    let shape = try builder.add(
      CastOperator(to: .int32), builder.add(GetShapeOperator(), like, name: "shape"), name: "sizes")
    let sizes = try builder.add(
      SliceStaticOperator(slices: [AxisSlice(begin: 2)]), shape, name: "last")
    let made = try builder.add(
      ResizeOperator(sizes: nil, mode: .nearest, grid: .upsample), x, sizes, name: "resized")
    builder.addOutput(made, name: "y")
    try expectSame(
      builder.model(), as: ending,
      [
        ReferenceTensor([1, 1, 2, 3], [1, 2, 3, 4, 5, 6]),
        ReferenceTensor([1, 1, 5, 4], [Double](repeating: 0, count: 20)),
      ])
  }

  /// Builds a recurrent network over five steps, with an operator of the given number of gates.
  private func recurrent(
    _ operation: any Operator, gates: Int, biases: Int, states: Int, outputs: Int
  ) throws -> (GraphModel, [ReferenceTensor]) {
    let (length, batch, size, units) = (5, 2, 3, 4)
    var seed: UInt64 = 7
    func numbers(_ shape: Shape) -> ReferenceTensor {
      ReferenceTensor(
        shape,
        (0..<shape.count).map { _ in
          seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
          return Double(Int(seed >> 40) % 2000 - 1000) / 1000
        })
    }
    let builder = GraphBuilder()
    var inputs = [
      builder.addInput("x", extents: [Extent(length), Extent(batch), Extent(size), 1, 1])
    ]
    var feeds: [ReferenceTensor] = [numbers([length, batch, size, 1, 1])]
    for state in 0..<states {
      inputs.append(
        builder.addInput("h\(state)", extents: [1, Extent(batch), Extent(units), 1, 1]))
      feeds.append(numbers([1, batch, units, 1, 1]))
    }
    for _ in 0..<gates {
      inputs.append(builder.addConstant(numbers([units, size]), name: "w"))
      inputs.append(builder.addConstant(numbers([units, units]), name: "r"))
    }
    for _ in 0..<biases { inputs.append(builder.addConstant(numbers([units]), name: "b")) }
    let made = try builder.add(operation, inputs, outputs: outputs, name: "walk")
    for (index, value) in made.enumerated() { builder.addOutput(value, name: "y\(index)") }
    return (builder.model(), feeds)
  }

  @Test("Recurrent layers that a format lacks are written as loops", arguments: formats)
  func loops(ending: String) throws {
    let cases: [(any Operator, Int, Int, Int)] = [
      (
        GRUOperator(
          returnsSequence: true, reversesInput: true, takesState: true, outputCount: 2,
          reset: .recursion(hasBias: true), sumBound: .infinity), 3, 4, 1
      ),
      (
        GRUOperator(returnsSequence: false, takesState: true, outputCount: 2, sumBound: 0.5), 3, 3,
        1
      ),
      (
        SimpleRecurrentOperator(
          activation: .reLU, returnsSequence: true, takesState: true, outputCount: 2,
          sumBound: .infinity), 1, 1, 1
      ),
      (
        UniDirectionalLSTMOperator(
          LSTMCell(
            hasPeepholes: true, couplesGates: true, cellBound: .infinity, sumBound: 0.5),
          returnsSequence: true, takesStates: true, outputCount: 3), 4, 7, 2
      ),
      (
        UniDirectionalLSTMOperator(
          LSTMCell(cellBound: .infinity, sumBound: .infinity), returnsSequence: true,
          takesStates: true, outputCount: 3), 4, 4, 2
      ),
    ]
    for (operation, gates, biases, states) in cases {
      let (model, feeds) = try recurrent(
        operation, gates: gates, biases: biases, states: states, outputs: states + 1)
      try expectSame(model, as: ending, feeds)
    }
  }

  @Test("A model that could not run is refused, and no file remains", arguments: formats)
  func refusal(ending: String) throws {
    func model(_ extents: [Extent]) throws -> GraphModel {
      let builder = GraphBuilder()
      let x = builder.addInput("x", extents: extents)
      builder.addOutput(try builder.add(ActivationOperator(.reLU), x, name: "y"), name: "y")
      return builder.model()
    }
    try inFolder { folder in
      let file: URL = folder.appendingPathComponent("model.\(ending)")
      let writer = try ModelWriters.writer(for: file)
      var sentence = ""
      do {
        // The output of the written model has a shape that differs from the declared one.
        let other = try model([1, 2])
        var meant = try model([1, 2])
        let reshaped: Graph.ValueID = meant.graph.addValue("y")
        meant.graph.nodes.append(
          Graph.Node(
            name: "flat", operation: ReshapeStaticOperator(targetShape: [2]),
            inputs: [meant.graph.outputs[0]], outputs: [reshaped]))
        meant.graph.outputs = [reshaped]
        try ModelWriters.write(meant, to: file) {
          try writer.write(other, to: $0, options: WritingOptions())
        }
      } catch let error as EngineError {
        sentence = error.message
      }
      #expect(
        sentence.hasPrefix(
          "'model.\(ending)' was not written because it could not run: its output 'y' would be 1 × 2, expected 2."
        ))
      let left: [String] = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      #expect(left.isEmpty)
    }
  }

  @Test("A written model replaces an older file, but not a folder")
  func replacing() throws {
    let builder = GraphBuilder()
    let x = builder.addInput("x", extents: [2])
    builder.addOutput(try builder.add(ActivationOperator(.reLU), x, name: "y"), name: "y")
    try inFolder { folder in
      let file: URL = folder.appendingPathComponent("model.onnx")
      try Data("older".utf8).write(to: file)
      try ModelWriters.write(builder.model(), to: file)
      #expect(try ModelReaders.read(file).inputs.map(\.name) == ["x"])
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["model.onnx"])
      let existing: URL = folder.appendingPathComponent("folder.mlmodel")
      try FileManager.default.createDirectory(at: existing, withIntermediateDirectories: true)
      #expect(throws: (any Error).self) { try ModelWriters.write(builder.model(), to: existing) }
      #expect(FileManager.default.fileExists(atPath: existing.path))
    }
  }
}
