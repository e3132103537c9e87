import Arguments
import Conversion
import CoreML
import Engine
import Foundation

/// Models that commands run: Core ML's own files, and those of other formats, which are read as they are.
enum OpenedModel {
  /// A file's model.
  static func open(_ location: URL, _ options: ModelOptions) throws -> MLModel {
    try open(location, options.configuration, options.reading)
  }

  /// A file's model with a configuration that was changed.
  static func open(
    _ location: URL, _ configuration: MLModelConfiguration, _ reading: ReadingOptions
  ) throws -> MLModel {
    guard let model = try foreign(location, reading) else {
      return try MLModel(contentsOf: location, configuration: configuration)
    }
    return try MLModel(graph: model, configuration: configuration)
  }

  /// The model in a file of another format than Core ML's, with the classes of its custom layers; nil for
  /// Core ML's own.
  static func foreign(_ location: URL, _ reading: ReadingOptions) throws -> GraphModel? {
    guard let reader = ModelReaders.foreignReader(of: location) else { return nil }
    return try reader.read(location, options: reading)
  }
}
