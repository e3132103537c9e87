import Foundation
import Graph

/// Reads models of Keras 1, 2 and 3: complete models (`.h5`, `.keras`), and weights with a separate architecture
/// (`.json`).
///
/// Images and volumes have Core ML's axis order in inputs and outputs, with channels before rows and columns. Apple's
/// converter does the same. Other tensors keep Keras's axis order. The batch size is 1 unless
/// ``ReadingOptions/extents`` states another. Layers whose classes the model's author wrote become custom layers, as
/// ``ReadingOptions/customLayers`` says.
public enum KerasReader: ModelReader {
  public static let formatName = "Keras"

  public static func recognizes(_ url: URL, head: [UInt8]) -> Bool {
    if head.starts(with: HDF5File.signature) { return true }
    let end: String = url.pathExtension.lowercased()
    return end == "keras" || (end == "json" && head.first == UInt8(ascii: "{"))
  }

  public static func read(_ url: URL, options: ReadingOptions) throws -> GraphModel {
    let file = try KerasFile(url, companions: options.companions)
    return try KerasBuilder(file, options).model()
  }

  /// The supported types of layers, by family.
  public static var layerTypes: [(family: String, types: [String])] {
    KerasLayerReader.families.map { ($0.name, $0.readers.flatMap(\.types)) }
  }
}
