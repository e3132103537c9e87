import Engine
import ModelFormat
import Operators

/// Makes classifiers that were trained on few examples. A classifier is a pipeline of a network that computes features,
/// such as ``FeaturePrint`` or ``SoundPrint``, and a small updatable model.
public enum FeatureClassifierModel {
  /// Makes a classifier with a linear layer and a softmax. `weights` are `[label][feature]`, and `biases` has one
  /// element per label.
  public static func linear(
    weights: [[Float]], biases: [Float], labels: [String], extractor: Spec.Model,
    metadata: Spec.Metadata
  ) throws -> Spec.Model {
    let count: Int = weights.first?.count ?? 0
    let features: Spec.FeatureDescription = featureDescription(count, of: extractor)
    let builder = GraphBuilder()
    var value: Graph.ValueID = builder.addInput(
      features.name, extents: [Extent(count)], summary: features.shortDescription)
    value = try builder.add(ExpandDimsOperator(axes: [0, 2, 3]), value, name: "print")
    let matrix: Graph.ValueID = builder.addConstant(
      Constant([labels.count, count], weights.flatMap { $0 }), name: "scores/weights")
    let shifts: Graph.ValueID = builder.addConstant(
      Constant([labels.count], biases), name: "scores/bias")
    value = try builder.add(InnerProductOperator(), value, matrix, shifts, name: "scores")
    value = try builder.add(SoftmaxOperator(), value, name: "probabilities")
    value = try builder.add(ReshapeStaticOperator(targetShape: [-1]), value, name: "classes")
    builder.addOutput(value, name: probabilitiesName, summary: "The probability of each label.")
    var network: GraphModel = builder.model()
    var classes = GraphModel.Classes(labels, output: 0, labelName: labelName)
    classes.labelSummary = "The most probable label."
    network.classes = classes
    let learning = NetworkLearning(
      layers: ["scores"], parameters: training(), answers: [label])
    return pipeline(
      extractor,
      try Spec.Model(neuralNetwork: network, edition: .oldest, learning: learning), metadata)
  }

  /// Makes a k-nearest-neighbour classifier with the given examples. `neighborCount` is k.
  public static func neighbors(
    examples: [(print: [Float], label: String)], neighborCount: Int, extractor: Spec.Model,
    metadata: Spec.Metadata
  ) -> Spec.Model {
    let count: Int = examples.first?.print.count ?? 0
    let features: Spec.FeatureDescription = featureDescription(count, of: extractor)
    var index = Spec.NearestNeighborsIndex()
    index.numberOfDimensions = Int32(clamping: count)
    index.floatSamples = examples.map { example in
      var sample = Spec.FloatVector()
      sample.vector = FloatValues(example.print)
      return sample
    }
    index.indexType = .linearIndex(Spec.LinearIndex())
    index.distanceFunction = .squaredEuclideanDistance(Spec.SquaredEuclideanDistance())
    var classifier = Spec.KNearestNeighborsClassifier()
    classifier.nearestNeighborsIndex = index
    var neighbors = Spec.Int64Parameter()
    neighbors.defaultValue = Int64(neighborCount)
    var range = Spec.Int64Range()
    (range.minValue, range.maxValue) = (1, 1000)
    neighbors.allowedValues = .range(range)
    classifier.numberOfNeighbors = neighbors
    classifier.classLabels = .stringClassLabels(vector(examples.map(\.label)))
    classifier.defaultClassLabel = .defaultStringLabel("unknown")
    classifier.weightingScheme = .inverseDistanceWeighting(Spec.InverseDistanceWeighting())
    var model = Spec.Model()
    model.specificationVersion = 4
    model.isUpdatable = true
    model.type = .kNearestNeighborsClassifier(classifier)
    model.description = describing([features], learning: [features, label])
    return pipeline(extractor, model, metadata)
  }

  /// The name of the output with the probabilities.
  static let probabilitiesName = "classLabelProbs"
  private static let labelName = "classLabel"

