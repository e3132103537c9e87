import Graph
import ModelFormat

/// The parts of a NeuralNetwork message that plain networks, classifiers and regressors share.
public struct NeuralNetworkMessage: Sendable {
  /// The layers in the order of the file.
  public var layers: [Spec.NeuralNetworkLayer]
  /// The preprocessing of images before the first layer.
  public var preprocessing: [Spec.NeuralNetworkPreprocessing]
  /// How the arrays that the model declares map to the arrays that the layers see.
  public var arrays: ArrayMapping
  /// How the images that the model declares map to the arrays that the layers see.
  public var images: ArrayMapping
  /// The names of values that are outputs in addition to those in the model's description, such as a classifier's
  /// probabilities.
  public var otherOutputs: [String] = []
  /// Whether the predicted feature is a class label. No layer computes a label. The classifier derives the label from
  /// the probabilities.
  public var predictsLabel = false

  /// Takes the network from a model. Nil if the model is not a neural network.
  public init?(_ model: Spec.Model) {
    let arrayMapping: Spec.NeuralNetworkMultiArrayShapeMapping
    let imageMapping: Spec.NeuralNetworkImageShapeMapping
    switch model.type {
    case .neuralNetwork(let network)?:
      (layers, preprocessing) = (network.layers, network.preprocessing)
      (arrayMapping, imageMapping) = (
        network.arrayInputShapeMapping, network.imageInputShapeMapping
      )
    case .neuralNetworkClassifier(let network)?:
      otherOutputs = [network.labelProbabilityLayerName]
      predictsLabel = true
      (layers, preprocessing) = (network.layers, network.preprocessing)
      (arrayMapping, imageMapping) = (
        network.arrayInputShapeMapping, network.imageInputShapeMapping
      )
    case .neuralNetworkRegressor(let network)?:
      (layers, preprocessing) = (network.layers, network.preprocessing)
      (arrayMapping, imageMapping) = (
        network.arrayInputShapeMapping, network.imageInputShapeMapping
      )
    default: return nil
    }
    arrays = arrayMapping == .exactArrayMapping ? .exact : .rank5
    images = imageMapping == .rank4ImageMapping ? .exact : .rank5
  }
}

extension Graph {
  /// Makes the graph of a neural network, with its inputs and outputs.
  ///
  /// If two layers write the same name, the graph gets two values. A later layer that reads this name gets the value
  /// that was written last before it.
  ///
  /// - Throws: `EngineError` for unknown layers, for wrong weights, and for names that no input or earlier layer
  ///   provides. The error names the layer.
  public init(
    _ network: NeuralNetworkMessage, description: Spec.ModelDescription, catalog: OperatorCatalog,
    makeCustomLayer: @escaping CustomLayerFactory = NetworkContext.noCustomLayers
  ) throws {
    self.init()
    let interface = NetworkInterface(network, description: description)
    var context = NetworkContext(
      mapping: network.arrays, catalog: catalog, makeCustomLayer: makeCustomLayer)
    context.sharedNames = NetworkContext.sharedNames(
      network.layers, outputs: description.output.map(\.name) + network.otherOutputs)
    var builder = NeuralNetworkBuilder(context: context)
    for feature in interface.inputs { try builder.addInput(feature, network.preprocessing) }
    for layer in network.layers { try builder.add(layer) }
    for feature in interface.outputs { try builder.addOutput(feature) }
    self = builder.graph
  }
}

extension NetworkInterface {
  /// Makes the interface of a network from the model's description. The interface leaves out the outputs that no layer
  /// computes: a classifier's label and its dictionary of probabilities. The caller handles these outputs.
  public init(_ network: NeuralNetworkMessage, description: Spec.ModelDescription) {
    let made = Set(network.layers.flatMap(\.output))
    let given = Set(description.input.map(\.name))
    let label: String? = network.predictsLabel ? description.predictedFeatureName : nil
    inputs = description.input.map {
      Feature($0, arrays: network.arrays, images: network.images)
    }
    outputs = description.output.map {
      Feature($0, arrays: network.arrays, images: network.images)
    }.filter { feature in
      if made.contains(feature.name) || given.contains(feature.name) { return true }
      return !feature.isLabel && feature.name != label
    }
  }
}

extension NetworkInterface.Feature {
  /// Whether the feature is a string or a dictionary. The classifier around the network computes such features.
  package var isLabel: Bool { if case .other = kind { return true } else { return false } }
}

