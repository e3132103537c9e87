import Graph
import Operators
import ModelFormat
import NeuralNetworkFormat
import OperatorSamples

extension ModelSeed {
  /// The kinds of seeds that are small models instead of single layers. For each mutant, the function of the kind makes
  /// a new seed. Only the seeds of the kind “boxes” are all equal.
  static let compounds: [(kind: String, make: Making)] = [
    ("several layers", { chain(using: &$0) }),
    ("several layers of an image", { picture(using: &$0) }),
    ("classifier", { classifier(using: &$0) }),
    ("pipeline", { pipeline(using: &$0) }),
    ("boxes", { _ in boxes }),
  ]

  /// A function that generates a seed.
  typealias Making = @Sendable (inout SplitMix64) -> ModelSeed

  /// Generates a chain of two to six layers. Each layer reads outputs of earlier layers.
  static func chain(using generator: inout SplitMix64) -> ModelSeed {
    while true {
      guard let sample = anyGoodSample(using: &generator), sample.mapping == .exact,
        sample.inputs.count == 1, var seed = ModelSeed(sample, kind: "several layers")
      else { continue }
      let shape: Shape = sample.inputs[0].shape
      guard let first = seed.model.description?.input.first?.name, shape.count > 0 else { continue }
      let layers = follow(
        shape, from: first, count: Int.random(in: 2...6, using: &generator), using: &generator)
      guard let last = layers.last else { continue }
      var model: Spec.Model = .network(layers)
      model.description?.input = seed.model.description?.input ?? []
      model.description?.output = [.array(last.output[0])]
      seed.model = model
      return seed
    }
  }

  /// Chooses sample layers one after another. A layer reads the newest value as its first input. If it has a second
  /// input, it reads any existing value there. Layers that do not accept these values are passed over.
  private static func follow(
    _ shape: Shape, from first: String, count: Int, using generator: inout SplitMix64
  ) -> [Spec.NeuralNetworkLayer] {
    var made: [(name: String, shape: Shape)] = [(first, shape)]
    var layers: [Spec.NeuralNetworkLayer] = []
    for _ in 0..<count * 60 where layers.count < count {
      guard let sample = anyGoodSample(using: &generator), sample.mapping == .exact,
        sample.layer.input.count <= 2, sample.layer.output.count == 1
      else { continue }
      var message: Spec.NeuralNetworkLayer = sample.layer
      let read: [(name: String, shape: Shape)] = message.input.indices.map { index in
        index == 0 ? made[made.count - 1] : made.randomElement(using: &generator) ?? made[0]
      }
      message.input = read.map(\.name)
      message.output = ["value \(made.count)"]
      message.name = "layer \(layers.count)"
      let context = NetworkContext(mapping: .exact, catalog: .standard)
      guard let decoded = try? OperatorCatalog.standard.layer(for: message, in: context),
        !(decoded.operation is any ControlOperator),
        let type = try? decoded.operation.outputTypes(
          for: read.map { OperatorInput(TensorType($0.shape)) }
            + decoded.constants.map { OperatorInput($0.value.type, constant: $0.value) })?.first,
        (1...100_000).contains(type.shape.count)
      else { continue }
      layers.append(message)
      made.append((message.output[0], type.shape))
    }
    return layers
  }

  private static func anyGoodSample(using generator: inout SplitMix64) -> OperatorSample? {
    let sample: OperatorSample? = byLayerType.randomElement(using: &generator)?.samples
      .randomElement(using: &generator)
    return sample?.failure == nil ? sample : nil
  }

  /// Generates a model whose input is an image. The model scales the image and then applies one to three layers. The
  /// output is an array or an image.
  static func picture(using generator: inout SplitMix64) -> ModelSeed {
    var layers = follow(
      [1, 3, 12, 16], from: "photo", count: Int.random(in: 1...3, using: &generator),
      using: &generator)
    if layers.isEmpty { layers = [.linear(from: "photo", to: "value 1")] }
    let last: String = layers[layers.count - 1].output[0]
    var model: Spec.Model = .network(layers)
    guard case .neuralNetwork(var network)? = model.type else {
      preconditionFailure("a network was made")
    }
    var scaler = Spec.NeuralNetworkImageScaler()
    (scaler.channelScale, scaler.redBias, scaler.blueBias) = (1.0 / 255, -0.5, 0.25)
    var step = Spec.NeuralNetworkPreprocessing()
    step.preprocessor = .scaler(scaler)
    network.preprocessing = [step]
    model.type = .neuralNetwork(network)
    model.description?.input = [.image("photo", width: 16, height: 12)]
    model.description?.output =
      Bool.random(using: &generator) ? [.array(last)] : [.image(last, width: 16, height: 12)]
    return ModelSeed(kind: "several layers of an image", model: model, values: [:])
  }

