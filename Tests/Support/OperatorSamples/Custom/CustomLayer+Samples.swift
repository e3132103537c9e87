import NeuralNetworkFormat
import Graph
import ModelFormat
import Operators

extension CustomLayer: SampledOperator {
  /// The conformance tests have no classes of custom layers, so decoding fails with Apple's message. CustomLayerTests
  /// tests layers with classes.
  public static var samples: [OperatorSample] {
    [
      OperatorSample(
        "no class", Spec.NeuralNetworkLayer(.custom(.making { $0.className = "Rescale" })),
        inputs: [[1, 3, 2, 2]],
        failure:
          "Error creating Core ML custom layer implementation from factory for layer \"Rescale\"."),
      OperatorSample(
        "a parameter without a value",
        Spec.NeuralNetworkLayer(
          .custom(
            .making {
              $0.className = "Rescale"
              $0.parameters = ["scale": .init()]
            })),
        inputs: [[1, 3, 2, 2]], failure: "the parameter 'scale' has no value"),
    ]
  }
}
