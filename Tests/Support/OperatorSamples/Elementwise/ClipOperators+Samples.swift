import NeuralNetworkFormat
import Graph
import ModelFormat
import Operators

extension ClipOperator: SampledOperator {
  public static var samples: [OperatorSample] {
    func clip(_ minimum: Float, _ maximum: Float) -> Spec.NeuralNetworkLayer {
      var message = Spec.ClipLayerParams()
      (message.minVal, message.maxVal) = (minimum, maximum)
      return Spec.NeuralNetworkLayer(.clip(message))
    }
    return [
      OperatorSample(
        "known values", clip(0, 5), inputs: [([2, 3], .values([-1.5, 2, -3, 4.5, -5, 7]))],
        expected: [ReferenceTensor([2, 3], [0, 2, 0, 4.5, 0, 5])], tolerance: .exact),
      OperatorSample("a picture", clip(-0.5, 0.25), inputs: [[1, 7, 9, 11]], tolerance: .exact),
      OperatorSample(
        "swapped bounds", clip(1, 0), inputs: [[2]],
        failure: "the minimum is 1.0 and the maximum 0.0"),
    ]
  }
}

extension ClampedReLUOperator: SampledOperator {
  public static var samples: [OperatorSample] {
    func clamped(_ alpha: Float, _ beta: Float) -> Spec.NeuralNetworkLayer {
      var message = Spec.ClampedReLULayerParams()
      (message.alpha, message.beta) = (alpha, beta)
      return Spec.NeuralNetworkLayer(.clampedReLU(message))
    }
    return [
      OperatorSample(
        "known values", clamped(0.5, 4), inputs: [([5], .values([-2, -1, 0, 3, 6]))],
        expected: [ReferenceTensor([5], [-1, -0.5, 0, 3, 4])]),
      OperatorSample(
        "ReLU6 on an image", clamped(0, 6), inputs: [([1, 7, 9, 11], .uniform(-10...10))],
        tolerance: .exact),
    ]
  }
}
