import Graph

/// Builds the graph of a network layer by layer.
struct NCNNBuilder {
  private let layers: [NCNNLayer]
  private let weights: NCNNWeights
  private let options: ReadingOptions
  private let builder = GraphBuilder()
  /// The values by name.
  private var scope: [String: Graph.ValueID] = [:]
  /// The values that no layer has read so far, in the order of the layers. After the last layer, these are the outputs.
  private var unread: [String] = []

  init(_ layers: [NCNNLayer], _ weights: NCNNWeights, _ options: ReadingOptions) {
    (self.layers, self.weights, self.options) = (layers, weights, options)
  }

  /// Returns the network as a graph with its inputs and outputs.
  ///
  /// - Throws: ``EngineError`` that names the layer.
  consuming func model() throws -> GraphModel {
    try check()
    for layer in layers {
      do {
        try add(layer)
      } catch let error as EngineError {
        throw error.naming(layer.type, layer.name)
      }
    }
    try weights.requireEnd()
    guard !builder.inputs.isEmpty else {
      throw EngineError(.invalidModel, "The network has no layer 'Input'.")
    }
    let outputs: [String] = unread.filter { name in !builder.inputs.contains { $0.name == name } }
    guard !outputs.isEmpty else {
      throw EngineError(.invalidModel, "The network computes nothing: its layers have no output.")
    }
    for name in outputs {
      guard let value = scope[name] else { continue }
      builder.rename(value, to: name)
      builder.addOutput(value, name: name)
    }
    return builder.model()
  }

  /// Throws if the type of a layer is not supported, before anything else is wrong with the file.
  private func check() throws {
    for layer in layers where layer.type != "Input" && NCNNLayerReader.all[layer.type] == nil {
      throw EngineError(
        .unsupported,
        "layers of the type '\(layer.type)' are not supported ('\(layer.name)' is one).")
    }
  }

  private mutating func add(_ layer: NCNNLayer) throws {
    guard let reader = NCNNLayerReader.all[layer.type] else { return try addInput(layer) }
    try reader.fields.check(layer.parameters.comparable, "parameter")
    let inputs: [Graph.ValueID] = try layer.bottoms.map { name in
      guard let value = scope[name] else {
        throw EngineError(.invalidModel, "it reads '\(name)', which no earlier layer makes.")
      }
      return value
    }
    let made: [Graph.ValueID] = try reader.read(
      NCNNContext(layer: layer, inputs: inputs, builder: builder, weights: weights))
    guard made.count == layer.tops.count else {
      throw EngineError(
        .invalidModel, "it makes \(made.count) outputs but names \(layer.tops.count).")
    }
    unread.removeAll { layer.bottoms.contains($0) }
    for (top, value) in zip(layer.tops, made) { try define(top, value) }
  }

  private mutating func define(_ name: String, _ value: Graph.ValueID) throws {
    guard scope[name] == nil else {
      throw EngineError(.invalidModel, "two layers make '\(name)'.")
    }
    scope[name] = value
    unread.append(name)
  }

  private mutating func addInput(_ layer: NCNNLayer) throws {
    guard layer.bottoms.isEmpty, layer.tops.count == 1 else {
      throw EngineError(
        .invalidModel, "it has inputs or not one output, expected one output alone.")
    }
    let name: String = layer.tops[0]
    let extents: [Extent] =
      try options.extents[name] ?? Self.extents(of: layer) ?? freeExtents(name)
    try define(name, builder.addInput(name, extents: extents))
  }

  /// The extents that an input states. Nil if it states none.
  private static func extents(of layer: NCNNLayer) throws -> [Extent]? {
    let sizes: [Int] = try [2, 1, 0].map { try layer.parameters.int($0, or: 0) }
    guard sizes.contains(where: { $0 != 0 }) else { return nil }
    let stated: [Int] = Array(sizes.drop { $0 == 0 })
    guard stated.allSatisfy({ $0 > 0 }), Shape(stated).isMeasurable else {
      throw EngineError(.invalidModel, "its size is \(Shape(stated)), expected positive numbers.")
    }
    return ([1] + stated).map { Extent($0) }
  }

  /// The extents of an input without a stated size. Finds the number of channels at the first convolution that reads
  /// the input.
  private func freeExtents(_ name: String) throws -> [Extent] {
    var names: Set<String> = [name]
    for layer in layers where layer.bottoms.contains(where: names.contains) {
      names.formUnion(layer.tops)
      guard layer.type == "Convolution" || layer.type == "ConvolutionDepthWise" else { continue }
      let parameters: NCNNParameters = layer.parameters
      let width: Int = try parameters.int(1, or: 0)
      let sizes: [Int] = [
        width, try parameters.int(11, or: width), try parameters.int(0, or: 0),
      ]
      let groups: Int = layer.type == "Convolution" ? 1 : try parameters.int(7, or: 1)
      let count: Int = try parameters.int(6, or: 0)
      guard sizes.allSatisfy({ $0 > 0 }), Shape(sizes).isMeasurable, count > 0,
        count % sizes.product == 0, (1...1 << 20).contains(groups),
        count / sizes.product <= 1 << 20
      else {
        throw EngineError(
          .invalidModel,
          "'\(layer.name)', which reads the input, has \(count) weights for windows of \(sizes[1]) × \(sizes[0]) and \(sizes[2]) output channels, which gives no number of input channels."
        )
      }
      return [1, Extent(count / sizes.product * groups), Extent(from: 1), Extent(from: 1)]
    }
    throw EngineError(
      .invalidModel,
      "the input '\(name)' has no size in the file, and no convolution reads it; state its extents."
    )
  }
}
