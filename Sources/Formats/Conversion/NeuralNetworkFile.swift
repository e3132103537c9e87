import Foundation
import Graph
import ModelFormat
import NeuralNetworkFormat

/// Writes `.mlmodel` files with NeuralNetwork layers.
public enum NeuralNetworkFile: ModelWriter {
  public static let formatName = "Core ML, layers"
  public static let pathExtension = "mlmodel"

  public static func write(_ model: GraphModel, to url: URL, options: WritingOptions) throws {
    try Spec.Model(neuralNetwork: model).write(to: url)
  }
}
