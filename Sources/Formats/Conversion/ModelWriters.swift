import Foundation
import Graph
import ModelFormat
import ONNXFormat

/// The model formats that Atelier can write.
public enum ModelWriters {
  /// All writers.
  public static let all: [any ModelWriter.Type] = [
    NeuralNetworkFile.self, ProgramFile.self, ONNXWriter.self,
  ]

  /// Returns the writer for a file name's extension.
  ///
  /// - Throws: `EngineError` that lists the known extensions.
  public static func writer(for url: URL) throws -> any ModelWriter.Type {
    let wanted: String = url.pathExtension.lowercased()
    guard let writer = all.first(where: { $0.pathExtension == wanted }) else {
      let known: String = all.map { ".\($0.pathExtension) (\($0.formatName))" }
        .joined(separator: ", ")
      throw EngineError(
        .invalidInput,
        "'\(url.lastPathComponent)' has no known extension; end the name with one of \(known)."
      )
    }
    return writer
  }

  /// Writes a model in the format of the file name's extension. The file appears complete or not at all.
  ///
  /// Before the file gets its final name, this function reads it again. It throws if an output in the file has another
  /// shape than in the model.
  public static func write(
    _ model: GraphModel, to url: URL, options: WritingOptions = WritingOptions()
  ) throws {
    let writer = try writer(for: url)
    try WrittenModel.save(model, at: url) { try writer.write(model, to: $0, options: options) }
  }

  /// Calls `write` to write the model to a draft file. Then checks the draft and renames it, as
  /// ``write(_:to:options:)`` does.
  package static func write(
    _ model: GraphModel, to url: URL, by write: (_ draft: URL) throws -> Void
  ) throws {
    try WrittenModel.save(model, at: url, write: write)
  }
}
