import Foundation
import Graph

/// A call of a layer or an operation: the call's arguments by position and by name.
struct KerasCall {
  /// The arguments by position.
  var arguments: [KerasArgument]
  /// The arguments by name.
  var named: [String: KerasArgument] = [:]

  /// Makes a call whose only arguments are tensors.
  init(tensors: [KerasTensor]) { arguments = [.list(tensors.map { .tensor($0) })] }

  private init(_ arguments: [KerasArgument], _ named: [String: KerasArgument]) {
    (self.arguments, self.named) = (arguments, named)
  }

  /// Reads a call: an item of `inbound_nodes`.
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
    // Keras 2 writes only the first argument, which is a tensor or a list of tensors. It writes a tensor as a list. The
    // fourth item of this list holds all other arguments of the call by name.
    arguments = [try Self.first(node, into: &named, depth: 0)]
  }

  /// The word that Keras 2 writes in place of a layer's name if the first argument is not a tensor.
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

  /// All arguments: first the arguments by position, and then the named arguments, sorted by name.
  var everything: [KerasArgument] {
    arguments + named.sorted { $0.key < $1.key }.map(\.value)
  }

  /// Returns the call with every named output of another call replaced by its tensor. Nil if a tensor does not exist
  /// yet.
  func resolved(_ known: [KerasLayer.Source: KerasTensor]) -> KerasCall? {
    let arguments: [KerasArgument] = self.arguments.compactMap { $0.resolved(known) }
    let named: [String: KerasArgument] = self.named.compactMapValues { $0.resolved(known) }
    guard arguments.count == self.arguments.count, named.count == self.named.count else {
      return nil
    }
    return KerasCall(arguments, named)
  }

  /// Returns the arguments of a layer, in the order of `parameters`. Throws if the call has any other argument that has
  /// an effect.
  ///
  /// - Parameter version: The major version of Keras that wrote the file. If the author called the model for
  ///   prediction, Keras 3 writes `training=False` into every layer's call. Keras 2 writes only the arguments that the
  ///   author stated.
  /// - Throws: ``EngineError`` that names the argument.
  func bound(to parameters: [String], version: Int) throws -> [KerasArgument] {
    var found: [String: KerasArgument] = [:]
    var others: [(name: String, value: KerasArgument)] = []
    for (position, value) in arguments.enumerated() {
      if position < parameters.count {
        found[parameters[position]] = value
      } else {
        others.append(("\(position + 1)", value))
      }
    }
    for (name, value) in named.sorted(by: { $0.key < $1.key }) {
      if parameters.contains(name) {
        found[name] = value
      } else if arguments.isEmpty, found[parameters[0]] == nil, !KerasCall.isKeyword(name) {
        // Each layer's class chooses the name of its first parameter, so the reader accepts any name for the first
        // parameter.
        found[parameters[0]] = value
      } else {
        others.append((name, value))
      }
    }
    let hasEffect = { (name: String) in version < 3 || name != "training" }
    if let other = others.first(where: { !$0.value.isNothing && hasEffect($0.name) }) {
      throw EngineError(
        .unsupported,
        "it is called with the argument '\(other.name)' (\(other.value)), expected only \(parameters.map { "'\($0)'" }.joined(separator: ", ")). Build the model without it."
      )
    }
    return parameters.compactMap { found[$0] }
  }

  /// Returns whether layers accept an argument of this name in addition to tensors.
  private static func isKeyword(_ name: String) -> Bool {
    ["training", "mask", "attention_mask", "initial_state"].contains(name)
  }
}
