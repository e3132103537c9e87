import Foundation
import Graph

/// A call of a layer or an operation: its arguments by place and by name.
struct KerasCall {
  var arguments: [KerasArgument]
  var named: [String: KerasArgument] = [:]

  /// A call with tensors alone.
  init(tensors: [KerasTensor]) { arguments = [.list(tensors.map { .tensor($0) })] }

  private init(_ arguments: [KerasArgument], _ named: [String: KerasArgument]) {
    (self.arguments, self.named) = (arguments, named)
  }

  /// A call as the file says it: an item of `inbound_nodes`.
  init(_ node: Any) throws {
    if let node = node as? [String: Any] {
      arguments = try (node["args"] as? [Any] ?? []).map {
        try KerasArgument($0, namesSources: false)
      }
      named = try (node["kwargs"] as? [String: Any] ?? [:]).mapValues {
        try KerasArgument($0, namesSources: false)
      }
      return
    }
    // Keras 2 writes the first argument, with all others by name in the fourth place of each of its tensors.
    arguments = [try Self.first(node, into: &named, depth: 0)]
  }

  /// The word that stands for a layer's name where the first argument is no tensor.
  private static let constant = "_CONSTANT_VALUE"

  private static func first(_ value: Any, into named: inout [String: KerasArgument], depth: Int)
    throws -> KerasArgument
  {
    guard let list = value as? [Any], depth < 16 else {
      return try KerasArgument(value, namesSources: true)
    }
    let isConstant: Bool = list.count >= 3 && list[0] as? String == Self.constant
    guard isConstant || KerasLayer.source(list) != nil else {
      return .list(try list.map { try first($0, into: &named, depth: depth + 1) })
    }
    if list.count > 3, let others = list[3] as? [String: Any] {
      for (name, value) in others {
        named[name] = try KerasArgument(value, namesSources: true)
      }
    }
    return try KerasArgument(isConstant ? list[2] : list, namesSources: true)
  }

  /// All arguments, those with names by their order.
  var everything: [KerasArgument] {
    arguments + named.sorted { $0.key < $1.key }.map(\.value)
  }

  /// The same with tensors in the place of their names; nil where one is not made yet.
  func resolved(_ known: [KerasLayer.Source: KerasTensor]) -> KerasCall? {
    let arguments: [KerasArgument] = self.arguments.compactMap { $0.resolved(known) }
    let named: [String: KerasArgument] = self.named.compactMapValues { $0.resolved(known) }
    guard arguments.count == self.arguments.count, named.count == self.named.count else {
      return nil
    }
    return KerasCall(arguments, named)
  }

  /// The arguments that a layer takes, by the names of its parameters in their order. Others are refused, but for
  /// those that say nothing.
  ///
  /// - Parameter version: That of Keras. A prediction of Keras 3 says `training=False` to every layer, whatever a
  ///   layer was called with; Keras 2 keeps to what is stated.
  /// - Throws: ``EngineError`` that names the argument.
  func bound(to parameters: [String], version: Int) throws -> [KerasArgument] {
    var found: [String: KerasArgument] = [:]
    var others: [(name: String, value: KerasArgument)] = []
    for (place, value) in arguments.enumerated() {
      if place < parameters.count {
        found[parameters[place]] = value
      } else {
        others.append(("\(place + 1)", value))
      }
    }
    for (name, value) in named.sorted(by: { $0.key < $1.key }) {
      if parameters.contains(name) {
        found[name] = value
      } else if arguments.isEmpty, found[parameters[0]] == nil, !KerasCall.isKeyword(name) {
        // Layers name their first parameter as they like.
        found[parameters[0]] = value
      } else {
        others.append((name, value))
      }
    }
    let isSaid = { (name: String) in version < 3 || name != "training" }
    if let other = others.first(where: { !$0.value.isNothing && isSaid($0.name) }) {
      throw EngineError(
        .unsupported,
        "it is called with the argument '\(other.name)', which is \(other.value): only \(parameters.map { "'\($0)'" }.joined(separator: ", ")) can be read. Build the model without it."
      )
    }
    return parameters.compactMap { found[$0] }
  }

  /// Whether a name is that of an argument which layers take beside tensors.
  private static func isKeyword(_ name: String) -> Bool {
    ["training", "mask", "attention_mask", "initial_state"].contains(name)
  }
}
