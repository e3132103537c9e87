import Arguments
import Conversion
import CoreML
import Engine
import Foundation

/// Opens models for commands to run: Core ML's files, and files of other formats, which need no conversion.
enum OpenedModel {
  /// Opens a model file.
  static func open(_ location: URL, _ options: ModelOptions) throws -> MLModel {
    try open(location, options.configuration, options.reading)
  }

  /// Opens a model file with the given configuration instead of the configuration in the command's options.
  static func open(
    _ location: URL, _ configuration: MLModelConfiguration, _ reading: ReadingOptions
  ) throws -> MLModel {
    guard let model = try foreign(location, reading) else {
      return try MLModel(contentsOf: location, configuration: configuration)
    }
    return try MLModel(graph: model, configuration: configuration)
  }

  /// Reads a file of a format other than Core ML's, with the classes of the model's custom layers. Returns nil for Core
  /// ML's files.
  static func foreign(_ location: URL, _ reading: ReadingOptions) throws -> GraphModel? {
    guard let reader = ModelReaders.foreignReader(of: location) else { return nil }
    return try reader.read(location, options: reading)
  }
}
