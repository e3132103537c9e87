import Engine
import Foundation
import ModelFormat
import ModelTools
import NeuralNetworkFormat
import Operators

/// Reads the weights that `atelier fetch vgg16` has fetched.
enum Weights {
  /// Returns the weights of the convolutions by layer. If `isWhole` is true, also returns untrained weights of the
  /// fully connected layers.
  static func layers(isWhole: Bool) throws -> [String: VGGNet.Parameters] {
    guard FetchableModel.vgg16.isFetched() else {
      throw CocoaError(
        .fileNoSuchFile,
        userInfo: [NSLocalizedDescriptionKey: "Run `atelier fetch vgg16` once."])
    }
    let file = try ModelFile.open(FetchableModel.vgg16.file())
    let network = try InspectedNetwork(file) { _ in
      throw EngineError(.invalidModel, "VGG-16 has no custom layers.")
    }
    var layers: [String: VGGNet.Parameters] = [:]
    for node in network.graph.nodes where node.name.hasPrefix("conv") && node.inputs.count == 3 {
      guard let weights = network.graph[node.inputs[1]].constant,
        let biases = network.graph[node.inputs[2]].constant
      else { continue }
      layers[node.name] = VGGNet.Parameters(weights: weights, biases: biases)
    }
    guard isWhole else { return layers }
    for (name, inputs, outputs) in [
      ("fc6", 7 * 7 * 512, 4096), ("fc7", 4096, 4096), ("fc8", 4096, 1000),
    ] {
      // Small positive and negative numbers, the same in every run.
      let numbers: [Float] = (0..<inputs * outputs).map { Float($0 &* 7919 % 2001 - 1000) * 1e-6 }
      layers[name] = VGGNet.Parameters(
        weights: Constant([outputs, inputs], numbers),
        biases: Constant([outputs], [Float](repeating: 0, count: outputs)))
    }
    return layers
  }
}
