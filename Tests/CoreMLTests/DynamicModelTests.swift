import CoreML
import Foundation
import ModelFormat
import Testing

@Suite("Data-dependent shapes and control flow")
struct DynamicModelTests {
  private func exact(_ layers: [Spec.NeuralNetworkLayer]) throws -> MLModel {
    var model: Spec.Model = SampleModels.network(layers)
    model.specificationVersion = 4
    if case .neuralNetwork(var network)? = model.type {
      network.arrayInputShapeMapping = .exactArrayMapping
      model.type = .neuralNetwork(network)
    }
    model.description?.input = [SampleModels.array("x", [2, 3])]
    model.description?.output = [SampleModels.array("y", [])]
    return try model.loaded()
  }

  private func layer(
    _ kind: Spec.NeuralNetworkLayer.OneOfLayer, _ inputs: [String], _ outputs: [String]
  ) -> Spec.NeuralNetworkLayer {
    var layer = Spec.NeuralNetworkLayer()
    (layer.layer, layer.name, layer.input, layer.output) = (kind, "layer", inputs, outputs)
    return layer
  }

  private func prediction(_ model: MLModel, _ values: [Float]) throws -> MLMultiArray {
    let array = MLMultiArray(MLShapedArray<Float>(scalars: values, shape: [2, 3]))
    let provider = try MLDictionaryFeatureProvider(dictionary: ["x": array])
    let output = try model.prediction(from: provider)
    return try #require(output.featureValue(for: "y")?.multiArrayValue)
  }

  @Test("A model's loop runs its three iterations")
  func loop() throws {
    var body = Spec.NeuralNetwork()
    body.layers = [
      SampleModels.linear(alpha: 2, beta: 1, from: "y", to: "next"),
      layer(.copy(Spec.CopyLayerParams()), ["next"], ["y"]),
    ]
    var loop = Spec.LoopLayerParams()
    loop.maxLoopIterations = 3
    loop.bodyNetwork = body
    let model = try exact([
      layer(.copy(Spec.CopyLayerParams()), ["x"], ["y"]), layer(.loop(loop), [], []),
    ])
    let answer = try prediction(model, [0, 1, 2, 3, 4, 5])
    #expect(answer.shape == [2, 3])
    #expect(
      answer
        == MLMultiArray(
          MLShapedArray<Float>(
            scalars: [7, 15, 23, 31, 39, 47], shape: [2, 3])))
  }

  @Test("Input values determine an output's shape, which may be empty")
  func shapes() throws {
    let model = try exact([
      layer(.whereNonZero(Spec.WhereNonZeroLayerParams()), ["x"], ["y"])
    ])
    #expect(try prediction(model, [0, 0, 5, 0, 1, 0]).shape == [2, 2])
    #expect(try prediction(model, [0, 0, 0, 0, 0, 0]).shape == [0, 2])
    #expect(try prediction(model, [1, 1, 1, 1, 1, 1]).count == 12)
  }
}
