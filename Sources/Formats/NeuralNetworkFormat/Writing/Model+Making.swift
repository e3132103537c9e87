import Graph
import ModelFormat
import Operators

extension Spec.Model {
  /// A NeuralNetwork that computes a model's graph.
  ///
  /// - Parameters:
  ///   - edition: For which systems it is.
  ///   - learning: How it goes on learning on the device, which takes version 4.
  /// - Throws: `unsupported`, with the operator's name, where no layer says the same.
  public init(
    neuralNetwork model: GraphModel, edition: NeuralNetworkEdition = .latest,
    learning: NetworkLearning? = nil
  ) throws {
    guard model.graph.kept.isEmpty else {
      throw EngineError(
        .unsupported,
        "The model keeps states between predictions, which layers cannot; write an ML Program (.mlpackage)."
      )
    }
    let old: GraphModel? = edition == .oldest ? model.inFiveDimensions() : nil
    var model: GraphModel = old ?? model
    let preprocessing: [Spec.NeuralNetworkPreprocessing] = model.takePreprocessing()
    try model.graph.foldConstants()
    if old == nil {
      model.graph.spellRecurrencesForLayers()
      model.spellForLayers()
    }
    model.nameBorder()
    var layers: [Spec.NeuralNetworkLayer] = try model.graph.neuralNetworkLayers()
    try learning?.mark(&layers)
    self.init()
    var description = Spec.ModelDescription(model)
    // 5 has every layer: iOS 14, macOS 11. 4 learns: iOS 13.
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
        .invalidInput, "The class labels are said to be whole numbers, but not all of them are.")
    }
    return .int64ClassLabels(.making { $0.vector = numbers })
  }
}

extension GraphModel {
  /// How pictures are scaled on their way in, as messages; what a message cannot say becomes an operator.
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
  /// The scaler of a port with one factor.
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
