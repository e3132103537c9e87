import Graph

/// A layer in a file.
struct KerasLayer {
  /// An input of a call, as a reference to an output of another layer's call.
  struct Source: Hashable {
    let layer: String
    let call: Int
    let output: Int
  }

  /// The layer's name.
  let name: String
  /// The layer's type, such as `Conv2D`.
  let type: String
  /// The layer's settings.
  let settings: KerasSettings
  /// The layer's calls. Empty for layers of a Sequential model.
  let calls: [KerasCall]
  /// Whether the item is an operation of `keras.ops` or of TensorFlow. The file writes such an operation like a layer.
  let isOperation: Bool

  /// Reads an item of a list of layers.
  init(_ item: KerasSettings, functional: Bool) throws {
    type = try item.text("class_name") ?? ""
    // For a Sequential model, Keras 1 wrote a list of layers in place of settings.
    settings =
      item.object("config") ?? KerasSettings(["layers": item.values["config"] ?? [Any]()])
    name = try item.text("name") ?? settings.text("name") ?? type
    let nodes: [Any] = functional ? item.values["inbound_nodes"] as? [Any] ?? [] : []
    do {
      calls = try nodes.map { try KerasCall($0) }
    } catch let error as EngineError {
      throw error.naming(type, name)
    }
    isOperation = Self.isOperation(item, type, settings, nodes)
  }

  /// Returns whether an item of a list of layers is an operation on tensors.
  private static func isOperation(
    _ item: KerasSettings, _ type: String, _ settings: KerasSettings, _ nodes: [Any]
  ) -> Bool {
    if ["TFOpLambda", "SlicingOpLambda"].contains(type) { return true }
    if let module = item.values["module"] as? String { return module.contains(".ops") }
    // Keras 3 writes no module names to HDF5 files. Layers have the setting `trainable`. Operations do not.
    return nodes.first is [String: Any] && !settings.has("trainable") && !settings.has("dtype")
      && KerasOperationReader.all[KerasWeights.snakeCase(type)] != nil
  }

  /// Reads a reference to a call's output, `["name", 0, 0]`: the layer's name, the index of the call, and the index of
  /// the output. Nil if the value has another form.
  static func source(_ value: Any) -> Source? {
    guard let list = value as? [Any], list.count >= 3, let layer = list[0] as? String,
      let call = list[1] as? Int, let output = list[2] as? Int
    else { return nil }
    return Source(layer: layer, call: call, output: output)
  }

  /// Returns the references to outputs in a JSON value. The value is a reference, a list or a dictionary. Entries of a
  /// dictionary have the order of their names.
  static func sources(_ value: Any?) -> [Source] {
    guard let value, let argument = try? KerasArgument(value, namesSources: true) else { return [] }
    return sources(in: argument)
  }

  private static func sources(in argument: KerasArgument) -> [Source] {
    switch argument {
    case .source(let source): [source]
    case .list(let list): list.flatMap(sources(in:))
    case .named(let named): named.sorted { $0.key < $1.key }.flatMap { sources(in: $0.value) }
    default: []
    }
  }

  /// The layer's type or the operation's name, for messages.
  var kind: String { isOperation ? function ?? type : type }

  /// The name of the function that the operation calls, if the file states one.
  var function: String? {
    if let name = settings.values["function"] as? String, name.count < 200 {
      return settings.values["function_type"] as? String == "lambda" ? nil : name
    }
    let object = settings.object("function")
    if object?.values["class_name"] as? String == "function" {
      return object?.values["config"] as? String
    }
    return nil
  }
}
