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
    let draft = try PackageDraft(of: url)
    let writer = try ProgramWriter(model, precision: options.precision) {
      try BlobFileWriter(path: draft.weights.path)
    }
    try draft.place(self.model(writer))
  }

  /// The model in memory, with its weight file.
  public static func model(_ model: GraphModel, options: WritingOptions = WritingOptions()) throws
    -> (model: Spec.Model, weights: [UInt8])
  {
    var file = BlobFileWriter()
    let writer = try ProgramWriter(model, precision: options.precision) {
      file = BlobFileWriter()
      return file
    }
    return (self.model(writer), file.bytes)
  }

  private static func model(_ writer: ProgramWriter) -> Spec.Model {
    var model = Spec.Model()
    model.specificationVersion = writer.specificationVersion
    model.description = Spec.ModelDescription(writer.model)
    model.type = .mlProgram(writer.program)
    return model
  }
}
