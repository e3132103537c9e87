import Engine
import OperatorSamples
import Operators
import ModelFormat
import Testing

/// A network and the operators that must remain after the passes.
struct PassCase: Sendable, CustomTestStringConvertible {
  var name: String
  var layers: [Spec.NeuralNetworkLayer]
  var channels = 16
  /// The catalogue names of the remaining layers.
  var remaining: [String]

  var testDescription: String { name }

  static let all: [PassCase] = [
    PassCase(
      name: "batch norm and ReLU after a convolution",
      layers: [
        .convolution(16, 16).named("c", ["x"], "a"), .batchNorm(16).named("b", ["a"], "b"),
        .reLU.named("r", ["b"], "y"),
      ], remaining: ["Convolution"]),
    PassCase(
      name: "a value with another reader stays",
      layers: [
        .convolution(16, 16, padding: 1).named("c", ["x"], "a"), .reLU.named("r", ["a"], "b"),
        .add.named("s", ["a", "b"], "y"),
      ], remaining: ["Convolution", "PointwiseChain"]),
    PassCase(
      name: "zero padding before a convolution",
      layers: [
        .zeroPadding(5).named("p", ["x"], "a"), .convolution(16, 16).named("c", ["a"], "y"),
      ], remaining: ["Convolution"]),
    PassCase(
      name: "upsampling before a convolution",
      layers: [
        .upsample(2).named("u", ["x"], "a"),
        .convolution(16, 16, padding: 1).named("c", ["a"], "y"),
      ], remaining: ["Convolution"]),
    PassCase(
      name: "a residual block",
      layers: [
        .convolution(16, 16, padding: 1).named("c1", ["x"], "a"), .reLU.named("r", ["a"], "b"),
        .convolution(16, 16, padding: 1, seed: 3).named("c2", ["b"], "c"),
        .batchNorm(16).named("n", ["c"], "d"), .add.named("s", ["d", "x"], "e"),
        .reLU.named("r2", ["e"], "y"),
      ], remaining: ["Convolution", "Convolution"]),
    PassCase(
      name: "a residual block with a crop",
      layers: [
        .convolution(16, 16).named("c1", ["x"], "a"), .crop(1).named("k", ["x"], "b"),
        .add.named("s", ["b", "a"], "y"),
      ], remaining: ["Convolution"]),
    PassCase(
      name: "a residual block with a crop to another image's size",
      layers: [
        .convolution(16, 16).named("c1", ["x"], "a"),
        .cropToSize(top: 2, left: 1).named("k", ["x", "a"], "b"), .add.named("s", ["b", "a"], "y"),
      ], remaining: ["Convolution"]),
    PassCase(
      name: "instance norm with a cropped residual and an activation",
      layers: [
        .convolution(16, 16).named("c1", ["x"], "a"),
        .batchNorm(16, instance: true).named("n", ["a"], "b"), .crop(1).named("k", ["x"], "c"),
        .add.named("s", ["b", "c"], "d"), .reLU.named("r", ["d"], "y"),
      ], remaining: ["Convolution", "BatchNorm"]),
    PassCase(
      name: "sigmoid and two affine layers after a convolution to few channels",
      layers: [
        .convolution(3, 16, kernel: 9, padding: 4).named("c", ["x"], "a"),
        .sigmoid.named("g", ["a"], "b"), .linear(255, 1).named("l", ["b"], "d"),
        .batchNorm(3).named("n", ["d"], "y"),
      ], remaining: ["Convolution"]),
    PassCase(
      name: "a crop after a convolution with a stride",
      layers: [
        .convolution(16, 16, stride: 2, padding: 1).named("c", ["x"], "a"),
        .reLU.named("r", ["a"], "b"),
        .crop(1).named("k", ["b"], "y"),
      ], remaining: ["Convolution"]),
    PassCase(
      name: "a crop of a value with another reader",
      layers: [
        .convolution(16, 16, padding: 1).named("c", ["x"], "a"), .crop(2).named("k", ["a"], "b"),
        .convolution(16, 16, padding: 1, seed: 3).named("d", ["a"], "e"),
        .cropToSize(top: 1, left: 2).named("l", ["e", "b"], "f"), .add.named("m", ["b", "f"], "y"),
      ], remaining: ["Convolution", "Crop", "Convolution", "Add"]),
  ]
}

