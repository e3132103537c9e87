import Foundation
import ModelFormat

/// Numbers that say what a picture shows, near each other for pictures that show the same: the features
/// of SqueezeNet behind its last fire module, averaged over the picture, as a vector of length 1.
///
/// Apple's feature prints come from a network of Apple's own, which nobody else has: prints of the two
/// cannot be compared.
public enum FeaturePrint {
  /// How many numbers a print has.
  public static let elementCount = 512
  /// The name of the network's picture.
  public static let inputName = "image"
  /// The name of the network's output.
  public static let outputName = "features"
  private static let lastLayer = "fire9/concat"

  /// Whether the network is there.
  public static var isThere: Bool { FetchableModel.squeezenet.isFetched() }

  /// SqueezeNet, which `atelier fetch squeezenet` has fetched.
  ///
  /// - Throws: ``ModelToolsError`` where it is not there, or not ours.
  public static func classifier() throws -> Spec.Model {
    guard isThere else {
      throw ModelToolsError(
        .notFetched,
        "Pictures are classified and compared with SqueezeNet, which is not fetched yet. Run"
          + " `atelier fetch squeezenet` once.")
    }
    return try ModelFile.open(FetchableModel.squeezenet.file()).model
  }

  /// The network from a picture to its print: an array of ``elementCount`` numbers.
  public static func extractor() throws -> Spec.Model { try extractor(of: classifier()) }

  /// SqueezeNet without its classifying layers.
  static func extractor(of squeezeNet: Spec.Model) throws -> Spec.Model {
    guard case .neuralNetworkClassifier(let classifier)? = squeezeNet.type,
      let last = classifier.layers.firstIndex(where: { $0.name == lastLayer }),
      let input = squeezeNet.description?.input.first
    else {
      throw ModelToolsError(
        .badWeights,
        "The fetched SqueezeNet has no layer '\(lastLayer)'. Fetch it again: `atelier fetch squeezenet"
          + " --force`.")
    }
    var average = Spec.PoolingLayerParams()
    average.type = .average
    average.globalPooling = true
    average.poolingPaddingType = .valid(NetworkWriter.padding(0))
    var norm = Spec.L2NormalizeLayerParams()
    norm.epsilon = 1e-12
    var head = NetworkWriter()
    let mean: String = head.add("mean", .pooling(average), reading: lastLayer)
    head.add("norm", .l2normalize(norm), reading: mean, writing: outputName)
    var network = Spec.NeuralNetwork()
    network.layers = Array(classifier.layers[...last]) + head.layers
    network.preprocessing = classifier.preprocessing
    var model = Spec.Model()
    model.specificationVersion = 1
    model.type = .neuralNetwork(network)
    model.description = Spec.ModelDescription()
    model.description?.input = [input]
    model.description?.output = [
      Spec.FeatureDescription(
        outputName, "What the picture shows, as numbers.", .multiArrayType(array))
    ]
    model.description?.metadata = squeezeNet.description?.metadata
    model.description?.metadata?.shortDescription =
      "The features of SqueezeNet v1.1 behind its last fire module, averaged; length 1."
    return model
  }

  /// The type of a print.
  static var array: Spec.ArrayFeatureType {
    var array = Spec.ArrayFeatureType()
    array.shape = [Int64(elementCount)]
    array.dataType = .float32
    return array
  }
}
