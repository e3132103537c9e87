import Graph
import ModelFormat
import Tensors

/// The weights of a model, by layers.
final class KerasWeights {
  private let file: HDF5File
  private let root: HDF5Object
  /// Whether layers and their weights are listed by name, as Keras 1 and 2 do.
  private let isListed: Bool
  /// Where layers are, by their names, for each group whose layers have been sought.
  private var names: [Int: [String: Int]] = [:]

  /// The weights in a file.
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
        "the HDF5 file holds neither a list of layers ('layer_names') nor a group 'layers': it was not saved by Keras."
      )
    }
  }

  /// A list of names, which long ones are cut into several attributes.
  private static func list(_ name: String, of group: HDF5Object, _ file: HDF5File) throws
    -> [String]?
  {
    if let whole = try file.texts(name, of: group) { return whole }
    var all: [String] = []
    var number = 0
    while let part = try file.texts("\(name)\(number)", of: group), number < 1 << 16 {
      all += part
      number += 1
    }
    return number == 0 ? nil : all
  }

  /// The arrays of a layer in Keras's order; none where the file has no such layer.
  ///
  /// - Parameter path: The layer's name, after those of the models that it stands in.
  /// - Parameter places: For each of these its number among the layers of its type, and that type.
  func arrays(of path: [String], _ places: [(type: String, number: Int)]) throws -> [Constant] {
    isListed ? try listed(path) : try stored(path, places)
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
          .invalidModel, "the HDF5 file lists weights '\(name)' and does not hold them.")
      }
      return try file.array(object).constant
    }
  }

  private func stored(_ path: [String], _ places: [(type: String, number: Int)]) throws
    -> [Constant]
  {
    var group: HDF5Object = root
    for (name, place) in zip(path, places) {
      guard
        let layers = try file.object("layers", in: group)
          ?? file.object("_layer_checkpoint_dependencies", in: group)
      else { return [] }
      var found: HDF5Object? = try named(name, in: layers)
      let number: String = place.number == 0 ? "" : "_\(place.number)"
      if found == nil {
        // Files of the first versions do not say the layers' names.
        found =
          try file.object(name, in: layers)
          ?? file.object(Self.snakeCase(place.type) + number, in: layers)
      }
      guard let found else { return [] }
      group = found
    }
    return try variables(of: group, depth: 0)
  }

  /// The layer in a group that states a name; nil where none does.
  ///
  /// The names of a group are read once: a network of 1,000 layers would visit a million objects otherwise.
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

  /// Parts of layers in the order in which Keras makes them.
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

  /// `BatchNormalization` as `batch_normalization`, as Keras writes it.
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
