import ModelFormat

/// Classifiers of pictures that were learnt from few examples: a pipeline of the network of
/// ``FeaturePrint`` and a small classifier, which goes on learning on the device.
public enum PictureClassifierModel {
  /// A layer of weights with a softmax: `[labels][features]`, and a bias for each label.
  public static func linear(
    weights: [[Float]], biases: [Float], labels: [String], extractor: Spec.Model,
    metadata: Spec.Metadata
  ) -> Spec.Model {
    var product = Spec.InnerProductLayerParams()
    product.inputChannels = UInt64(FeaturePrint.elementCount)
    product.outputChannels = UInt64(labels.count)
    product.weights = updatable(weights.flatMap { $0 })
    product.hasBias = true
    product.bias = updatable(biases)
    var layers = NetworkWriter()
    let scores: String = layers.add(
      "scores", .innerProduct(product), reading: FeaturePrint.outputName)
    layers.add(
      "probabilities", .softmax(Spec.SoftmaxLayerParams()), reading: scores,
      writing: probabilitiesName)
    var network = Spec.NeuralNetworkClassifier()
    network.layers = layers.layers.map { layer in
      var layer = layer
      layer.isUpdatable = layer.name == "scores"
      return layer
    }
    network.classLabels = .stringClassLabels(vector(labels))
    network.labelProbabilityLayerName = probabilitiesName
    network.updateParams = training()
    var model = Spec.Model()
    model.type = .neuralNetworkClassifier(network)
    return pipeline(extractor, model, metadata)
  }

  /// The examples themselves, of which the nearest vote.
  public static func neighbors(
    examples: [(print: [Float], label: String)], count: Int, extractor: Spec.Model,
    metadata: Spec.Metadata
  ) -> Spec.Model {
    var index = Spec.NearestNeighborsIndex()
    index.numberOfDimensions = Int32(FeaturePrint.elementCount)
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
    neighbors.defaultValue = Int64(count)
    var range = Spec.Int64Range()
    (range.minValue, range.maxValue) = (1, 1000)
    neighbors.allowedValues = .range(range)
    classifier.numberOfNeighbors = neighbors
    classifier.classLabels = .stringClassLabels(vector(examples.map(\.label)))
    classifier.defaultClassLabel = .defaultStringLabel("unknown")
    classifier.weightingScheme = .inverseDistanceWeighting(Spec.InverseDistanceWeighting())
    var model = Spec.Model()
    model.type = .kNearestNeighborsClassifier(classifier)
    return pipeline(extractor, model, metadata)
  }

  /// The name of the output with the probabilities.
  static let probabilitiesName = "classLabelProbs"
  private static let labelName = "classLabel"

  private static func pipeline(
    _ extractor: Spec.Model, _ classifier: Spec.Model, _ metadata: Spec.Metadata
  ) -> Spec.Model {
    let label = Spec.FeatureDescription(
      labelName, "The likeliest label.", .stringType(Spec.StringFeatureType()))
    var dictionary = Spec.DictionaryFeatureType()
    dictionary.keyType = .stringKeyType(Spec.StringFeatureType())
    let outputs: [Spec.FeatureDescription] = [
      Spec.FeatureDescription(
        probabilitiesName, "How likely each label is.", .dictionaryType(dictionary)), label,
    ]
    let print = Spec.FeatureDescription(
      FeaturePrint.outputName, "What the picture shows, as numbers.",
      .multiArrayType(FeaturePrint.array))
    var head: Spec.Model = classifier
    head.specificationVersion = 4
    head.isUpdatable = true
    head.description = describing([print], outputs, learning: [print, label])
    var pipeline = Spec.Pipeline()
    pipeline.models = [extractor, head]
    pipeline.names = ["features", "classifier"]
    var all = Spec.PipelineClassifier()
    all.pipeline = pipeline
    let pictures: [Spec.FeatureDescription] = extractor.description?.input ?? []
    var model = Spec.Model()
    model.specificationVersion = 4
    model.isUpdatable = true
    model.type = .pipelineClassifier(all)
    model.description = describing(pictures, outputs, learning: pictures + [label])
    model.description?.metadata = metadata
    return model
  }

  private static func describing(
    _ inputs: [Spec.FeatureDescription], _ outputs: [Spec.FeatureDescription],
    learning: [Spec.FeatureDescription]
  ) -> Spec.ModelDescription {
    var description = Spec.ModelDescription()
    description.input = inputs
    description.output = outputs
    description.trainingInput = learning
    description.predictedFeatureName = labelName
    description.predictedProbabilitiesName = probabilitiesName
    return description
  }

  private static func vector(_ labels: [String]) -> Spec.StringVector {
    var vector = Spec.StringVector()
    vector.vector = labels
    return vector
  }

  private static func updatable(_ values: [Float]) -> Spec.WeightParams {
    var weights = Spec.WeightParams(values)
    weights.isUpdatable = true
    return weights
  }

  /// Further lessons: a few passes of Adam.
  private static func training() -> Spec.NetworkUpdateParameters {
    func number(_ value: Double, _ range: ClosedRange<Double>) -> Spec.DoubleParameter {
      var parameter = Spec.DoubleParameter()
      var allowed = Spec.DoubleRange()
      (allowed.minValue, allowed.maxValue) = (range.lowerBound, range.upperBound)
      parameter.defaultValue = value
      parameter.allowedValues = .range(allowed)
      return parameter
    }
    func whole(_ value: Int64, _ range: ClosedRange<Int64>) -> Spec.Int64Parameter {
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
    adam.miniBatchSize = whole(16, 1...4096)
    adam.beta1 = number(0.9, 0...1)
    adam.beta2 = number(0.999, 0...1)
    adam.eps = number(1e-8, 0...1)
    var parameters = Spec.NetworkUpdateParameters()
    parameters.lossLayers = [layer]
    parameters.optimizer = Spec.Optimizer()
    parameters.optimizer?.optimizerType = .adamOptimizer(adam)
    parameters.epochs = whole(20, 1...10_000)
    return parameters
  }
}
