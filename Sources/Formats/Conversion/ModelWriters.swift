import Foundation
import Graph
import ModelFormat
import ONNXFormat

/// The formats that are written.
public enum ModelWriters {
  /// All writers.
  public static let all: [any ModelWriter.Type] = [
    NeuralNetworkFile.self, ProgramFile.self, ONNXWriter.self,
  ]

  /// The writer that a file's name asks for.
  ///
  /// - Throws: `EngineError` that names the extensions that are known.
  public static func writer(for url: URL) throws -> any ModelWriter.Type {
    let wanted: String = url.pathExtension.lowercased()
    guard let writer = all.first(where: { $0.pathExtension == wanted }) else {
      let known: String = all.map { ".\($0.pathExtension) (\($0.formatName))" }
        .joined(separator: ", ")
      throw EngineError(
        .invalidInput,
        "'\(url.lastPathComponent)' does not say which format is meant; end the name with one of \(known)."
      )
    }
    return writer
  }

  /// Writes a model in the format that the file's name asks for. The file appears complete or not at all.
  ///
  /// What was written is read again before it takes its name, and refused where it could not run as the model does.
  public static func write(
    _ model: GraphModel, to url: URL, options: WritingOptions = WritingOptions()
  ) throws {
    let writer = try writer(for: url)
    try WrittenModel.place(model, at: url) { try writer.write(model, to: $0, options: options) }
  }

  /// Writes a model by a closure, which gets the place beside the file's own; the file is checked as
  /// ``write(_:to:options:)`` checks it.
  package static func write(
    _ model: GraphModel, to url: URL, by write: (_ draft: URL) throws -> Void
  ) throws {
    try WrittenModel.place(model, at: url, write: write)
  }
}
