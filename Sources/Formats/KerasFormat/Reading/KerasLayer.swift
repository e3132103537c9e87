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
  /// What each call reads; empty for layers of a row.
  let calls: [[Source]]

  /// A layer in a list of them.
  init(_ item: KerasSettings, functional: Bool) throws {
    type = try item.text("class_name") ?? ""
    // Keras 1 wrote a list in the place of the settings of a row of layers.
    settings =
      item.object("config") ?? KerasSettings(["layers": item.values["config"] ?? [Any]()])
    name = try item.text("name") ?? settings.text("name") ?? type
    calls = functional ? try Self.calls(item.values["inbound_nodes"]) : []
  }

  private static func calls(_ nodes: Any?) throws -> [[Source]] {
    guard let nodes = nodes as? [Any] else { return [] }
    return nodes.map { node in
      var sources: [Source] = []
      if let node = node as? [String: Any] {
        collect(node["args"] ?? [Any](), into: &sources, depth: 0)
        collect(node["kwargs"] ?? [Any](), into: &sources, depth: 0)
      } else {
        collect(node, into: &sources, depth: 0)
      }
      return sources
    }
  }

  /// Finds the tensors in the arguments of a call, in their order.
  private static func collect(_ value: Any, into sources: inout [Source], depth: Int) {
    guard depth < 16, sources.count < 1 << 16 else { return }
    if let source = source(value) {
      sources.append(source)
      // Keras 2 gives what is passed by name in a fourth place.
      if let list = value as? [Any], list.count > 3 {
        collect(list[3], into: &sources, depth: depth + 1)
      }
    } else if let list = value as? [Any] {
      for item in list { collect(item, into: &sources, depth: depth + 1) }
    } else if let object = value as? [String: Any] {
      if object["class_name"] as? String == "__keras_tensor__",
        let history = (object["config"] as? [String: Any])?["keras_history"],
        let source = source(history)
      {
        sources.append(source)
        return
      }
      for key in object.keys.sorted(by: argumentOrder) {
        collect(object[key] ?? 0, into: &sources, depth: depth + 1)
      }
    }
  }

  /// Arguments by name in the order of their places.
  private static func argumentOrder(_ left: String, _ right: String) -> Bool {
    let order = ["query", "value", "key", "initial_state"]
    let (first, second) = (order.firstIndex(of: left) ?? 9, order.firstIndex(of: right) ?? 9)
    return first == second ? left < right : first < second
  }

  /// `["name", 0, 0]`.
  static func source(_ value: Any) -> Source? {
    guard let list = value as? [Any], list.count >= 3, let layer = list[0] as? String,
      let call = list[1] as? Int, let output = list[2] as? Int
    else { return nil }
    return Source(layer: layer, call: call, output: output)
  }

  /// Sources in a list, or one of them alone.
  static func sources(_ value: Any?) -> [Source] {
    if let value, let one = source(value) { return [one] }
    var found: [Source] = []
    if let value { collect(value, into: &found, depth: 0) }
    return found
  }

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
