import Engine
import Foundation
import ModelFormat
import Operators

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
    guard var network = try GraphModel(neuralNetwork: squeezeNet), network.inputs.count == 1,
      let last = network.graph.nodes.firstIndex(where: { $0.name == lastLayer })
    else {
      throw ModelToolsError(
        .badWeights,
        "The fetched SqueezeNet has no layer '\(lastLayer)'. Fetch it again: `atelier fetch squeezenet"
          + " --force`.")
    }
    network.graph.nodes.removeSubrange((last + 1)...)
    let builder = GraphBuilder(continuing: network)
    var value: Graph.ValueID = network.graph.nodes[last].outputs[0]
    value = try builder.add(PoolingOperator(.average, isGlobal: true), value, name: "mean")
    value = try builder.add(L2NormalizeOperator(epsilon: 1e-12), value, name: "norm")
    value = try builder.add(SqueezeOperator(axes: [0, 2, 3]), value, name: "print")
    builder.addOutput(value, name: outputName, summary: "What the picture shows, as numbers.")
    var model: GraphModel = builder.model()
    model.metadata = network.metadata
    model.metadata.summary =
      "The features of SqueezeNet v1.1 after its last fire module, averaged; length 1."
    return try Spec.Model(neuralNetwork: model, edition: .oldest)
  }

  /// The type of a print.
  static var array: Spec.ArrayFeatureType {
    var array = Spec.ArrayFeatureType()
    array.shape = [Int64(elementCount)]
    array.dataType = .float32
    return array
  }
}
