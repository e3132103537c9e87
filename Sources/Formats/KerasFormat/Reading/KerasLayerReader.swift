import Graph

/// How layers of some types become operators.
struct KerasLayerReader: Sendable {
  /// The types: `Conv2D`, and `Convolution2D`, as Keras 1 called it.
  let types: [String]
  /// The settings that it looks at; nil where none of them changes anything in a trained model.
  let fields: KnownFields?
  /// The parameters of a call that it looks at, in the order of their places.
  let parameters: [String]
  /// Adds the operators and gives what they make.
  let read: @Sendable (KerasContext) throws -> [KerasTensor]

  /// A reader of layers that make one tensor.
  init(
    _ types: String..., fields: KnownFields?, parameters: [String] = ["inputs"],
    read: @escaping @Sendable (KerasContext) throws -> KerasTensor
  ) {
    (self.types, self.fields, self.parameters) = (types, fields, parameters)
    self.read = { [try read($0)] }
  }

  /// A reader of layers that make several tensors.
  init(
    several types: String..., fields: KnownFields?, parameters: [String] = ["inputs"],
    read: @escaping @Sendable (KerasContext) throws -> [KerasTensor]
  ) {
    (self.types, self.fields, self.parameters) = (types, fields, parameters)
    self.read = read
  }

  /// All types that are read, by families.
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
