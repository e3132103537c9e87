import Engine
import ModelFormat
import Testing

@testable import ModelTools

struct FetchedNetworkTests {
  private func array(_ shape: [Int], _ values: [Float]) throws -> NumericArray {
    let bytes: ByteValues = values.withUnsafeBytes { ByteValues(copying: $0) }
    return try #require(NumericArray(.float32, shape: shape, bytes: bytes))
  }

  @Test("A height × width × in × out kernel becomes out × in × height × width")
  func kernelOrder() throws {
    // Each value is 1000 · row + 100 · column + 10 · input + output.
    var values: [Float] = []
    for row in 0..<2 {
      for column in 0..<3 {
        for input in 0..<2 {
          for output in 0..<4 {
            values.append(Float(1000 * row + 100 * column + 10 * input + output))
          }
        }
      }
    }
    let builder = GraphBuilder()
    let picture = builder.addInput("image", extents: [1, 2, 8, 9])
    let last = try builder.addConvolution(
      "c", kernel: array([2, 3, 2, 4], values), bias: array([4], [1, 2, 3, 4]), stride: 2,
      padding: 1, rectifier: "r", reading: picture)
    builder.addOutput(last, name: "y")
    let layers = try builder.graph.neuralNetworkLayers()
    #expect(layers.map(\.name) == ["c", "r"])
    #expect(layers[1].input == ["c"])
    guard case .convolution(let convolution)? = layers[0].layer else {
      Issue.record("the first layer is no convolution")
      return
    }
    #expect(convolution.kernelSize == [2, 3])
    #expect(convolution.kernelChannels == 2)
    #expect(convolution.outputChannels == 4)
    #expect(convolution.stride == [2, 2])
    let weights: [Float] = convolution.weights?.floatValue.array() ?? []
    #expect(Array(weights[0..<6]) == [0, 100, 200, 1000, 1100, 1200])
    #expect(Array(weights[6..<8]) == [10, 110])
    #expect(weights[12] == 1)
    #expect(convolution.bias?.floatValue.array() == [1, 2, 3, 4])
  }

  @Test("A bias that does not match the kernel is refused with both shapes")
  func wrongBias() throws {
    let builder = GraphBuilder()
    let picture = builder.addInput("x", extents: [1, 1, 4, 4])
    let kernel = try array([1, 1, 1, 2], [1, 2])
    let bias = try array([3], [1, 2, 3])
    #expect {
      try builder.addConvolution(
        "c", kernel: kernel, bias: bias, rectifier: "r", reading: picture)
    } throws: { error in
      "\(error)".contains("'c'") && "\(error)".contains("[1, 1, 1, 2]")
        && "\(error)".contains("[3]")
    }
  }

  @Test("SqueezeNet needs a thousand labels and its own weights")
  func squeezeNetWeights() throws {
    let empty = try PickleFile(ByteValues([0x80, 3, UInt8(ascii: "}"), 0x2E]), name: "w.pkl")
    #expect {
      try SqueezeNet.model(weights: empty, labels: ["cat"])
    } throws: { "\($0)" == "The list of labels has 1 names, expected 1000." }
    let labels: [String] = (0..<1000).map { "class \($0)" }
    #expect {
      try SqueezeNet.model(weights: empty, labels: labels)
    } throws: { "\($0)" == "Weights 'w.pkl': there is no 'conv1'; expected an array." }
  }

  @Test(
    "A fetched network is written again byte for byte",
    arguments: [FetchableModel.squeezenet, .vgg16].filter { $0.isFetched() })
  func again(model: FetchableModel) throws {
    let known: Spec.Model = try ModelFile.open(model.file()).model
    let read = try #require(try GraphModel(neuralNetwork: known))
    var written = try Spec.Model(neuralNetwork: read, edition: .oldest)
    #expect(written.specificationVersion == known.specificationVersion)
    // The order of a classifier's outputs may differ between the two models.
    written.description?.output.sort { $0.name < $1.name }
    var expected = known
    expected.description?.output.sort { $0.name < $1.name }
    let isSame: Bool = written.serialized() == expected.serialized()
    #expect(isSame)
  }

  @Test("An updatable classifier lists its updatable layer and its training parameters")
  func learning() throws {
    let builder = GraphBuilder()
    let picture = builder.addInput("image", extents: [1, 3, 64, 64], image: Graph.ImagePort(.rgb))
    builder.addOutput(picture, name: "features", image: Graph.ImagePort(.rgb))
    let extractor = try Spec.Model(neuralNetwork: builder.model(), edition: .oldest)
    let pipeline = try FeatureClassifierModel.linear(
      weights: [[Float](repeating: 0.5, count: 512), [Float](repeating: -1, count: 512)],
      biases: [1, 2], labels: ["cat", "dog"], extractor: extractor, metadata: Spec.Metadata())
    guard case .pipelineClassifier(let all)? = pipeline.type,
      let head = all.pipeline?.models.last,
      case .neuralNetworkClassifier(let network)? = head.type,
      case .innerProduct(let product)? = network.layers.first?.layer
    else {
      Issue.record("the pipeline does not end in layers")
      return
    }
    #expect(head.isUpdatable && head.specificationVersion == 4)
    #expect(network.layers.map(\.name) == ["scores", "probabilities"])
    #expect(network.layers.map(\.isUpdatable) == [true, false])
    #expect(product.weights?.isUpdatable == true && product.bias?.isUpdatable == true)
    #expect(network.layers[0].input == ["features"])
    #expect(network.layers[1].output == ["classLabelProbs"])
    #expect(network.updateParams?.epochs?.defaultValue == 20)
    #expect(head.description?.trainingInput.map(\.name) == ["features", "classLabel"])
    #expect(head.description?.output.map(\.name).sorted() == ["classLabel", "classLabelProbs"])
  }
}
