import Graph

/// How layers of one type become operators.
struct CaffeLayerReader: Sendable {
  /// The type: `Convolution`.
  let type: String
  /// The message that holds its parameters, without `_param`; nil where it has none.
  let parameters: String?
  /// The fields of that message.
  let fields: KnownFields
  /// Adds the operators and gives what the tops stand for.
  let read: @Sendable (CaffeContext) throws -> [Graph.ValueID]

  /// A reader of the layers of a type, which make one value.
  ///
  /// - Parameters:
  ///   - parameters: The message that holds its parameters, without `_param`; nil where it has none.
  ///   - fields: The fields of that message.
  init(
    _ type: String, _ parameters: String? = nil, fields: KnownFields = KnownFields(),
    read: @escaping @Sendable (CaffeContext) throws -> Graph.ValueID
  ) {
    self.init(several: type, parameters, fields: fields) { [try read($0)] }
  }

  /// A reader of the layers of a type, which make several values.
  init(
    several type: String, _ parameters: String? = nil, fields: KnownFields = KnownFields(),
    read: @escaping @Sendable (CaffeContext) throws -> [Graph.ValueID]
  ) {
    (self.type, self.parameters, self.fields) = (type, parameters, fields)
    self.read = read
  }

  /// Refuses what a layer states and the reader does not honour.
  ///
  /// - Throws: ``EngineError`` that names the field.
  func check(_ layer: CaffeLayer) throws {
    try Self.everywhere.check(layer.message.comparable, "field")
    guard let parameters else { return }
    let own: KnownFields = fields.joined(
      KnownFields(harmless: ["engine", "weight_filler", "bias_filler", "filler"]))
    for message in layer.message.messages("\(parameters)_param") {
      do {
        try own.check(message.comparable, "field")
      } catch let error as EngineError {
        throw EngineError(error.code, "in '\(parameters)_param' \(error.message)")
      }
    }
  }

  /// Fields of every layer; Caffe ignores the parameters of other types.
  private static let everywhere = KnownFields(
    ["name", "type", "bottom", "top", "include", "exclude", "blobs"]
      + families.flatMap(\.readers).compactMap { $0.parameters.map { "\($0)_param" } },
    harmless: [
      "phase", "param", "loss_weight", "propagate_down", "blobs_lr", "weight_decay",
      "blob_share_mode", "transform_param", "loss_param", "accuracy_param", "data_param",
      "dummy_data_param", "hdf5_data_param", "image_data_param", "window_data_param",
      "contrastive_loss_param", "hdf5_output_param", "hinge_loss_param", "infogain_loss_param",
      "memory_data_param", "input_param", "parameter_param",
    ])

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