@Suite("Passes")
struct PassTests {
  @Test("Passes leave the expected operators and preserve the answer", arguments: PassCase.all)
  func pass(example: PassCase) throws {
    let test = TestNetwork(example.layers, input: [1, Int64(example.channels), 12, 14])
    let input = ReferenceTensor.random([1, example.channels, 12, 14])
    let network = try test.network()
    let optimized = try network.optimizedGraph(for: [TensorType(input.shape)])
    #expect(optimized.nodes.map { $0.operation.name } == example.remaining)
    let expected = try test.graph().reference([input])[0]
    #expect(try optimized.reference([input])[0].relativeDifference(to: expected) < 1e-5)
    #expect(try network.predict(input).relativeDifference(to: expected) < 1e-5)
  }

  @Test(
    "A convolution computes the statistics for the norms that read it, with the same bits",
    arguments: [Precision.float32, .bfloat16])
  func statistics(precision: Precision) throws {
    let test = TestNetwork(
      [
        .convolution(32, 16, padding: 1).named("c", ["x"], "a"),
        .batchNorm(32, instance: true).named("n", ["a"], "b"), .reLU.named("r", ["b"], "d"),
        .batchNorm(32, instance: true).named("m", ["a"], "e"), .add.named("s", ["d", "e"], "f"),
        .convolution(16, 32, padding: 1, seed: 4).named("c2", ["f"], "y"),
      ], input: [1, 16, 40, 44])
    let options = ExecutionOptions(precision: precision, threads: 2)
    let network = try test.network(options)
    let types = [TensorType([1, 16, 40, 44])]
    let convolutions = try network.optimizedGraph(for: types).nodes.compactMap {
      $0.operation.asFusedConvolution
    }
    #expect(convolutions.map(\.takesStatistics) == [true, false])
    let added: [any GraphPass.Type] = [TakeStatistics.self, ReadThroughNorm.self]
    let before = Network(
      try test.graph(),
      passes: GraphPasses.standard.filter { pass in !added.contains { $0 == pass } },
      options: options)
    let input = ReferenceTensor.random([1, 16, 40, 44])
    #expect(try network.predict(input) == before.predict(input))
  }

  @Test(
    "A convolution applies the norm before it, if nothing else reads the norm's results",
    arguments: [Precision.float32, .bfloat16])
  func norms(precision: Precision) throws {
    let test = TestNetwork(
      [
        .convolution(32, 16, padding: 1).named("c", ["x"], "a"),
        .batchNorm(32, instance: true).named("n", ["a"], "b"), .reLU.named("r", ["b"], "d"),
        .convolution(32, 32, padding: 1, seed: 2).named("c2", ["d"], "e"),
        .batchNorm(32, instance: true).named("m", ["e"], "f"),
        .convolution(3, 32, kernel: 9, padding: 4, seed: 3).named("c3", ["f"], "g"),
        .upsample(2).named("z", ["f"], "f2"),
        .convolution(3, 32, padding: 1, seed: 4).named("c4", ["f2"], "h2"),
        .cropToSize(top: 3, left: 5).named("k", ["h2", "g"], "h"),
        .add.named("s", ["g", "h"], "t"),
        .convolution(16, 3, padding: 1, seed: 5).named("c5", ["t"], "u"),
        .batchNorm(16, instance: true).named("o", ["u"], "v"),
        .convolution(16, 16, padding: 1, seed: 6).named("c6", ["v"], "w"),
        .add.named("p", ["v", "w"], "y"),
      ], input: [1, 16, 40, 44])
    let options = ExecutionOptions(precision: precision, threads: 2)
    let network = try test.network(options)
    let convolutions = try network.optimizedGraph(for: [TensorType([1, 16, 40, 44])]).nodes
      .compactMap { $0.operation.asFusedConvolution }
    // The last convolution adds the norm's output as a residual.
    #expect(convolutions.map { $0.inputNorm != nil } == [false, true, true, true, false, false])
    #expect(convolutions.map(\.sharesInput) == [false, false, true, true, false, false])
    #expect(convolutions[1].inputNorm?.epilogue == [.activation(.reLU)])
    let input = ReferenceTensor.random([1, 16, 40, 44])
    let expected = try test.graph().reference([input])[0]
    let bound = precision == .float32 ? 1e-5 : 0.03
    #expect(try network.predict(input).relativeDifference(to: expected) < bound)
    // Random choices of kernels include kernels that need a separate norm on their input.
    for seed in UInt64(1)...6 {
      var options = options
      options.kernelSeed = seed
      let answer = try test.network(options).predict(input)
      #expect(answer.relativeDifference(to: expected) < bound, "\(seed)")
    }
  }

