import Foundation
import ModelFormat

/// What a model is made of: the layers of a neural network, the operations of a program, the models of a
/// pipeline.
public enum MLModelStructure: Sendable {
  /// A neural network.
  case neuralNetwork(NeuralNetwork)
  /// An ML Program.
  case program(Program)
  /// A pipeline of models.
  case pipeline(Pipeline)
  /// A model of another type, which is one piece.
  case unsupported

  /// Reads the structure of a model without loading its weights.
  public static func load(contentsOf url: URL) async throws -> MLModelStructure {
    try await BackgroundWork.result { HandedOver(try MLModelStructure(contentsOf: url)) }
  }

  /// Reads the structure of a model that is in memory, or on disk and not loaded yet.
  public static func load(asset: MLModelAsset) async throws -> MLModelStructure {
    MLModelStructure(asset.file.model)
  }

  /// Reads the structure of a model.
  package init(contentsOf url: URL) throws {
    self.init(try translatingErrors { try ModelFile.open(url) }.model)
  }

  /// A neural network.
  public struct NeuralNetwork: Sendable {
    /// The layers in their order.
    public let layers: [Layer]

    /// A layer of a neural network.
    public struct Layer: Sendable {
      /// Its name.
      public let name: String
      /// What it computes, by the name that compiled models have for it.
      public let type: String
      /// The names of what it reads.
      public let inputNames: [String]
      /// The names of what it makes.
      public let outputNames: [String]
      /// Its number among the parts of the model.
      package let number: Int
    }
  }

  /// A pipeline of models.
  public struct Pipeline: Sendable {
    /// The names of the models, in the order in which they run.
    public let subModelNames: [String]
    /// The models, in the order in which they run.
    public let subModels: [MLModelStructure]
  }
}
