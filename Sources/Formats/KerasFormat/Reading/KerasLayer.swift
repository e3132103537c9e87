import Graph

/// A layer as the file says it.
struct KerasLayer {
  /// What a call of a layer reads: an output of a call of another.
  struct Source: Hashable {
    let layer: String
    let call: Int
    let output: Int
  }

  /// Its name.
  let name: String
  /// Its type: `Conv2D`.
  let type: String
  /// Its settings.
  let settings: KerasSettings
  /// Its calls; empty for layers of a row.
  let calls: [KerasCall]
  /// Whether it is an operation on tensors instead of a layer: one of `keras.ops`, or of TensorFlow.
  let isOperation: Bool

  /// A layer in a list of them.
  init(_ item: KerasSettings, functional: Bool) throws {
    type = try item.text("class_name") ?? ""
    // Keras 1 wrote a list in the place of the settings of a row of layers.
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

  /// Whether an item of a list of layers is an operation on tensors.
  private static func isOperation(
    _ item: KerasSettings, _ type: String, _ settings: KerasSettings, _ nodes: [Any]
  ) -> Bool {
    if ["TFOpLambda", "SlicingOpLambda"].contains(type) { return true }
    if let module = item.values["module"] as? String { return module.contains(".ops") }
    // HDF5 files of Keras 3 name no module; layers say whether they are trained, operations have nothing to train.
    return nodes.first is [String: Any] && !settings.has("trainable") && !settings.has("dtype")
      && KerasOperationReader.all[KerasWeights.snakeCase(type)] != nil
  }

  /// `["name", 0, 0]`.
  static func source(_ value: Any) -> Source? {
    guard let list = value as? [Any], list.count >= 3, let layer = list[0] as? String,
      let call = list[1] as? Int, let output = list[2] as? Int
    else { return nil }
    return Source(layer: layer, call: call, output: output)
  }

  /// Sources in a list, or one of them alone; those that have names by their order.
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

  /// What sentences call its kind: the type, or the operation's own name.
  var kind: String { isOperation ? function ?? type : type }

  /// The name of the function that it calls, where it is one with a name.
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