/// Builds the graph of a network layer by layer.
package struct NeuralNetworkBuilder {
  package var graph = Graph()
  package private(set) var context: NetworkContext
  private var named: [String: Graph.ValueID] = [:]
  /// Whether the network is nested. A layer of a nested network may read a name that no earlier layer of this network
  /// writes. The name then comes from the outer network.
  private let captures: Bool
  /// For a nested network: the names that it reads from the outer network.
  package private(set) var captured: [Capture] = []
  private var positionsOfCaptured: [String: Int] = [:]
  /// For a nested network: the names that its layers write and that other networks may read. The names are in the order
  /// of their first write. `versions` has the values of each name.
  package private(set) var writes: [String] = []
  package private(set) var versions: [String: [Graph.ValueID]] = [:]
  /// The points at which execution may leave the network before its last layer.
  package var earlyEnds: [EarlyEnd] = []

  /// Makes a builder. `captures` says whether the network is nested, and so may read names of the outer network.
  package init(context: NetworkContext, captures: Bool = false) {
    self.context = context
    self.captures = captures
  }

  package mutating func addInput(
    _ feature: NetworkInterface.Feature, _ preprocessing: [Spec.NeuralNetworkPreprocessing]
  ) throws {
    let value = graph.addValue(feature.name)
    graph.inputs.append(value)
    named[feature.name] = value
    guard case .image(var port, _, _) = feature.kind else { return }
    var meanImage: Spec.NeuralNetworkMeanImage?
    for step in preprocessing where step.featureName.isEmpty || step.featureName == feature.name {
      switch step.preprocessor {
      case .scaler(let scaler)?: port.apply(scaler)
      case .meanImage(let image)?: meanImage = image
      case nil: break
      }
    }
    graph.imageInputs[value] = port
    if let meanImage { try subtract(meanImage, from: feature) }
  }

  /// Subtracts a mean image from an input. A bias layer adds the negative of the image.
  private mutating func subtract(
    _ image: Spec.NeuralNetworkMeanImage, from feature: NetworkInterface.Feature
  ) throws {
    guard case .image(let port, let width, let height) = feature.kind else { return }
    let mean = image.meanImage.array()
    let expected: Int = Shape([port.channels, height, width]).count
    guard mean.count == expected else {
      throw EngineError(
        .invalidModel,
        "The mean image of input '\(feature.name)' holds \(mean.count) values, expected \(expected) (\(port.channels) × \(height) × \(width))."
      )
    }
    var bias = Spec.BiasLayerParams()
    bias.shape = [UInt64(port.channels), UInt64(height), UInt64(width)]
    bias.bias = Spec.WeightParams(mean.map { -$0 })
    var layer = Spec.NeuralNetworkLayer(.bias(bias))
    layer.name = "\(feature.name) mean image"
    layer.input = [feature.name]
    layer.output = [feature.name]
    try add(layer)
  }

  package mutating func add(_ message: Spec.NeuralNetworkLayer) throws {
    let decoded = try context.catalog.layer(for: message, in: context)
    if addConstant(decoded, of: message) { return }
    let operation: any Operator = decoded.operation
    if let control = operation as? any ControlOperator { return try add(message, control) }
    var inputs: [Graph.ValueID] = []
    for name in message.input { inputs.append(try value(name, reader: message.name)) }
    for (role, constant) in decoded.constants {
      inputs.append(graph.addConstant(constant, name: "\(message.name)/\(role)"))
    }
    let outputs: [Graph.ValueID] = message.output.map { write($0) }
    if decoded.makesScalar, let first = message.output.first { context.scalars.insert(first) }
    graph.nodes.append(
      Graph.Node(name: message.name, operation: operation, inputs: inputs, outputs: outputs))
  }

  /// Makes a new value. It becomes the current value of `name`.
  package mutating func write(_ name: String) -> Graph.ValueID {
    let value = graph.addValue(name)
    named[name] = value
    context.scalars.remove(name)
    if captures, context.isShared(name) {
      if versions[name] == nil { writes.append(name) }
      versions[name, default: []].append(value)
    }
    return value
  }

  /// Makes a layer's constant the value of the layer's output, without a node. Returns false if the layer needs a node.
  /// A layer of a nested network needs a node if other networks read its output's name. Execution may leave the nested
  /// network before this layer, and then the name must keep its earlier value.
  private mutating func addConstant(_ decoded: DecodedLayer, of message: Spec.NeuralNetworkLayer)
    -> Bool
  {
    guard decoded.isConstant, message.input.isEmpty, let name = message.output.first,
      let (_, constant) = decoded.constants.first, constant.count > 0,
      !captures || !context.isShared(name)
    else { return false }
    named[name] = graph.addConstant(constant, name: name)
    context.scalars.remove(name)
    return true
  }

  /// Returns the current value of a name. `reader` is the name of the layer that reads the value. If `reader` is nil,
  /// the name may be missing. For a missing name, the result is a value that no node computes.
  package mutating func value(_ name: String, reader: String?) throws -> Graph.ValueID {
    if let value = named[name] {
      if let reader, let index = positionsOfCaptured[name], captured[index].value == value {
        captured[index].reader = captured[index].reader ?? reader
      }
      return value
    }
    if captures {
      let value = graph.addValue(name)
      positionsOfCaptured[name] = captured.count
      captured.append(Capture(name: name, value: value, reader: reader))
      named[name] = value
      return value
    }
    guard let reader else { return graph.addValue(name) }
    throw EngineError(
      .invalidModel,
      "Layer '\(reader)' reads '\(name)', which no input and no earlier layer makes.")
  }

  package mutating func addOutput(_ feature: NetworkInterface.Feature) throws {
    guard let value = named[feature.name] else {
      throw EngineError(
        .invalidModel,
        "No layer makes the model's output '\(feature.name)'. The model may be damaged.")
    }
    graph.outputs.append(value)
    if case .image(let port, _, _) = feature.kind { graph.imageOutputs[value] = port }
  }
}

extension Graph.ImagePort {
  /// Applies the scaler of `NeuralNetworkPreprocessing`, `channelScale · v + bias`, to the image port. A scale of zero
  /// means one: an unset scale reads as zero, and scaling by zero would erase the image.
  package mutating func apply(_ scaler: Spec.NeuralNetworkImageScaler) {
    let factor: Float = scaler.channelScale == 0 ? 1 : scaler.channelScale
    scale = [Float](repeating: factor, count: channels)
    switch order {
    case .gray: bias = [scaler.grayBias]
    case .rgb: bias = [scaler.redBias, scaler.greenBias, scaler.blueBias]
    case .bgr: bias = [scaler.blueBias, scaler.greenBias, scaler.redBias]
    }
  }
}
