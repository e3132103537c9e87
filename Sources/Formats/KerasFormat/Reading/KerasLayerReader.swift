import Graph

/// Reads layers of one or several types as operators of the graph.
struct KerasLayerReader: Sendable {
  /// The names of the layer types: `Conv2D`, and Keras 1's name `Convolution2D`.
  let types: [String]
  /// The settings that the reader knows. Nil if no setting of these layers changes a trained model.
  let fields: KnownFields?
  /// The names of the call's parameters that the reader reads. The reader gets their arguments in this order.
  let parameters: [String]
  /// Adds the operators of a layer and returns the layer's outputs.
  let read: @Sendable (KerasContext) throws -> [KerasTensor]

  /// Makes a reader of layers with one output.
  init(
    _ types: String..., fields: KnownFields?, parameters: [String] = ["inputs"],
    read: @escaping @Sendable (KerasContext) throws -> KerasTensor
  ) {
    (self.types, self.fields, self.parameters) = (types, fields, parameters)
    self.read = { [try read($0)] }
  }

  /// Makes a reader of layers with several outputs.
  init(
    several types: String..., fields: KnownFields?, parameters: [String] = ["inputs"],
    read: @escaping @Sendable (KerasContext) throws -> [KerasTensor]
  ) {
    (self.types, self.fields, self.parameters) = (types, fields, parameters)
    self.read = read
  }

  /// The readers of all supported types, by family.
  static let families: [(name: String, readers: [KerasLayerReader])] = [
    ("Core", core), ("Convolution", convolution), ("Pooling", pooling),
    ("Normalization", normalization), ("Activation", activation), ("Merging", merging),
    ("Shaping", shaping), ("Resizing", resizing), ("Recurrent", recurrent), ("Wrapping", wrapping),
    ("Attention", attention), ("Preprocessing", preprocessing), ("Training", training),
  ]

  /// The readers by type.
  static let all: [String: KerasLayerReader] = Dictionary(
    uniqueKeysWithValues: families.flatMap(\.readers).flatMap { reader in
      reader.types.map { ($0, reader) }
    })
}
