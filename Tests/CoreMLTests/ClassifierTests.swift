import CoreML
import Foundation
import ModelFormat
import Testing

@Suite("Neural network classifiers")
struct ClassifierTests {
  /// Builds a classifier that applies a softmax to three numbers, the scores of the labels 10, 20 and 30.
  private func model(
    probabilities: String = "p", changing: (inout Spec.Model) -> Void = { _ in }
  ) -> Spec.Model {
    var classifier = Spec.NeuralNetworkClassifier()
    var softmax = Spec.NeuralNetworkLayer()
    softmax.layer = .softmax(Spec.SoftmaxLayerParams())
    softmax.name = "softmax"
    softmax.input = ["x"]
    softmax.output = ["p"]
    classifier.layers = [softmax]
    var labels = Spec.Int64Vector()
    labels.vector = [10, 20, 30]
    classifier.classLabels = .int64ClassLabels(labels)
    classifier.labelProbabilityLayerName = "p"
    var model: Spec.Model = SampleModels.network([])
    model.type = .neuralNetworkClassifier(classifier)
    model.description?.input = [SampleModels.array("x", [3])]
    var keys = Spec.DictionaryFeatureType()
    keys.keyType = .int64KeyType(Spec.Int64FeatureType())
    model.description?.output = [
      SampleModels.feature(probabilities, .dictionaryType(keys)),
      SampleModels.feature("label", .int64Type(Spec.Int64FeatureType())),
    ]
    model.description?.predictedFeatureName = "label"
    model.description?.predictedProbabilitiesName = probabilities
    changing(&model)
    return model
  }

  private func input(_ numbers: [Float]) throws -> MLDictionaryFeatureProvider {
    try MLDictionaryFeatureProvider(dictionary: ["x": MLMultiArray(numbers)])
  }

  @Test("Labels may be integers", arguments: ["p", "classes"])
  func integerLabels(probabilities: String) throws {
    let output = try model(probabilities: probabilities).loaded().prediction(
      from: input([1, 3, 2]))
    #expect(output.featureValue(for: "label")?.int64Value == 20)
    let shares = output.featureValue(for: probabilities)?.dictionaryValue ?? [:]
    #expect(Set(shares.keys) == [10, 20, 30])
    #expect(abs((shares[20]?.doubleValue ?? 0) - 0.6652409) < 1e-6)
  }

  @Test("The label of a pipeline's last model may be an integer")
  func pipeline() throws {
    var pipeline = Spec.Pipeline()
    let doubling: Spec.Model = SampleModels.doubling { model in
      model.description?.output[0].name = "z"
      guard case .neuralNetwork(var network)? = model.type else { return }
      network.layers[0].output = ["z"]
      model.type = .neuralNetwork(network)
    }
    let last: Spec.Model = model { model in
      model.description?.input[0].name = "z"
      guard case .neuralNetworkClassifier(var network)? = model.type else { return }
      network.layers[0].input = ["z"]
      model.type = .neuralNetworkClassifier(network)
    }
    pipeline.models = [doubling, last]
    var classifier = Spec.PipelineClassifier()
    classifier.pipeline = pipeline
    let outer: Spec.Model = model { $0.type = .pipelineClassifier(classifier) }
    let output = try outer.loaded().prediction(from: input([5, 3, 9]))
    #expect(output.featureValue(for: "label")?.int64Value == 30)
  }

  @Test("An integer output that no layer makes and that is not the label is an error")
  func missingOutput() throws {
    let wrong: Spec.Model = model { model in
      model.description?.output.append(
        SampleModels.feature("count", .int64Type(Spec.Int64FeatureType())))
    }
    #expect(
      sentence { _ = try wrong.loaded().prediction(from: input([1, 3, 2])) }?
        .contains("No layer makes the model's output 'count'. The model may be damaged.") == true)
  }

  @Test("No class is returned if probabilities are NaN")
  func notANumber() throws {
    let loaded: MLModel = try model().loaded()
    #expect(
      sentence { _ = try loaded.prediction(from: input([1, .nan, 2])) }?
        .contains("cannot name a class: 3 of its 3 probabilities are not a number (NaN).") == true)
  }
}
