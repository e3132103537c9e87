import Graph

/// Builds the graph of a network layer by layer.
struct CaffeBuilder {
  private let network: CaffeNetwork
  private let options: ReadingOptions
  private let builder = GraphBuilder()
  /// The current value of each blob name. A layer may give its output the name of its input.
  private var scope: [String: Graph.ValueID] = [:]
  /// The values that no layer has read so far, with their names, in the order of the layers. After the last layer,
  /// these are the outputs.
  private var unread: [(name: String, value: Graph.ValueID)] = []

  init(_ network: CaffeNetwork, _ options: ReadingOptions) {
    (self.network, self.options) = (network, options)
  }

  /// Returns the network as a graph with its inputs and outputs.
  ///
  /// - Throws: ``EngineError`` that names the layer.
  consuming func model() throws -> GraphModel {
    guard !network.inputs.isEmpty else {
      throw EngineError(
        .invalidModel,
        "The network has no input: a layer 'Input', or 'input' with 'input_dim'. Give the .prototxt for deployment: --with FILE.prototxt."
      )
    }
    for input in network.inputs { try addInput(input) }
    for layer in network.layers {
      do {
        try add(layer)
      } catch let error as EngineError {
        throw error.naming(layer.type.isEmpty ? "Layer" : layer.type, layer.name)
      }
    }
    let outputs = unread.filter { !network.inputs.map(\.name).contains($0.name) }
    guard !outputs.isEmpty else {
      throw EngineError(.invalidModel, "The network computes nothing: its layers have no output.")
    }
    for (name, value) in outputs {
      builder.rename(value, to: name)
      builder.addOutput(value, name: name)
    }
    var model: GraphModel = builder.model()
    model.metadata.summary = network.name
    return model
  }

  private mutating func addInput(_ input: CaffeNetwork.Input) throws {
    let extents: [Extent]
    if let given = options.extents[input.name] {
      extents = given
    } else {
      guard var shape = input.shape, !shape.isEmpty, shape.dropFirst().allSatisfy({ $0 > 0 }),
        Shape(shape).isMeasurable
      else {
        throw EngineError(
          .invalidModel,
          "The input '\(input.name)' has no usable size (\(input.shape.map { "\(Shape($0))" } ?? "the file has none")); state its extents."
        )
      }
      // A network for deployment states the batch size that the network's author used. The graph uses 1 instead.
      if shape.count > 1 { shape[0] = 1 }
      extents = shape.map { Extent($0) }
    }
    guard scope[input.name] == nil else {
      throw EngineError(.invalidModel, "Two inputs of the network are called '\(input.name)'.")
    }
    scope[input.name] = builder.addInput(input.name, extents: extents)
  }

  private mutating func add(_ layer: CaffeLayer) throws {
    guard let reader = CaffeLayerReader.all[layer.type] else {
      throw EngineError(
        .unsupported,
        layer.type.isEmpty
          ? "the layer has no type." : "layers of the type '\(layer.type)' are not supported.")
    }
    if !layer.isForTraining || layer.type == "SoftmaxWithLoss" { try reader.check(layer) }
    let inputs: [Graph.ValueID] = try layer.bottoms.compactMap { name in
      if let value = scope[name] { return value }
      // The layer reads the labels of training examples. The graph has no input for labels.
      if layer.isForTraining { return nil }
      throw EngineError(.invalidModel, "it reads '\(name)', which no earlier layer makes.")
    }
    let made: [Graph.ValueID] = try reader.read(
      CaffeContext(layer: layer, inputs: inputs, builder: builder))
    guard made.count >= layer.tops.count || made.isEmpty else {
      throw EngineError(
        .invalidModel, "it makes \(made.count) outputs but names \(layer.tops.count).")
    }
    guard !made.isEmpty else { return }
    unread.removeAll { layer.bottoms.contains($0.name) || layer.tops.contains($0.name) }
    for (top, value) in zip(layer.tops, made) {
      scope[top] = value
      unread.append((top, value))
    }
  }
}
