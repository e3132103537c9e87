import Foundation
import Graph
import ModelFormat

/// Reads ncnn networks: a `.param` file with the layers, and the `.bin` file that holds their weights.
///
/// ncnn's tensors have no batch axis. In the graph, a tensor of channels, rows and columns is `[1, C, H, W]`, one of rows
/// and columns `[1, H, W]`, and a vector `[1, W]`. If the file states no size for an input, the input has any number of
/// rows and columns, and as many channels as the first convolution that reads it.
///
/// **Source:** ncnn, docs/developer-guide/operators.md.
public enum NCNNReader: ModelReader {
  public static let formatName = "ncnn"

  public static func recognizes(_ url: URL, head: [UInt8]) -> Bool {
    url.pathExtension.lowercased() == "param"
  }

  public static func read(_ url: URL, options: ReadingOptions) throws -> GraphModel {
    let file: URL = try weights(of: url, options)
    do {
      let description = try NCNNDescription(MappedFile(path: url.path).bytes.array())
      let weights = NCNNWeights(
        try MappedFile(path: file.path).bytes, file: file.lastPathComponent)
      return try NCNNBuilder(description.layers, weights, options).model()
    } catch let error as ModelFormatError {
      throw EngineError(.invalidModel, error.message)
    } catch let error as EngineError {
      throw EngineError(error.code, "'\(url.lastPathComponent)': \(error.message)")
    }
  }

  /// Returns the file of the weights: among the other files that the caller gives, or with the same name in the same
  /// folder.
  private static func weights(of url: URL, _ options: ReadingOptions) throws -> URL {
    let given: URL? = options.companions.first { $0.pathExtension.lowercased() == "bin" }
    let file: URL = given ?? url.deletingPathExtension().appendingPathExtension("bin")
    guard FileManager.default.fileExists(atPath: file.path) else {
      throw EngineError(
        .invalidModel,
        "The weights of '\(url.lastPathComponent)' are missing: '\(file.lastPathComponent)' is not beside it. Give the file: --with FILE.bin."
      )
    }
    return file
  }
}
