import Engine
import Foundation
import Imaging
import ModelFormat
import Operators

/// A feature network for losses: the layers of a Core ML neural network with one picture input, such as VGG-16.
///
/// Pictures are `[N, 3, height, width]`, red, green and blue, 0…255, gamma-encoded as in sRGB. The network's
/// preprocessing is applied to them. Only the layers that the requested features depend on are computed.
public struct FeatureNetwork: Sendable {
  /// The model's name in messages.
  public let name: String
  /// How the poolings between the layers are computed.
  public var pooling: FeaturePooling = .original
  private let graph: Graph
  private let image: Graph.ImagePort

  /// Reads the network of a model file.
  ///
  /// - Throws: ``StyleTransferError`` if the model is not a neural network with one picture, or `EngineError` if its
  ///   layers cannot be decoded.
  public init(_ file: ModelFile) throws {
    try self.init(file.model, name: file.name)
  }

  /// Reads the network of the model file at a location.
  public init(contentsOf url: URL) throws { try self.init(try ModelFile.open(url)) }

  /// Reads the network of a model. `name` is used in messages.
  public init(_ model: Spec.Model, name: String) throws {
    guard var message = NeuralNetworkMessage(model) else {
      throw StyleTransferError(
        .network,
        "Model \(name) is not a neural network, so it has no features for losses. Use one such as"
          + " VGG-16 (`atelier fetch vgg16`).")
    }
    // Features are requested by layer name, so the model's outputs are ignored. Rank 4 allows batches of pictures.
    message.arrays = .exact
    message.images = .exact
    message.otherOutputs = []
    var description: Spec.ModelDescription = model.description ?? Spec.ModelDescription()
    description.output = []
    let graph = try Graph(message, description: description, catalog: .standard)
    guard graph.inputs.count == 1, let image = graph.imageInputs[graph.inputs[0]] else {
      throw StyleTransferError(
        .network,
        "Model \(name) takes \(graph.inputs.map { graph[$0].name }.joined(separator: ", ")),"
          + " expected one picture. Use another network for the losses.")
    }
    self.name = name
    self.graph = graph
    self.image = image
  }

  /// The names of the layers in the order in which they run. Features are requested by these names.
  public var layers: [String] { graph.nodes.map(\.name) }

  /// Adds the layers that compute features.
  ///
  /// - Parameters:
  ///   - graph: The graph to which the layers are added.
  ///   - picture: The picture in that graph, `[N, 3, height, width]`, 0…255. Its type must be known.
  ///   - layers: The names of layers, or of their outputs, whose values are the features.
  ///   - prefix: The prefix of the names of the added values.
  ///   - visit: Called with each feature after its layer was added, before the layers that follow. Operators that this
  ///     function adds run before those layers, and their gradients after those of the layers. So large values that
  ///     they make do not take memory at the same time as those of other layers.
  /// - Returns: The features by name, each `[N, channels, height, width]`.
  public func append(
    to target: inout Graph, picture: Graph.ValueID, layers: [String], prefix: String = "",
    visit: (inout Graph, String, Graph.ValueID) throws -> Void = { _, _, _ in }
  ) throws -> [String: Graph.ValueID] {
    try check(try target.knownShape(of: picture))
    let wanted: [(name: String, value: Graph.ValueID)] = try layers.map { ($0, try value($0)) }
    let needed: [Graph.Node] = nodes(for: wanted.map(\.value))
    var counterparts: [Graph.ValueID: Graph.ValueID] = [
      graph.inputs[0]: try preprocess(picture, in: &target, prefix: prefix)
    ]
    for node in needed {
      var inputs: [Graph.ValueID] = []
      for input in node.inputs {
        let value: Graph.Value = graph[input]
        if counterparts[input] == nil, let constant = value.constant {
          counterparts[input] = target.addConstant(constant, name: prefix + value.name)
        }
        guard let counterpart = counterparts[input] else {
          preconditionFailure("a node's inputs are computed before it")
        }
        inputs.append(counterpart)
      }
      let made: [Graph.ValueID] =
        try target.applySmoothPooling(pooling, node.operation, to: inputs, name: prefix + node.name)
        ?? target.apply(
          node.operation, to: inputs, outputs: node.outputs.count, name: prefix + node.name)
      for (output, counterpart) in zip(node.outputs, made) {
        counterparts[output] = counterpart
        for (name, value) in wanted where value == output { try visit(&target, name, counterpart) }
      }
    }
    var result: [String: Graph.ValueID] = [:]
    for (name, value) in wanted { result[name] = counterparts[value] }
    return result
  }

