import CoreML
import Engine
import ModelTools
import NeuralNetworkFormat
import Operators

/// VGG-16, built layer by layer. The tutorial “Convolutional neural networks on the iPhone with VGGNet” does the same
/// with Metal. The caller passes the weights by the names of the layers.
///
/// **Source:** Simonyan and Zisserman, arXiv:1409.1556, configuration D.
struct VGGNet {
  /// The weights and biases of a layer.
  struct Parameters {
    let weights: Constant
    let biases: Constant
  }

  /// The network as a model with a picture as input.
  let model: GraphModel
  /// The number of weights and biases of the network.
  let parameterCount: Int

  /// Builds the network.
  ///
  /// - Parameters:
  ///   - layers: The weights by layer: `conv1_1` to `conv5_3`, and optionally `fc6` to `fc8`. Without `fc6` to `fc8`,
  ///     the network ends after `pool5`, with 7 × 7 × 512 features.
  init(_ layers: [String: Parameters]) throws {
    var network = Layers(layers)
    var x = network.builder.addInput(
      "image", extents: [1, 3, 224, 224],
      image: Graph.ImagePort(
        .rgb, scale: Self.deviation.map { 1 / (255 * $0) },
        bias: zip(Self.mean, Self.deviation).map { -$0 / $1 }))

    x = try network.conv("conv1_1", x, inDepth: 3, outDepth: 64)
    x = try network.conv("conv1_2", x, inDepth: 64, outDepth: 64)
    x = try network.pool("pool1", x)

    x = try network.conv("conv2_1", x, inDepth: 64, outDepth: 128)
    x = try network.conv("conv2_2", x, inDepth: 128, outDepth: 128)
    x = try network.pool("pool2", x)

    x = try network.conv("conv3_1", x, inDepth: 128, outDepth: 256)
    x = try network.conv("conv3_2", x, inDepth: 256, outDepth: 256)
    x = try network.conv("conv3_3", x, inDepth: 256, outDepth: 256)
    x = try network.pool("pool3", x)

    x = try network.conv("conv4_1", x, inDepth: 256, outDepth: 512)
    x = try network.conv("conv4_2", x, inDepth: 512, outDepth: 512)
    x = try network.conv("conv4_3", x, inDepth: 512, outDepth: 512)
    x = try network.pool("pool4", x)

    x = try network.conv("conv5_1", x, inDepth: 512, outDepth: 512)
    x = try network.conv("conv5_2", x, inDepth: 512, outDepth: 512)
    x = try network.conv("conv5_3", x, inDepth: 512, outDepth: 512)
    x = try network.pool("pool5", x)

    if layers["fc6"] == nil {
      network.builder.addOutput(x, name: "features")
    } else {
      x = try network.fc("fc6", x, inputs: 7 * 7 * 512, fanOut: 4096)
      x = try network.fc("fc7", x, inputs: 4096, fanOut: 4096)
      x = try network.fc("fc8", x, inputs: 4096, fanOut: 1000, withRelu: false)
      x = try network.builder.add(SoftmaxOperator(), x, name: "softmax")
      network.builder.addOutput(x, name: "probabilities")
    }
    model = network.builder.model()
    parameterCount = network.parameterCount
  }

  /// The mean and the standard deviation of ImageNet's colours of 0…1. The fetched weights were trained with colours
  /// normalised by them. Caffe's weights, which the tutorial uses, expect BGR of 0…255 minus a mean, without a
  /// division.
  private static let mean: [Float] = [0.485, 0.456, 0.406]
  private static let deviation: [Float] = [0.229, 0.224, 0.225]
}

/// Adds layers of the three kinds that VGG-16 has.
private struct Layers {
  let builder = GraphBuilder()
  private let parameters: [String: VGGNet.Parameters]
  private(set) var parameterCount = 0

  init(_ parameters: [String: VGGNet.Parameters]) { self.parameters = parameters }

  /// Adds a 3 × 3 convolution with zero padding of one pixel, and a ReLU.
  mutating func conv(
    _ name: String, _ x: Graph.ValueID, inDepth: Int, outDepth: Int
  ) throws -> Graph.ValueID {
    let (weights, biases) = try constants(name, [outDepth, inDepth, 3, 3], outDepth)
    let y = try builder.add(
      ConvolutionOperator(
        outputChannels: outDepth, kernelChannels: inDepth, kernel: .init(3, 3),
        padding: .valid(top: 1, left: 1, bottom: 1, right: 1), hasBias: true),
      x, weights, biases, name: name)
    return try builder.add(ActivationOperator(.reLU), y, name: "\(name)/relu")
  }

  /// Adds max pooling of 2 × 2.
  func pool(_ name: String, _ x: Graph.ValueID) throws -> Graph.ValueID {
    try builder.add(
      PoolingOperator(
        .maximum, kernelHeight: 2, kernelWidth: 2, strideHeight: 2, strideWidth: 2),
      x, name: name)
  }

  /// Adds a fully connected layer and, if `withRelu` is true, a ReLU.
  mutating func fc(
    _ name: String, _ x: Graph.ValueID, inputs: Int, fanOut: Int, withRelu: Bool = true
  ) throws -> Graph.ValueID {
    let (weights, biases) = try constants(name, [fanOut, inputs], fanOut)
    let y = try builder.add(InnerProductOperator(), x, weights, biases, name: name)
    return withRelu
      ? try builder.add(ActivationOperator(.reLU), y, name: "\(name)/relu") : y
  }

  private mutating func constants(
    _ name: String, _ shape: Shape, _ outputs: Int
  ) throws -> (Graph.ValueID, Graph.ValueID) {
    guard let found = parameters[name], found.weights.type.shape == shape,
      found.biases.type.shape == [outputs]
    else {
      throw EngineError(.invalidModel, "The layer '\(name)' has no weights of the shape \(shape).")
    }
    parameterCount += shape.count + outputs
    return (
      builder.addConstant(found.weights, name: "\(name)/weights"),
      builder.addConstant(found.biases, name: "\(name)/biases")
    )
  }
}
