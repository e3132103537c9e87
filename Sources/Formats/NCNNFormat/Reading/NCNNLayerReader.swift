import Graph

/// Reads the layers of one type as operators of the graph.
struct NCNNLayerReader: Sendable {
  /// The layer type, such as `Convolution`.
  let type: String
  /// The parameters that the reader knows, by their numbers.
  let fields: KnownFields
  /// Adds the operators of a layer and returns the layer's outputs.
  let read: @Sendable (NCNNContext) throws -> [Graph.ValueID]

  /// Makes a reader of layers with one output.
  ///
  /// - Parameters:
  ///   - ids: The numbers of the parameters that the reader evaluates.
  ///   - only: The parameters that may have only this value.
  ///   - harmless: The parameters that do not change the results.
  init(
    _ type: String, _ ids: [Int] = [], only: [Int: Double] = [:], harmless: [Int] = [],
    read: @escaping @Sendable (NCNNContext) throws -> Graph.ValueID
  ) {
    self.init(several: type, ids, only: only, harmless: harmless) { [try read($0)] }
  }

  /// Makes a reader of layers with several outputs.
  init(
    several type: String, _ ids: [Int] = [], only: [Int: Double] = [:], harmless: [Int] = [],
    read: @escaping @Sendable (NCNNContext) throws -> [Graph.ValueID]
  ) {
    self.type = type
    // Parameters 30 and 31 describe the shapes and the types that the converter saw.
    fields = KnownFields(
      ids.map(String.init),
      only: Dictionary(uniqueKeysWithValues: only.map { (String($0), [.number($1)]) }),
      harmless: (harmless + [30, 31]).map(String.init))
    self.read = read
  }

  /// The readers of all supported types, by family.
  static let families: [(name: String, readers: [NCNNLayerReader])] = [
    ("Convolution", convolution), ("Dense", dense), ("Pooling", pooling),
    ("Normalization", normalization), ("Activation", activation), ("Elementwise", elementwise),
    ("Joining", joining), ("Shaping", shaping), ("Resizing", resizing),
  ]

  /// The readers by type.
  static let all: [String: NCNNLayerReader] = Dictionary(
    uniqueKeysWithValues: families.flatMap(\.readers).map { ($0.type, $0) })
}

extension NCNNReader {
  /// The supported types of layers, by family. `Input` is also supported.
  public static var layerTypes: [(family: String, types: [String])] {
    NCNNLayerReader.families.map { ($0.name, $0.readers.map(\.type)) }
  }
}
