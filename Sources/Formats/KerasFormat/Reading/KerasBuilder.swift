import Foundation
import Graph
import Operators

/// Builds the graph of a model layer by layer.
final class KerasBuilder {
  let builder = GraphBuilder()
  let options: ReadingOptions
  /// The first number of the version of Keras that wrote the file.
  let version: Int
  /// What may name the layers that became custom layers.
  var customLayerNames: Set<String> = []
  private let file: KerasFile
  private var inputNames: Set<String> = []
  private var depth = 0

  init(_ file: KerasFile, _ options: ReadingOptions) {
    (self.file, self.options, version) = (file, options, file.version)
  }

  /// A model that stands in another one, or the whole.
  private struct Place {
    /// The names of the models around and of this one, but for the outermost.
    var path: [String] = []
    var types: [(type: String, number: Int)] = []
    /// What the model around hands on; nil for the outermost.
    var given: [KerasTensor]?
  }

  /// The model as a graph.
  ///
  /// - Throws: ``EngineError`` that names the layer.
  func model() throws -> GraphModel {
    let type: String = try file.model.text("class_name") ?? ""
    let model = try KerasLayer(file.model, functional: false)
    let outputs = try network(model.settings, type: type, Place())
    guard !outputs.isEmpty else {
      throw EngineError(.invalidModel, "The model has no outputs; its layers compute nothing.")
    }
    try options.checkCustomLayerDetails(customLayerNames)
    var names: Set<String> = []
    for (name, tensor) in outputs {
      var own: String = name
      var number = 1
      while !names.insert(own).inserted {
        own = "\(name)_\(number)"
        number += 1
      }
      try addOutput(tensor, name: own)
    }
    var made: GraphModel = builder.model()
    made.metadata.summary = try model.settings.text("name") ?? ""
    return made
  }

  private func addOutput(_ tensor: KerasTensor, name: String) throws {
    var value: Graph.ValueID = tensor.value
    // As inputs: pictures and volumes have their channels in front, nothing else has.
    let isPicture: Bool = (4...5).contains(tensor.rank)
    if tensor.isChannelFirst, !isPicture {
      let axes: [Int] = KerasTensor.toKeras(tensor.rank)
      value = try builder.add(TransposeOperator(axes: axes), value, name: name)
    } else if isPicture, !tensor.isChannelFirst, !usesChannelsFirst {
      let axes: [Int] = KerasTensor.toChannelFirst(tensor.rank)
      value = try builder.add(TransposeOperator(axes: axes), value, name: name)
    }
    if builder.graph.inputs.contains(value) || builder.graph.outputs.contains(value) {
      value = try builder.add(CopyOperator(), value, name: name)
    }
    builder.rename(value, to: name)
    if builder.extents(of: value) == nil, let given = options.extents[name] {
      builder.state(given, .float32, of: value)
    }
    builder.addOutput(value, name: name)
  }

  /// The outputs of a model with the names of the layers that make them.
  private func network(_ settings: KerasSettings, type: String, _ place: Place) throws -> [(
    String, KerasTensor
  )] {
    depth += 1
    defer { depth -= 1 }
    guard depth < 32 else { throw EngineError(.invalidModel, "Models are nested too deeply.") }
    switch type {
    case "Sequential": return try row(settings, place)
    case "Model", "Functional": return try functional(settings, place)
    default:
      throw EngineError(
        .unsupported,
        "The model is of the type '\(type)', expected Sequential or Functional: a class of its maker's has no architecture in the file. Build it from layers with keras.Input first."
      )
    }
  }

  // MARK: - Rows of layers

  private func row(_ settings: KerasSettings, _ place: Place) throws -> [(String, KerasTensor)] {
    let layers: [KerasLayer] = try settings.objects("layers").map {
      try KerasLayer($0, functional: false)
    }
    var current: [KerasTensor] = place.given ?? []
    var numbers: [String: Int] = [:]
    var last = ""
    for layer in layers {
      let number: Int = numbers[layer.type, default: 0]
      numbers[layer.type] = number + 1
      if layer.type == "InputLayer" {
        if current.isEmpty { current = [try addInput(layer)] }
        continue
      }
      if current.isEmpty {
        let shape = try self.shape(of: layer) ?? settings.extents("build_input_shape")
        current = [try addInput(layer.name + "_input", shape, layer.settings)]
      }
      current = try call(layer, KerasCall(tensors: current), place, number)
      last = layer.name
    }
    return current.map { (last, $0) }
  }

  // MARK: - Graphs of layers

