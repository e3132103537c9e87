import Foundation

/// Reads files of one format.
///
/// Callers have a list of readers (see `Formats/Conversion`) and use the first reader that recognises a file.
public protocol ModelReader: Sendable {
  /// The format's name in messages, such as “ONNX”.
  static var formatName: String { get }

  /// Returns whether the file has this format. Decides by the file's name or first bytes.
  ///
  /// - Parameter head: The first bytes of the file, at most 64; empty for a folder.
  static func recognizes(_ url: URL, head: [UInt8]) -> Bool

  /// Reads the model in a file. Large weights stay in the mapped file if the format allows it.
  ///
  /// - Throws: ``EngineError`` that names the file or the operator, if the file is damaged or contains something that
  ///   the engine cannot express.
  static func read(_ url: URL, options: ReadingOptions) throws -> GraphModel
}

/// A caller's options for reading a file.
public struct ReadingOptions: Sendable {
  /// Extents of inputs, by the input's name. They replace the extents in the file.
  public var extents: [String: [Extent]] = [:]
  /// Further files of the model: the file of the weights if the first file holds only the architecture, or the file of
  /// the architecture if the first file holds only weights.
  public var companions: [URL] = []
  /// The name of the function to read if the file is a program with several functions; nil for the default function.
  public var function: String?
  /// Makes the custom layers of the model from their classes. If this closure is nil, the model can be converted to
  /// another file, but not run.
  public var makeCustomLayer: CustomLayerFactory?

  /// The custom layers that replace unknown layers, by the name of a layer, of its function or of its type.
  public var customLayers: [String: CustomLayerRecipe] = [:]
  /// Details about custom layers, by the name of a layer, of its function or of its type. If several of these names
  /// have details for one layer, the name of the layer comes first, then the name of its function.
  public internal(set) var customLayerDetails: [String: CustomLayerDetails] = [:]
  /// Returns the replacement for an unknown layer that ``customLayers`` does not list. If the closure returns nil, the
  /// reader rejects the layer.
  public var customLayer: (@Sendable (UnknownLayer) throws -> CustomLayerRecipe?)?
  /// Whether an unknown layer for which the caller gave no replacement becomes a custom layer. The name of its class is
  /// then the name of the layer's type.
  public var addsCustomLayers = false

  /// Creates options that change nothing in the file's model.
  public init() {}
}
