import Foundation
import Graph
import ModelFormat
import NeuralNetworkFormat
import ProgramFormat

/// Writes `.mlpackage` folders of ML Programs.
public enum ProgramFile: ModelWriter {
  public static let formatName = "Core ML, an ML Program"
  public static let pathExtension = "mlpackage"

  public static func write(_ model: GraphModel, to url: URL, options: WritingOptions) throws {
    try Spec.Model.writePackage(to: url) { weights in
      try self.model(model, options: options, weights: weights)
    }
  }

  /// Returns the model as a Core ML message. Adds the model's weights to `weights`. The message refers to the weights
  /// there.
  public static func model(
    _ model: GraphModel, options: WritingOptions, weights: BlobFileWriter
  ) throws -> Spec.Model {
    let writer = try ProgramWriter(model, precision: options.precision, blobs: weights)
    var made = Spec.Model()
    made.specificationVersion = writer.specificationVersion
    made.description = Spec.ModelDescription(writer.model)
    made.type = .mlProgram(writer.program)
    return made
  }
}
