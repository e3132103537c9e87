import Foundation
import ModelFormat
import Platform

/// The structure of a model: the layers of a neural network, the operations of a program, or the models of a pipeline.
public enum MLModelStructure: Sendable {
  /// A neural network.
  case neuralNetwork(NeuralNetwork)
  /// An ML Program.
  case program(Program)
  /// A pipeline of models.
  case pipeline(Pipeline)
  /// A model of another type, without visible structure.
  case unsupported

  /// Reads the structure of a model without loading its weights.
  public static func load(contentsOf url: URL) async throws -> MLModelStructure {
    try await BackgroundWork.result { SendableBox(try MLModelStructure(contentsOf: url)) }
  }

  /// Reads the structure of an asset without loading its weights.
  public static func load(asset: MLModelAsset) async throws -> MLModelStructure {
    MLModelStructure(asset.file.model)
  }

  /// Reads the structure of a model.
  package init(contentsOf url: URL) throws {
    self.init(try translatingErrors { try ModelFile.open(url) }.model)
  }

  /// A neural network.
  public struct NeuralNetwork: Sendable {
    /// The layers in order.
    public let layers: [Layer]

    /// A layer of a neural network.
    public struct Layer: Sendable {
      /// The name of the layer.
      public let name: String
      /// The name that the layer's type has in compiled models.
      public let type: String
      /// The names of the inputs.
      public let inputNames: [String]
      /// The names of the outputs.
      public let outputNames: [String]
      /// The number of the layer, counted over all layers and operations of the model.
      package let number: Int
    }
  }

  /// A pipeline of models.
  public struct Pipeline: Sendable {
    /// The names of the models, in the order of their computation.
    public let subModelNames: [String]
    /// The models, in the order of their computation.
    public let subModels: [MLModelStructure]
  }
}
