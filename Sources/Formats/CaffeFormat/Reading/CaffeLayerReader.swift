import Graph

/// Reads the layers of one type as operators of the graph.
struct CaffeLayerReader: Sendable {
  /// The layer type, such as `Convolution`.
  let type: String
  /// The name of the parameter message of the layer type, without `_param`. Nil if the layer type has no parameter
  /// message.
  let parameters: String?
  /// The fields of the parameter message that the reader knows.
  let fields: KnownFields
  /// Adds the operators of a layer and returns the layer's outputs, in the order of the layer's tops.
  let read: @Sendable (CaffeContext) throws -> [Graph.ValueID]

  /// Makes a reader of layers with one output.
  ///
  /// - Parameters:
  ///   - parameters: The name of the parameter message, without `_param`. Nil if the layer type has no parameter
  ///     message.
  ///   - fields: The fields of that message.
  init(
    _ type: String, _ parameters: String? = nil, fields: KnownFields = KnownFields(),
    read: @escaping @Sendable (CaffeContext) throws -> Graph.ValueID
  ) {
    self.init(several: type, parameters, fields: fields) { [try read($0)] }
  }

  /// Makes a reader of layers with several outputs.
  init(
    several type: String, _ parameters: String? = nil, fields: KnownFields = KnownFields(),
    read: @escaping @Sendable (CaffeContext) throws -> [Graph.ValueID]
  ) {
    (self.type, self.parameters, self.fields) = (type, parameters, fields)
    self.read = read
  }

  /// Refuses settings of a layer that the reader does not implement.
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

  /// The fields that every layer may have. Caffe ignores parameter messages that belong to other layer types.
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

  /// The readers of all supported types, by family.
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
  /// The supported types of layers, by family.
  public static var layerTypes: [(family: String, types: [String])] {
    CaffeLayerReader.families.map { ($0.name, $0.readers.map(\.type)) }
  }
}
