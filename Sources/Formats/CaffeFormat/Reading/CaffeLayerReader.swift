import Graph

/// How layers of one type become operators.
struct CaffeLayerReader: Sendable {
  /// The type: `Convolution`.
  let type: String
  /// Adds the operators and gives what the tops stand for.
  let read: @Sendable (CaffeContext) throws -> [Graph.ValueID]

  /// A reader of the layers of a type, which make one value.
  init(_ type: String, read: @escaping @Sendable (CaffeContext) throws -> Graph.ValueID) {
    self.type = type
    self.read = { [try read($0)] }
  }

  /// A reader of the layers of a type, which make several values.
  init(several type: String, read: @escaping @Sendable (CaffeContext) throws -> [Graph.ValueID]) {
    self.type = type
    self.read = read
  }

  /// All types that are read, by families.
  static let families: [(name: String, readers: [CaffeLayerReader])] = [
    ("Convolution", convolution), ("Pooling", pooling), ("Dense", dense),
    ("Normalization", normalization), ("Activation", activation), ("Elementwise", elementwise),
    ("Joining", joining), ("Shaping", shaping), ("Reduction", reduction), ("Training", training),
  ]

  /// The readers by type.
  static let all: [String: CaffeLayerReader] = Dictionary(
    uniqueKeysWithValues: families.flatMap(\.readers).map { ($0.type, $0) })
}

extension CaffeReader {
  /// The types of layers that are read, by families.
  public static var layerTypes: [(family: String, types: [String])] {
    CaffeLayerReader.families.map { ($0.name, $0.readers.map(\.type)) }
  }
}
