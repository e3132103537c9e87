import Foundation

/// Reads files of one format.
///
/// Callers go through a list of readers and take the first that recognises a file (Formats/Conversion).
public protocol ModelReader: Sendable {
  /// The format's name in sentences: “ONNX”.
  static var formatName: String { get }

  /// Whether a file is of the format, by its name or its first bytes.
  ///
  /// - Parameter head: The first bytes of the file, 64 at most; empty for a folder.
  static func recognizes(_ url: URL, head: [UInt8]) -> Bool

  /// The model in a file. Large weights stay in the mapped file where the format allows it.
  ///
  /// - Throws: ``EngineError``, a sentence that names the file or the operator, for files that are damaged or
  ///   hold what cannot be expressed.
  static func read(_ url: URL, options: ReadingOptions) throws -> GraphModel
}

/// What a caller says of a file that is to be read.
public struct ReadingOptions: Sendable {
  /// The extents of inputs by name, in the place of those that the file states or leaves open.
  public var extents: [String: [Extent]] = [:]
  /// Files that belong to the model: weights beside an architecture, or an architecture beside weights.
  public var companions: [URL] = []
  /// The function of a program with several; nil for its default one.
  public var function: String?
  /// Makes the classes of custom layers. Nil carries the layers along without them: the model can be written
  /// to another file, but not run.
  public var makeCustomLayer: CustomLayerFactory?

  /// What stands for layers that are code of their maker's, by the name of a layer, of its function or of its
  /// type.
  public var customLayers: [String: CustomLayerRecipe] = [:]
  /// What is said of single layers among them, by the name of a layer, of its function or of its type. A layer's own
  /// name goes before its function's, and that before its type's.
  public internal(set) var customLayerDetails: [String: CustomLayerDetails] = [:]
  /// Asked for such layers that ``customLayers`` does not name; nil leaves one unknown, which is an error.
  public var customLayer: (@Sendable (UnknownLayer) throws -> CustomLayerRecipe?)?
  /// Whether such layers that nobody names become custom layers of a class that is called as their type.
  public var addsCustomLayers = false

  /// Nothing but what the file says.
  public init() {}
}
