import Graph
import ModelFormat
import Operators

extension Spec.Model {
  /// Makes a NeuralNetwork that computes a model's graph.
  ///
  /// - Parameters:
  ///   - edition: The systems that must be able to run the network.
  ///   - learning: How Core ML trains the network on the device. Nil if Core ML does not train the network. Training
  ///     needs version 4 of the format.
  /// - Throws: `unsupported` if no layer expresses an operator. The error names the operator.
  public init(
    neuralNetwork model: GraphModel, edition: NeuralNetworkEdition = .latest,
    learning: NetworkLearning? = nil
  ) throws {
    guard model.graph.states.isEmpty else {
      throw EngineError(
        .unsupported,
        "The model has states between predictions, which layers cannot express; write an ML Program (.mlpackage)."
      )
    }
    let old: GraphModel? = edition == .oldest ? model.inFiveDimensions() : nil
    var model: GraphModel = old ?? model
    let preprocessing: [Spec.NeuralNetworkPreprocessing] = model.takePreprocessing()
    try model.graph.foldConstants()
    if old == nil {
      model.graph.decomposeRecurrencesForLayers()
      model.decomposeForLayers()
    }
    model.namePorts()
    var layers: [Spec.NeuralNetworkLayer] = try model.graph.neuralNetworkLayers()
    try learning?.mark(&layers)
    self.init()
    var description = Spec.ModelDescription(model)
    // Version 5 (iOS 14, macOS 11) has every layer. From version 4 (iOS 13) on, networks can be trained on the device.
    specificationVersion = old.map { max($0.oldestVersion, learning == nil ? 1 : 4) } ?? 5
    let arrays: Spec.NeuralNetworkMultiArrayShapeMapping =
      old == nil ? .exactArrayMapping : .rank5ArrayMapping
    let images: Spec.NeuralNetworkImageShapeMapping =
      old == nil ? .rank4ImageMapping : .rank5ImageMapping
    if let classes = model.classes {
      let probabilities: Graph.ValueID = model.graph.outputs[classes.output]
      let labels = try Self.labels(classes)
      type = .neuralNetworkClassifier(
        .making {
          $0.layers = layers
          $0.preprocessing = preprocessing
          $0.arrayInputShapeMapping = arrays
          $0.imageInputShapeMapping = images
          $0.labelProbabilityLayerName = model.graph[probabilities].name
          $0.classLabels = labels
          $0.updateParams = learning?.parameters
        })
    } else {
      type = .neuralNetwork(
        .making {
          $0.layers = layers
          $0.preprocessing = preprocessing
          $0.arrayInputShapeMapping = arrays
          $0.imageInputShapeMapping = images
          $0.updateParams = learning?.parameters
        })
    }
    if let learning {
      isUpdatable = true
      description.trainingInput = description.input + learning.answers
    }
    description.metadata = description.metadata ?? Spec.Metadata()
    self.description = description
  }

  private static func labels(_ classes: GraphModel.Classes) throws
    -> Spec.NeuralNetworkClassifier.OneOfClassLabels
  {
    guard classes.areNumbers else {
      return .stringClassLabels(.making { $0.vector = classes.labels })
    }
    let numbers: [Int64] = classes.labels.compactMap { Int64($0) }
    guard numbers.count == classes.labels.count else {
      throw EngineError(
        .invalidInput, "The class labels are declared as integers, but not all of them are.")
    }
    return .int64ClassLabels(.making { $0.vector = numbers })
  }
}

extension GraphModel {
  /// Removes the scaling of input images from the graph and returns it as preprocessing messages. If no message
  /// expresses a scaling, the scaling becomes an operator.
  fileprivate mutating func takePreprocessing() -> [Spec.NeuralNetworkPreprocessing] {
    var messages: [Spec.NeuralNetworkPreprocessing] = []
    for (position, value) in graph.inputs.enumerated() {
      guard let port = graph.imageInputs[value], port != Graph.ImagePort(port.order) else {
        continue
      }
      let name: String = inputs[position].name
      if Set(port.scale).count == 1, port.scale[0] != 0 {
        messages.append(
          .making {
            $0.featureName = name
            $0.preprocessor = .scaler(.init(port))
          })
      } else {
        computeScaling(ofInput: position)
      }
    }
    return messages
  }
}

extension Spec.NeuralNetworkImageScaler {
  /// Makes the scaler of an image port. The port must have one factor for all channels.
  fileprivate init(_ port: Graph.ImagePort) {
    self.init()
    channelScale = port.scale[0]
    switch port.order {
    case .gray: grayBias = port.bias[0]
    case .rgb: (redBias, greenBias, blueBias) = (port.bias[0], port.bias[1], port.bias[2])
    case .bgr: (blueBias, greenBias, redBias) = (port.bias[0], port.bias[1], port.bias[2])
    }
  }
}
