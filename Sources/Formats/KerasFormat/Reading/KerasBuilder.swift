import Foundation
import Graph
import Operators

/// Builds the graph of a model layer by layer.
final class KerasBuilder {
  let builder = GraphBuilder()
  let options: ReadingOptions
  /// The major version of Keras that wrote the file.
  let version: Int
  /// The names of the custom layers found so far. ``ReadingOptions`` may describe the layers by these names.
  var customLayerNames: Set<String> = []
  private let file: KerasFile
  private var inputNames: Set<String> = []
  private var depth = 0

  init(_ file: KerasFile, _ options: ReadingOptions) {
    (self.file, self.options, version) = (file, options, file.version)
  }

  /// A model that is nested in another model, or the outermost model.
  private struct Scope {
    /// The names of the enclosing models, from the outermost model inwards, and of this model. The outermost model's
    /// name is omitted.
    var path: [String] = []
    var types: [(type: String, number: Int)] = []
    /// The tensors that the enclosing model passes to this model. Nil for the outermost model.
    var given: [KerasTensor]?
  }

  /// Returns the model as a graph with its inputs and outputs.
  ///
  /// - Throws: ``EngineError`` that names the layer.
  func model() throws -> GraphModel {
    let type: String = try file.model.text("class_name") ?? ""
    let model = try KerasLayer(file.model, functional: false)
    let outputs = try network(model.settings, type: type, Scope())
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
    // Output images and volumes are channels-first, like inputs. Other outputs keep Keras's axis order.
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

  /// Adds the layers of a model. Returns the model's outputs, each with the name of the layer that computes the output.
  private func network(_ settings: KerasSettings, type: String, _ scope: Scope) throws -> [(
    String, KerasTensor
  )] {
    depth += 1
    defer { depth -= 1 }
    guard depth < 32 else { throw EngineError(.invalidModel, "Models are nested too deeply.") }
    switch type {
    case "Sequential": return try row(settings, scope)
    case "Model", "Functional": return try functional(settings, scope)
    default:
      throw EngineError(
        .unsupported,
        "The model is of the type '\(type)', expected Sequential or Functional: a subclassed model has no architecture in the file. Build it from layers with keras.Input first."
      )
    }
  }

  // MARK: - Sequential models

  private func row(_ settings: KerasSettings, _ scope: Scope) throws -> [(String, KerasTensor)] {
    let layers: [KerasLayer] = try settings.objects("layers").map {
      try KerasLayer($0, functional: false)
    }
    var current: [KerasTensor] = scope.given ?? []
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
      current = try call(layer, KerasCall(tensors: current), scope, number)
      last = layer.name
    }
    return current.map { (last, $0) }
  }

  // MARK: - Functional models

  private func functional(_ settings: KerasSettings, _ scope: Scope) throws -> [(
    String, KerasTensor
  )] {
    let layers: [KerasLayer] = try settings.objects("layers").map {
      try KerasLayer($0, functional: true)
    }
    let inputs: [KerasLayer.Source] = KerasLayer.sources(settings.values["input_layers"])
    let outputs: [KerasLayer.Source] = KerasLayer.sources(settings.values["output_layers"])
    var known: [KerasLayer.Source: KerasTensor] = [:]
    if let given = scope.given {
      guard given.count == inputs.count else {
        throw EngineError(
          .invalidModel, "it gets \(given.count) tensors, expected \(inputs.count).")
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
    // The file lists layers mostly in the order of computation. If an input of a call does not exist yet, the call
    // waits for the next pass over the list.
    while !waiting.isEmpty {
      var later: [(layer: KerasLayer, call: Int, number: Int)] = []
      for (layer, call, number) in waiting {
        guard let resolved = layer.calls[call].resolved(known) else {
          later.append((layer, call, number))
          continue
        }
        let made = try self.call(layer, resolved, scope, number)
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
          waiting.first.map { "; '\($0.layer.name)' waits for an output that no layer makes" } ?? ""
        throw EngineError(
          .invalidModel, "No layer makes the output '\(source.layer)'\(missing).")
      }
      return (source.layer, tensor)
    }
  }

  // MARK: - Layers

  /// Adds a layer's call and returns the call's outputs. If the layer is a model, adds the layers of that model.
  private func call(_ layer: KerasLayer, _ call: KerasCall, _ scope: Scope, _ number: Int)
    throws -> [KerasTensor]
  {
    do {
      if layer.isOperation { return try KerasOperation(layer, call, self).result() }
      var inner: Scope = scope
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
      // The first layer of a Sequential model may be a Sequential model itself. Then the first layer of the inner model
      // states the shape.
      return try shape(of: try KerasLayer(first, functional: false))
    }
    // Keras 1 may state the number of input values instead of a shape.
    return try layer.settings.int("input_dim").map { [nil, $0] }
  }

  /// The settings of an input layer that the reader knows.
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
    // Images and volumes are channels-first, as in Core ML.
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
        .invalidModel, "The input '\(name)' has more elements than any machine can compute.")
    }
    if isChannelFirst { extents = KerasTensor.toChannelFirst(rank).map { extents[$0] } }
    let value = builder.addInput(name, extents: given ?? extents)
    return KerasTensor(value, rank: rank, isChannelFirst: isChannelFirst)
  }

  /// Whether the model's layers are channels-first in Keras.
  private lazy var usesChannelsFirst: Bool = {
    file.model.json.contains("\"channels_first\"")
  }()
}
