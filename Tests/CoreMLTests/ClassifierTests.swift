import CoreML
import Foundation
import ModelFormat
import Testing

@Suite("Classifiers made of networks")
struct ClassifierTests {
  /// Three numbers through softmax to the probabilities of 10, 20 and 30.
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

  @Test("Labels may be whole numbers", arguments: ["p", "classes"])
  func integerLabels(probabilities: String) throws {
    let output = try model(probabilities: probabilities).loaded().prediction(
      from: input([1, 3, 2]))
    #expect(output.featureValue(for: "label")?.int64Value == 20)
    let shares = output.featureValue(for: probabilities)?.dictionaryValue ?? [:]
    #expect(Set(shares.keys) == [10, 20, 30])
    #expect(abs((shares[20]?.doubleValue ?? 0) - 0.6652409) < 1e-6)
  }

  @Test("The label of a pipeline's last model may be a whole number")
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
    let whole: Spec.Model = model { $0.type = .pipelineClassifier(classifier) }
    let output = try whole.loaded().prediction(from: input([5, 3, 9]))
    #expect(output.featureValue(for: "label")?.int64Value == 30)
  }

  @Test("A whole number that no layer makes and that is no label is still an error")
  func missingOutput() throws {
    let wrong: Spec.Model = model { model in
      model.description?.output.append(
        SampleModels.feature("count", .int64Type(Spec.Int64FeatureType())))
    }
    #expect(
      sentence { _ = try wrong.loaded().prediction(from: input([1, 3, 2])) }?
        .contains("The model's output 'count' is made by none of its layers.") == true)
  }

  @Test("No class is named where probabilities are NaN")
  func notANumber() throws {
    let loaded: MLModel = try model().loaded()
    #expect(
      sentence { _ = try loaded.prediction(from: input([1, .nan, 2])) }?
        .contains("cannot name a class: 3 of its 3 probabilities are not a number (NaN).") == true)
  }
}
