import Graph
import ModelFormat

/// The parts that plain networks, classifiers and regressors share.
public struct NeuralNetworkMessage: Sendable {
  /// The layers in order.
  public var layers: [Spec.NeuralNetworkLayer]
  /// What happens to pictures before the first layer.
  public var preprocessing: [Spec.NeuralNetworkPreprocessing]
  /// How declared arrays map to the layers' arrays.
  public var arrays: ArrayMapping
  /// How declared pictures map to the layers' arrays.
  public var images: ArrayMapping
  /// Values that are read beside the described outputs, by name: a classifier's probabilities.
  public var otherOutputs: [String] = []
  /// Whether the predicted feature is a label, which is no layer's but made of the probabilities.
  public var predictsLabel = false

  /// The network inside a model; nil when the model is of another type.
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
  /// The graph of a neural network and what crosses its border.
  ///
  /// A name that is written twice becomes two values; later readers see the later one.
  ///
  /// - Throws: `EngineError` that names the layer, for unknown layers, wrong weights, names that
  ///   nothing makes.
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
  /// The border of a network by its description. Outputs that no layer makes (a classifier's label and
  /// dictionary) are left to the caller.
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
  /// Strings and dictionaries are made by the classifier around the network.
  package var isLabel: Bool { if case .other = kind { return true } else { return false } }
}

/// Builds the graph layer by layer.
package struct NeuralNetworkBuilder {
  package var graph = Graph()
  package private(set) var context: NetworkContext
  private var named: [String: Graph.ValueID] = [:]
  /// Whether the network is nested: names that no layer makes are taken from the network around.
  private let captures: Bool
  /// For a nested network: the names that it takes from the network around it.
  package private(set) var captured: [Capture] = []
  private var positionsOfCaptured: [String: Int] = [:]
  /// For a nested network: the names that it writes and that others may read, in the order of their
  /// first writing, and the values that each of them stood for.
  package private(set) var writes: [String] = []
  package private(set) var versions: [String: [Graph.ValueID]] = [:]
  /// Where the network may be left before its last layer.
  package var earlyEnds: [EarlyEnd] = []

  /// A builder; with `captures`, names that no layer makes are taken from the network around.
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

  /// A mean picture is a bias of the opposite sign.
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

  /// A new value under a name.
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

  /// Takes a layer's constant as the value of its output; false where a node must say when the value is
  /// made: a nested network gives back what stood under a name when it was left.
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

  /// What a name stands for now. Without a reader a name may be missing: it then stands for a value
  /// that nothing makes.
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
        .invalidModel, "The model's output '\(feature.name)' is made by none of its layers.")
    }
    graph.outputs.append(value)
    if case .image(let port, _, _) = feature.kind { graph.imageOutputs[value] = port }
  }
}

extension Graph.ImagePort {
  /// Adds the scaler of `NeuralNetworkPreprocessing`: `channelScale · v + bias`. An unset scale reads
  /// as zero and means one: no model wants a picture of nothing.
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