  /// Returns the first output of the layer with the given name. If there is no such layer, the last value with that
  /// name.
  private func value(_ name: String) throws -> Graph.ValueID {
    if let node = graph.nodes.last(where: { $0.name == name }), let output = node.outputs.first {
      return output
    }
    if let node = graph.nodes.last(where: { $0.outputs.contains { graph[$0].name == name } }),
      let output = node.outputs.first(where: { graph[$0].name == name })
    {
      return output
    }
    throw StyleTransferError(
      .network,
      "Model \(self.name) has no layer '\(name)'; `atelier inspect` lists its layers.")
  }

  /// Returns the nodes on which the values depend, in the order in which they run.
  private func nodes(for values: [Graph.ValueID]) -> [Graph.Node] {
    var wanted = Set(values)
    var result: [Graph.Node] = []
    for node in graph.nodes.reversed() where node.outputs.contains(where: wanted.contains) {
      result.append(node)
      wanted.formUnion(node.inputs)
    }
    return result.reversed()
  }

  private func check(_ shape: Shape) throws {
    guard shape.rank == 4, shape[1] == 3 else {
      throw StyleTransferError(
        .input,
        "The shape of the picture is \(shape), expected [N, 3, height, width].")
    }
  }

  /// Adds the network's preprocessing of a picture with red, green and blue of 0…255.
  private func preprocess(
    _ picture: Graph.ValueID, in target: inout Graph, prefix: String
  ) throws -> Graph.ValueID {
    let scale: [Float] = image.scale
    switch image.order {
    case .rgb:
      let isIdentity: Bool = scale.allSatisfy { $0 == 1 } && image.bias.allSatisfy { $0 == 0 }
      guard !isIdentity else { return picture }
      let factors = target.addConstant(Constant([3, 1, 1], scale), name: "\(prefix)pixels/scale")
      let shifts = target.addConstant(
        Constant([3, 1, 1], image.bias), name: "\(prefix)pixels/bias")
      return try target.apply(
        ScaleOperator(hasBias: true), to: [picture, factors, shifts], name: "\(prefix)pixels")
    case .bgr:
      let matrix: [Float] = [0, 0, scale[0], 0, scale[1], 0, scale[2], 0, 0]
      return try mix(picture, matrix, in: &target, prefix: prefix)
    case .gray:
      let matrix: [Float] = [Luma.red, Luma.green, Luma.blue].map { $0 * scale[0] }
      return try mix(picture, matrix, in: &target, prefix: prefix)
    }
  }

  private func mix(
    _ picture: Graph.ValueID, _ matrix: [Float], in target: inout Graph, prefix: String
  ) throws -> Graph.ValueID {
    let channels: Int = matrix.count / 3
    let weights = target.addConstant(
      Constant([channels, 3, 1, 1], matrix), name: "\(prefix)pixels/weights")
    let bias = target.addConstant(Constant([channels], image.bias), name: "\(prefix)pixels/bias")
    return try target.apply(
      ConvolutionOperator(
        outputChannels: channels, kernelChannels: 3, kernel: ConvolutionOperator.Pair(1, 1),
        hasBias: true),
      to: [picture, weights, bias], name: "\(prefix)pixels")
  }
}

extension FeatureNetwork {
  /// Runs the network on a picture and returns the features by layer.
  ///
  /// - Parameter picture: `[N, 3, height, width]`, 0…255.
  public func features(
    of picture: FloatTensor, layers: [String], options: ExecutionOptions = ExecutionOptions()
  ) throws -> [String: FloatTensor] {
    var graph = Graph()
    let input: Graph.ValueID = graph.addInput("picture", picture.shape)
    let features: [String: Graph.ValueID] = try append(to: &graph, picture: input, layers: layers)
    graph.outputs = layers.compactMap { features[$0] }
    let made: [FloatTensor] = try graph.run([picture.values], options: options)
    return Dictionary(zip(layers, made)) { first, _ in first }
  }
}
