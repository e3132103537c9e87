import Foundation
import Graph

/// Reads models of Keras 1, 2 and 3: whole ones (`.h5`, `.keras`), and weights with an architecture beside them
/// (`.json`).
///
/// Pictures and volumes at the border have the order of Core ML, channels before rows and columns, as Apple's
/// converter had it; everything else has Keras's order. The batch is 1 unless ``ReadingOptions/extents`` says
/// otherwise. Layers that are code of their maker's become custom layers by ``ReadingOptions/customLayers``.
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

  /// The types of layers that are read, by families.
  public static var layerTypes: [(family: String, types: [String])] {
    KerasLayerReader.families.map { ($0.name, $0.readers.flatMap(\.types)) }
  }
}
