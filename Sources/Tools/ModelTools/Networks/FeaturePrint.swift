import Engine
import Foundation
import ModelFormat
import Operators

/// Feature prints: vectors that are close to each other for pictures with similar content. They are the features of
/// SqueezeNet after its last fire module, averaged over the picture and normalised to length 1.
///
/// Apple's feature prints come from an unpublished network, so they cannot be compared with these prints.
public enum FeaturePrint {
  /// The number of elements of a print.
  public static let elementCount = 512
  /// The name of the network's picture input.
  public static let inputName = "image"
  /// The name of the network's output.
  public static let outputName = "features"
  private static let lastLayer = "fire9/concat"

  /// Whether the network is in the user's cache.
  public static var isAvailable: Bool { FetchableModel.squeezenet.isFetched() }

  /// Reads SqueezeNet from the user's cache, into which `atelier fetch squeezenet` writes it.
  ///
  /// - Throws: ``ModelToolsError`` if SqueezeNet is not fetched, or the error of a file that cannot be read.
  public static func classifier() throws -> Spec.Model {
    guard isAvailable else {
      throw ModelToolsError(
        .notFetched,
        "SqueezeNet, which classifies and compares pictures, is not fetched yet. Run `atelier fetch"
          + " squeezenet` once.")
    }
    return try ModelFile.open(FetchableModel.squeezenet.file()).model
  }

  /// Returns the network that computes the print of a picture: an array of ``elementCount`` numbers.
  ///
  /// - Throws: ``ModelToolsError`` if SqueezeNet is not fetched, or if the file in the cache is another network.
  public static func extractor() throws -> Spec.Model { try extractor(of: classifier()) }

  /// Removes the classification layers of SqueezeNet.
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
    builder.addOutput(value, name: outputName, summary: "Features of the picture.")
    var model: GraphModel = builder.model()
    model.metadata = network.metadata
    model.metadata.summary =
      "The features of SqueezeNet v1.1 after its last fire module, averaged; length 1."
    return try Spec.Model(neuralNetwork: model, edition: .oldest)
  }
}
