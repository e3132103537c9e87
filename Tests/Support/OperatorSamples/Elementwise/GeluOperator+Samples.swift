import NeuralNetworkFormat
import Graph
import ModelFormat
import Operators

extension GeluOperator: SampledOperator {
  public static var samples: [OperatorSample] {
    func gelu(_ mode: Spec.GeluLayerParams.GeluMode) -> Spec.NeuralNetworkLayer {
      var message = Spec.GeluLayerParams()
      message.mode = mode
      return Spec.NeuralNetworkLayer(.gelu(message))
    }
    // The inputs are −1, 0.5 and 2. Python’s math module computed the answers in float64.
    let answers: [(String, Spec.GeluLayerParams.GeluMode, [Double])] = [
      ("exact", .exact, [-0.158655253931457, 0.345731230635337, 1.954499736103642]),
      (
        "by tanh", .tanhApproximation,
        [-0.158808009391733, 0.345714009825144, 1.954597694087775]
      ),
      (
        "by sigmoid", .sigmoidApproximation,
        [-0.154204234067179, 0.350388436606380, 1.935658623144208]
      ),
    ]
    return answers.flatMap { name, mode, values in
      [
        OperatorSample(
          name, gelu(mode), inputs: [([3], .values([-1, 0.5, 2]))],
          expected: [ReferenceTensor([3], values)], tolerance: .accumulation),
        OperatorSample(
          "\(name) on a picture", gelu(mode), inputs: [([1, 5, 9, 7], .uniform(-4...4))],
          tolerance: .accumulation),
        OperatorSample(
          "\(name) of infinities", gelu(mode),
          inputs: [([5], .values([.infinity, -.infinity, -150, .nan, 2]))],
          expected: [ReferenceTensor([5], [.infinity, 0, 0, .nan, values[2]])],
          tolerance: .accumulation),
      ]
    } + [
      OperatorSample(
        "an unknown mode", gelu(.unrecognized(3)), inputs: [[2]],
        failure: "the mode has the number 3")
    ]
  }
}