  private func functional(_ settings: KerasSettings, _ place: Place) throws -> [(
    String, KerasTensor
  )] {
    let layers: [KerasLayer] = try settings.objects("layers").map {
      try KerasLayer($0, functional: true)
    }
    let inputs: [KerasLayer.Source] = KerasLayer.sources(settings.values["input_layers"])
    let outputs: [KerasLayer.Source] = KerasLayer.sources(settings.values["output_layers"])
    var known: [KerasLayer.Source: KerasTensor] = [:]
    if let given = place.given {
      guard given.count == inputs.count else {
        throw EngineError(
          .invalidModel, "it is given \(given.count) tensors, expected \(inputs.count).")
      }
      for (source, tensor) in zip(inputs, given) { known[source] = tensor }
    }
    let byName: [String: KerasLayer] = Dictionary(layers.map { ($0.name, $0) }) { first, _ in first
    }
    for source in inputs where known[source] == nil {
      guard let layer = byName[source.layer] else {
        throw EngineError(.invalidModel, "The input layer '\(source.layer)' is missing.")
      }
      known[source] = try addInput(layer)
    }
    var numbers: [String: Int] = [:]
    var waiting: [(layer: KerasLayer, call: Int, number: Int)] = []
    for layer in layers {
      let number: Int = numbers[layer.type, default: 0]
      numbers[layer.type] = number + 1
      guard layer.type != "InputLayer" else { continue }
      waiting += layer.calls.indices.map { (layer, $0, number) }
    }
    // The list is mostly in the order of computing; calls that read what comes later wait.
    while !waiting.isEmpty {
      var later: [(layer: KerasLayer, call: Int, number: Int)] = []
      for (layer, call, number) in waiting {
        guard let resolved = layer.calls[call].resolved(known) else {
          later.append((layer, call, number))
          continue
        }
        let made = try self.call(layer, resolved, place, number)
        for (output, tensor) in made.enumerated() {
          known[KerasLayer.Source(layer: layer.name, call: call, output: output)] = tensor
        }
      }
      guard later.count < waiting.count else { break }
      waiting = later
    }
    return try outputs.map { source in
      guard let tensor = known[source] else {
        let missing: String =
          waiting.first.map { "; '\($0.layer.name)' waits for what no layer makes" } ?? ""
        throw EngineError(
          .invalidModel, "The output of layer '\(source.layer)' is made by no layer\(missing).")
      }
      return (source.layer, tensor)
    }
  }

  // MARK: - Layers

  /// What a layer makes of a call; a model in the place of a layer is built from its own layers.
  private func call(_ layer: KerasLayer, _ call: KerasCall, _ place: Place, _ number: Int)
    throws -> [KerasTensor]
  {
    do {
      if layer.isOperation { return try KerasOperation(layer, call, self).result() }
      var inner: Place = place
      inner.path.append(layer.name)
      inner.types.append((layer.type, number))
      let bare = KerasContext(layer: layer, inputs: [], weights: [], network: self)
      if ["Sequential", "Model", "Functional"].contains(layer.type) {
        let arguments = try call.bound(to: ["inputs"], version: version)
        inner.given = try bare.tensors(
          in: arguments, orderedAs: KerasLayer.sources(layer.settings.values["input_layers"]))
        return try network(layer.settings, type: layer.type, inner).map(\.1)
      }
      let weights = try file.weights?.arrays(of: inner.path, inner.types) ?? []
      guard let reader = KerasLayerReader.all[layer.type] else {
        return try bare.with(try bare.tensors(in: call.everything), weights).custom()
      }
      if let fields = reader.fields { try layer.settings.check(fields) }
      let arguments = try call.bound(to: reader.parameters, version: version)
      return try reader.read(bare.with(try bare.tensors(in: arguments), weights))
    } catch let error as EngineError {
      throw error.naming(layer.kind, layer.name)
    }
  }

  // MARK: - Inputs

  private func shape(of layer: KerasLayer) throws -> [Int?]? {
    if let shape = try layer.settings.extents("batch_shape", "batch_input_shape") { return shape }
    if let first = try? layer.settings.objects("layers").first {
      // A row whose first layer is a row.
      return try shape(of: try KerasLayer(first, functional: false))
    }
    // Keras 1 states the number of values where there is no shape.
    return try layer.settings.int("input_dim").map { [nil, $0] }
  }

  /// The settings of a layer that stands for an input.
  private static let inputFields = KnownFields(
    ["batch_shape", "batch_input_shape", "input_dim"],
    only: ["sparse": [false], "ragged": [false]],
    harmless: ["optional", "input_tensor"])

  private func addInput(_ layer: KerasLayer) throws -> KerasTensor {
    do {
      if layer.type == "InputLayer" { try layer.settings.check(Self.inputFields) }
    } catch let error as EngineError {
      throw error.naming(layer.type, layer.name)
    }
    return try addInput(layer.name, try shape(of: layer), layer.settings)
  }

  private func addInput(_ name: String, _ shape: [Int?]?, _ settings: KerasSettings) throws
    -> KerasTensor
  {
    guard inputNames.insert(name).inserted else {
      throw EngineError(.invalidModel, "Two inputs of the model are called '\(name)'.")
    }
    let given: [Extent]? = options.extents[name]
    guard shape != nil || given != nil else {
      throw EngineError(
        .invalidModel, "The input '\(name)' has no shape in the file; state its extents.")
    }
    let rank: Int = shape?.count ?? given?.count ?? 0
    // Pictures and volumes have their channels in front, as Core ML's do.
    let isChannelFirst: Bool = (4...5).contains(rank) && !usesChannelsFirst
    guard rank >= 1, given == nil || given?.count == rank,
      shape?.dropFirst().allSatisfy({ $0.map { $0 > 0 && $0 <= 1 << 31 } ?? true }) ?? true
    else {
      throw EngineError(
        .invalidModel,
        "The input '\(name)' has \(rank) axes of \((shape ?? []).map { $0.map(String.init) ?? "?" }.joined(separator: " × ")), expected \(rank) extents of 1 or more."
      )
    }
    var extents: [Extent] = (shape ?? []).map { $0.map { Extent($0) } ?? Extent(from: 1) }
    if !extents.isEmpty { extents[0] = 1 }
    guard Shape((given ?? extents).map { $0.fixed ?? max(96, $0.lower) }).isMeasurable else {
      throw EngineError(
        .invalidModel, "The input '\(name)' is larger than what any machine can compute.")
    }
    if isChannelFirst { extents = KerasTensor.toChannelFirst(rank).map { extents[$0] } }
    let value = builder.addInput(name, extents: given ?? extents)
    return KerasTensor(value, rank: rank, isChannelFirst: isChannelFirst)
  }

  /// Whether the layers state pictures with channels in front.
  private lazy var usesChannelsFirst: Bool = {
    file.model.json.contains("\"channels_first\"")
  }()
}