  /// Generates a classifier with class labels: a linear layer and a softmax on five numbers.
  static func classifier(using generator: inout SplitMix64) -> ModelSeed {
    var classifier = Spec.NeuralNetworkClassifier()
    var softmax = Spec.NeuralNetworkLayer(.softmax(Spec.SoftmaxLayerParams()))
    (softmax.name, softmax.input, softmax.output) = ("softmax", ["scores"], ["probabilities"])
    classifier.layers = [.linear(from: "x", to: "scores"), softmax]
    let labels: [String] = ["ash", "birch", "cedar", "date", "elm"]
    var dictionary = Spec.DictionaryFeatureType()
    let label: Spec.FeatureType.OneOfType
    if Bool.random(using: &generator) {
      var vector = Spec.StringVector()
      vector.vector = labels
      classifier.classLabels = .stringClassLabels(vector)
      dictionary.keyType = .stringKeyType(Spec.StringFeatureType())
      label = .stringType(Spec.StringFeatureType())
    } else {
      var vector = Spec.Int64Vector()
      vector.vector = [3, 1, 4, 15, 9]
      classifier.classLabels = .int64ClassLabels(vector)
      dictionary.keyType = .int64KeyType(Spec.Int64FeatureType())
      label = .int64Type(Spec.Int64FeatureType())
    }
    if Bool.random(using: &generator) { classifier.labelProbabilityLayerName = "probabilities" }
    var model: Spec.Model = .network([])
    model.type = .neuralNetworkClassifier(classifier)
    model.description?.input = [.array("x", [5])]
    model.description?.output = [
      Spec.FeatureDescription("table", .dictionaryType(dictionary)),
      Spec.FeatureDescription("label", label),
    ]
    model.description?.predictedFeatureName = "label"
    model.description?.predictedProbabilitiesName = "table"
    return ModelSeed(kind: "classifier", model: model, values: ["x": [0.5, -1, 2, 0, 1]])
  }

  /// Generates a pipeline of two networks, or of a network and a classifier.
  static func pipeline(using generator: inout SplitMix64) -> ModelSeed {
    var first: Spec.Model = .network([.linear(from: "given", to: "x")])
    first.description?.input = [.array("given", [5])]
    first.description?.output = [.array("x", [5])]
    var second: Spec.Model
    if Bool.random(using: &generator) {
      second = classifier(using: &generator).model
    } else {
      second = .network([.linear(from: "x", to: "y")])
      second.description?.input = [.array("x", [5])]
      second.description?.output = [.array("y", [5])]
    }
    var models = Spec.Pipeline()
    models.models = [first, second]
    var model: Spec.Model = .network([])
    model.type = .pipeline(models)
    model.description?.input = first.description?.input ?? []
    model.description?.output = second.description?.output ?? []
    if case .neuralNetworkClassifier = second.type {
      var classifier = Spec.PipelineClassifier()
      classifier.pipeline = models
      model.type = .pipelineClassifier(classifier)
      model.description?.predictedFeatureName = "label"
      model.description?.predictedProbabilitiesName = "table"
    }
    return ModelSeed(kind: "pipeline", model: model, values: ["given": [1, -2, 3, -4, 5]])
  }

  /// Non-maximum suppression of three boxes with two classes.
  private static var boxes: ModelSeed {
    var suppression = Spec.NonMaximumSuppression()
    suppression.suppressionMethod = .pickTop(Spec.NonMaximumSuppression.PickTop())
    (suppression.iouThreshold, suppression.confidenceThreshold) = (0.3, 0.1)
    suppression.confidenceInputFeatureName = "scores"
    suppression.coordinatesInputFeatureName = "boxes"
    suppression.confidenceOutputFeatureName = "confidence"
    suppression.coordinatesOutputFeatureName = "coordinates"
    var model: Spec.Model = .network([])
    model.type = .nonMaximumSuppression(suppression)
    model.description?.input = [.array("scores", [3, 2]), .array("boxes", [3, 4])]
    model.description?.output = [.array("confidence", [2, 2]), .array("coordinates", [2, 4])]
    return ModelSeed(
      kind: "boxes", model: model,
      values: [
        "scores": [0.1, 0.6, 0.7, 0, 0.3, 0.2],
        "boxes": [0.5, 0.5, 0.2, 0.2, 0.6, 0.5, 0.2, 0.2, 0.1, 0.1, 0.1, 0.1],
      ])
  }
}

extension Spec.NeuralNetworkLayer {
  /// Creates a layer that computes `y = 2x + 1`.
  static func linear(from input: String, to output: String) -> Spec.NeuralNetworkLayer {
    var linear = Spec.ActivationLinear()
    (linear.alpha, linear.beta) = (2, 1)
    var activation = Spec.ActivationParams()
    activation.nonlinearityType = .linear(linear)
    var layer = Spec.NeuralNetworkLayer(.activation(activation))
    (layer.name, layer.input, layer.output) = ("linear \(output)", [input], [output])
    return layer
  }
}
