import Foundation
import ModelFormat
import Testing

/// Tests models that would run practically forever.
@Suite(.enabled(if: Program.isBuilt))
struct TimeLimitTests {
  /// Builds `y = x`, then `y = y + 1` for ten million iterations.
  private static func endless() -> Spec.Model {
    func layer(
      _ kind: Spec.NeuralNetworkLayer.OneOfLayer, _ inputs: [String], _ outputs: [String]
    ) -> Spec.NeuralNetworkLayer {
      var layer = Spec.NeuralNetworkLayer()
      (layer.layer, layer.name, layer.input, layer.output) = (kind, "layer", inputs, outputs)
      return layer
    }
    func array(_ name: String) -> Spec.FeatureDescription {
      var type = Spec.ArrayFeatureType()
      (type.shape, type.dataType) = ([1], .float32)
      var feature = Spec.FeatureDescription()
      feature.name = name
      feature.type = Spec.FeatureType()
      feature.type?.type = .multiArrayType(type)
      return feature
    }
    var linear = Spec.ActivationLinear()
    (linear.alpha, linear.beta) = (1, 1)
    var addition = Spec.ActivationParams()
    addition.nonlinearityType = .linear(linear)
    var loop = Spec.LoopLayerParams()
    loop.maxLoopIterations = 10_000_000
    loop.bodyNetwork = Spec.NeuralNetwork()
    loop.bodyNetwork?.layers = [
      layer(.activation(addition), ["y"], ["next"]),
      layer(.copy(Spec.CopyLayerParams()), ["next"], ["y"]),
    ]
    var network = Spec.NeuralNetwork()
    network.layers = [
      layer(.copy(Spec.CopyLayerParams()), ["x"], ["y"]), layer(.loop(loop), [], []),
    ]
    network.arrayInputShapeMapping = .exactArrayMapping
    var model = Spec.Model()
    model.specificationVersion = 4
    model.description = Spec.ModelDescription()
    model.description?.input = [array("x")]
    model.description?.output = [array("y")]
    model.type = .neuralNetwork(network)
    return model
  }

  @Test("A prediction that exceeds --time-limit ends with a message and status 1")
  func timeLimit() throws {
    try Fixtures.withFolder { folder in
      let file: URL = folder.appendingPathComponent("endless.mlmodel")
      try Self.endless().write(to: file)
      let start = Date()
      let outcome = try Program.run("predict", file.path, "-i", "x=1", "--time-limit", "1")
      #expect(outcome.status == 1)
      #expect(
        outcome.errors.contains("The prediction took longer than its time limit of 1.0 seconds"),
        "\(outcome.errors)")
      #expect(Date().timeIntervalSince(start) < 8)
    }
  }
}