  private static func pipeline(
    _ extractor: Spec.Model, _ classifier: Spec.Model, _ metadata: Spec.Metadata
  ) -> Spec.Model {
    var pipeline = Spec.Pipeline()
    pipeline.models = [extractor, classifier]
    pipeline.names = ["features", "classifier"]
    var all = Spec.PipelineClassifier()
    all.pipeline = pipeline
    let inputs: [Spec.FeatureDescription] = extractor.description?.input ?? []
    var model = Spec.Model()
    model.specificationVersion = 4
    model.isUpdatable = true
    model.type = .pipelineClassifier(all)
    model.description = describing(inputs, learning: inputs + [label])
    model.description?.metadata = metadata
    return model
  }

  private static func describing(
    _ inputs: [Spec.FeatureDescription], learning: [Spec.FeatureDescription]
  ) -> Spec.ModelDescription {
    var dictionary = Spec.DictionaryFeatureType()
    dictionary.keyType = .stringKeyType(Spec.StringFeatureType())
    var description = Spec.ModelDescription()
    description.input = inputs
    description.output = [
      Spec.FeatureDescription(
        probabilitiesName, "The probability of each label.", .dictionaryType(dictionary)), label,
    ]
    description.trainingInput = learning
    description.predictedFeatureName = labelName
    description.predictedProbabilitiesName = probabilitiesName
    return description
  }

  private static let label = Spec.FeatureDescription(
    labelName, "The most probable label.", .stringType(Spec.StringFeatureType()))

  /// Describes the features that the network computes and the small model reads.
  private static func featureDescription(
    _ count: Int, of extractor: Spec.Model
  ) -> Spec.FeatureDescription {
    let output: Spec.FeatureDescription? = extractor.description?.output.first
    var array = Spec.ArrayFeatureType()
    array.shape = [Int64(count)]
    array.dataType = .float32
    return Spec.FeatureDescription(
      output?.name ?? "features", output?.shortDescription ?? "", .multiArrayType(array))
  }

  private static func vector(_ labels: [String]) -> Spec.StringVector {
    var vector = Spec.StringVector()
    vector.vector = labels
    return vector
  }

  /// Returns update parameters for a few epochs of Adam.
  private static func training() -> Spec.NetworkUpdateParameters {
    func number(_ value: Double, _ range: ClosedRange<Double>) -> Spec.DoubleParameter {
      var parameter = Spec.DoubleParameter()
      var allowed = Spec.DoubleRange()
      (allowed.minValue, allowed.maxValue) = (range.lowerBound, range.upperBound)
      parameter.defaultValue = value
      parameter.allowedValues = .range(allowed)
      return parameter
    }
    func integer(_ value: Int64, _ range: ClosedRange<Int64>) -> Spec.Int64Parameter {
      var parameter = Spec.Int64Parameter()
      var allowed = Spec.Int64Range()
      (allowed.minValue, allowed.maxValue) = (range.lowerBound, range.upperBound)
      parameter.defaultValue = value
      parameter.allowedValues = .range(allowed)
      return parameter
    }
    var loss = Spec.CategoricalCrossEntropyLossLayer()
    (loss.input, loss.target) = (probabilitiesName, labelName)
    var layer = Spec.LossLayer()
    layer.name = "loss"
    layer.lossLayerType = .categoricalCrossEntropyLossLayer(loss)
    var adam = Spec.AdamOptimizer()
    adam.learningRate = number(0.01, 0...1)
    adam.miniBatchSize = integer(16, 1...4096)
    adam.beta1 = number(0.9, 0...1)
    adam.beta2 = number(0.999, 0...1)
    adam.eps = number(1e-8, 0...1)
    var parameters = Spec.NetworkUpdateParameters()
    parameters.lossLayers = [layer]
    parameters.optimizer = Spec.Optimizer()
    parameters.optimizer?.optimizerType = .adamOptimizer(adam)
    parameters.epochs = integer(20, 1...10_000)
    return parameters
  }
}