  @Test(
    "Convolutions compute only the pixels that a later crop keeps, with any kernels",
    arguments: [Precision.float32, .bfloat16])
  func crops(precision: Precision) throws {
    let test = TestNetwork(
      [
        .convolution(32, 3, kernel: 9, padding: 4).named("c1", ["x"], "a"),
        .batchNorm(32, instance: true).named("n", ["a"], "b"), .reLU.named("r", ["b"], "d"),
        .convolution(16, 32, padding: 1, seed: 2).named("c2", ["d"], "e"),
        .convolution(16, 3, kernel: 5, padding: 2, seed: 3).named("c3", ["x"], "f"),
        .add.named("s", ["e", "f"], "g"), .sigmoid.named("t", ["g"], "h"),
        .crop(6).named("k", ["h"], "y"),
      ], input: [1, 3, 44, 52])
    let types = [TensorType([1, 3, 44, 52])]
    var options = ExecutionOptions(precision: precision, threads: 2)
    let nodes = try test.network(options).optimizedGraph(for: types).nodes
    #expect(nodes.map { $0.operation.name } == ["Convolution", "Convolution", "Convolution"])
    let paddings = nodes.compactMap { $0.operation.asFusedConvolution?.core.padding }
    let expected = [4, -5, -4].map {
      ConvolutionOperator.Padding.valid(top: $0, left: $0, bottom: $0, right: $0)
    }
    #expect(Set(paddings.map { "\($0)" }) == Set(expected.map { "\($0)" }))
    let input = ReferenceTensor.random([1, 3, 44, 52])
    let answer = try test.graph().reference([input])[0]
    let bound = precision == .float32 ? 1e-5 : 0.03
    for seed in [nil] + (UInt64(1)...6).map(Optional.some) {
      options.kernelSeed = seed
      let made = try test.network(options).predict(input)
      #expect(made.relativeDifference(to: answer) < bound, "\(seed ?? 0)")
    }
  }

  @Test("A deconvolution's fixed output size can be made free, and then follows the image's size")
  func freedOutputShapes() throws {
    let test = TestNetwork(
      [.deconvolution(8, 16, outputShape: [26, 30]).named("d", ["x"], "y")],
      input: [1, 16, 12, 14])
    var graph = try test.graph()
    try graph.freeOutputShapes(from: [TensorType([1, 16, 12, 14])])
    let declared = ReferenceTensor.random([1, 16, 12, 14])
    #expect(try graph.reference([declared]) == test.graph().reference([declared]))
    let network = Network(
      graph, passes: GraphPasses.standard, options: ExecutionOptions(threads: 2))
    let larger = ReferenceTensor.random([1, 16, 20, 11])
    let answer = try network.predict(larger)
    #expect(answer.shape == [1, 8, 42, 24])
    #expect(try answer.relativeDifference(to: graph.reference([larger])[0]) < 1e-5)
  }

  @Test("Constants are computed during planning")
  func constants() throws {
    var constant = Spec.LoadConstantNDLayerParams()
    constant.shape = [16, 1, 1]
    constant.data = .random(16)
    let test = TestNetwork(
      [
        Spec.NeuralNetworkLayer(.loadConstantND(constant)).named("k", [], "k"),
        .reLU.named("r", ["k"], "kr"), .add.named("s", ["x", "kr"], "y"),
      ], input: [1, 16, 3, 3])
    let optimized = try test.network().optimizedGraph(for: [TensorType([1, 16, 3, 3])])
    #expect(optimized.nodes.count == 1)
  }
}
