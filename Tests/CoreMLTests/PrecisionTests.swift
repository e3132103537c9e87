import CoreML
import ModelFormat
import Testing

@Suite("The precision of classifiers")
struct PrecisionTests {
  /// Builds a network with a convolution that computes three scores from 32 numbers. The convolution uses bfloat16 if
  /// the configuration allows it.
  private static func scores() -> Spec.Model {
    var message = Spec.ConvolutionLayerParams()
    message.outputChannels = 3
    message.kernelChannels = 32
    message.kernelSize = [1, 1]
    message.weights = Spec.WeightParams((0..<96).map { Float(($0 * 37) % 101) / 40 - 1.2 })
    message.convolutionPaddingType = .valid(Spec.ValidPadding())
    var layer = Spec.NeuralNetworkLayer()
    (layer.layer, layer.name) = (.convolution(message), "scores")
    (layer.input, layer.output) = (["x"], ["scores"])
    var model: Spec.Model = SampleModels.network([layer])
    model.description?.input = [SampleModels.array("x", [32, 1, 1])]
    model.description?.output = [SampleModels.array("scores", [3, 1, 1])]
    return model
  }

  private static func classifier() -> Spec.Model {
    var model: Spec.Model = SampleModels.classifier()
    guard case .neuralNetworkClassifier(var classifier)? = model.type else { return model }
    var softmax = Spec.NeuralNetworkLayer()
    (softmax.layer, softmax.name) = (.softmax(Spec.SoftmaxLayerParams()), "softmax")
    (softmax.input, softmax.output) = (["scores"], ["p"])
    classifier.layers = [softmax]
    model.type = .neuralNetworkClassifier(classifier)
    model.description?.input = [SampleModels.array("scores", [3, 1, 1])]
    return model
  }

  private static func probabilities(
    _ model: Spec.Model, _ units: MLComputeUnits
  ) throws -> [AnyHashable: Double] {
    let configuration = MLModelConfiguration()
    configuration.computeUnits = units
    let values = (0..<32).map { Float($0 % 7) * 0.37 - 1 }
    let array = MLMultiArray(MLShapedArray<Float>(scalars: values, shape: [32, 1, 1]))
    let output = try model.loaded(configuration).prediction(
      from: MLDictionaryFeatureProvider(dictionary: ["x": array]))
    return (output.featureValue(for: "probabilities")?.dictionaryValue ?? [:])
      .mapValues(\.doubleValue)
  }

  @Test("A network before a classifier in a pipeline computes in float32, at any nesting depth")
  func pipelines() throws {
    var classifier = Spec.PipelineClassifier()
    classifier.pipeline = Spec.Pipeline()
    classifier.pipeline?.models = [Self.scores(), Self.classifier()]
    var flat: Spec.Model = Self.classifier()
    flat.type = .pipelineClassifier(classifier)
    flat.description?.input = [SampleModels.array("x", [32, 1, 1])]

    var front: Spec.Model = Self.scores()
    var inner = Spec.Pipeline()
    inner.models = [Self.scores()]
    front.type = .pipeline(inner)
    classifier.pipeline?.models = [front, Self.classifier()]
    var nested: Spec.Model = flat
    nested.type = .pipelineClassifier(classifier)

    for model in [flat, nested] {
      let exact = try Self.probabilities(model, .cpuOnly)
      #expect(exact.count == 3)
      #expect(try Self.probabilities(model, .all) == exact)
    }
  }
}
