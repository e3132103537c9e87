import Graph
import ModelFormat
import Tensors

/// The weights of a model, by layer.
final class KerasWeights {
  private let file: HDF5File
  private let root: HDF5Object
  /// Whether attributes list the layers and the layers' weights, as in files of Keras 1 and 2.
  private let isListed: Bool
  /// A cache for `named`. The outer keys are the addresses of the HDF5 groups that it has read. Each inner dictionary
  /// maps the stored names of a group's layers to the addresses of these layers.
  private var names: [Int: [String: Int]] = [:]

  /// Opens the weights in a file.
  init(_ file: HDF5File) throws {
    self.file = file
    let group = try file.object("model_weights", in: file.root)
    root = group ?? file.root
    isListed = try KerasWeights.list("layer_names", of: root, file) != nil
    guard
      try isListed || file.object("layers", in: root) != nil
        || file.object("_layer_checkpoint_dependencies", in: root) != nil
    else {
      throw EngineError(
        .invalidModel,
        "the HDF5 file holds neither a list of layers ('layer_names') nor a group 'layers': it may not have been saved by Keras."
      )
    }
  }

  /// Reads a list of names from an attribute. Keras splits a long list into several attributes: `name0`, `name1` and so
  /// on.
  private static func list(_ name: String, of group: HDF5Object, _ file: HDF5File) throws
    -> [String]?
  {
    if let unsplit = try file.texts(name, of: group) { return unsplit }
    var all: [String] = []
    var number = 0
    while let part = try file.texts("\(name)\(number)", of: group), number < 1 << 16 {
      all += part
      number += 1
    }
    return number == 0 ? nil : all
  }

  /// Returns the weight arrays of a layer in Keras's order. Empty if the file does not have the layer.
  ///
  /// - Parameters:
  ///   - path: The names of the nested models that contain the layer, from the outermost inwards, and then the layer's
  ///     name. The name of the whole model is omitted.
  ///   - positions: For each name in `path`, the type of the layer or model with that name, and its index among the
  ///     layers of the same type.
  func arrays(of path: [String], _ positions: [(type: String, number: Int)]) throws -> [Constant] {
    isListed ? try listed(path) : try stored(path, positions)
  }

  private func listed(_ path: [String]) throws -> [Constant] {
    guard let outer = path.first, let group = try file.object(outer, in: root) else { return [] }
    let names: [String] = try Self.list("weight_names", of: group, file) ?? []
    return try names.filter { name in
      path.count == 1
        || name.split(separator: "/").dropLast().contains { $0 == path[path.count - 1] }
    }.map { name in
      guard let object = try file.object(name, in: group), object.isArray else {
        throw EngineError(
          .invalidModel, "the HDF5 file lists the weights '\(name)' but does not hold them.")
      }
      return try file.array(object).constant
    }
  }

  private func stored(_ path: [String], _ positions: [(type: String, number: Int)]) throws
    -> [Constant]
  {
    var group: HDF5Object = root
    for (name, position) in zip(path, positions) {
      guard
        let layers = try file.object("layers", in: group)
          ?? file.object("_layer_checkpoint_dependencies", in: group)
      else { return [] }
      var found: HDF5Object? = try named(name, in: layers)
      let number: String = position.number == 0 ? "" : "_\(position.number)"
      if found == nil {
        // Early versions of Keras 3 do not store the names of layers. They store layers by type and index.
        found =
          try file.object(name, in: layers)
          ?? file.object(Self.snakeCase(position.type) + number, in: layers)
      }
      guard let found else { return [] }
      group = found
    }
    return try variables(of: group, depth: 0)
  }

  /// Returns the layer of this stored name in a group. Nil if the group has no such layer.
  ///
  /// This function reads the names of a group only once. Otherwise a network of 1,000 layers would visit a million
  /// objects.
  private func named(_ name: String, in layers: HDF5Object) throws -> HDF5Object? {
    if names[layers.address] == nil {
      var found: [String: Int] = [:]
      for (_, address) in try file.children(of: layers) {
        let layer: HDF5Object = try file.object(at: address)
        guard let variables = try file.object("vars", in: layer) else { continue }
        if let name = try file.text("name", of: variables) { found[name] = address }
      }
      names[layers.address] = found
    }
    return try names[layers.address]?[name].map { try file.object(at: $0) }
  }

  /// The names of a layer's inner parts, in the order in which Keras creates these parts.
  private static let parts: [String] = [
    "cell", "forward_layer", "backward_layer", "layer", "query_dense", "key_dense", "value_dense",
    "output_dense",
  ]

  private func variables(of group: HDF5Object, depth: Int) throws -> [Constant] {
    guard depth < 16 else { throw HDF5File.damaged("a layer's parts are nested too deeply") }
    try file.count(1)
    var all: [Constant] = []
    let children = try file.children(of: group)
    if let variables = children.first(where: { $0.name == "vars" }) {
      let numbered = try file.children(of: try file.object(at: variables.address))
        .compactMap { child in Int(child.name).map { ($0, child.address) } }.sorted { $0.0 < $1.0 }
      for (_, address) in numbered {
        all.append(try file.array(try file.object(at: address)).constant)
      }
    }
    for part in Self.parts {
      guard let child = children.first(where: { $0.name == part }) else { continue }
      all += try variables(of: try file.object(at: child.address), depth: depth + 1)
    }
    return all
  }

  /// Returns a type's name in the form in which Keras names layers: `batch_normalization` for `BatchNormalization`.
  static func snakeCase(_ name: String) -> String {
    let letters: [Character] = Array(name)
    var made = ""
    for (index, letter) in letters.enumerated() {
      if letter.isUppercase, index > 0 {
        let (before, after) = (
          letters[index - 1], index + 1 < letters.count ? letters[index + 1] : " "
        )
        if before.isLowercase || (after.isLowercase && after.isLetter) { made += "_" }
      }
      made += letter.lowercased()
    }
    return made
  }
}
