import NeuralNetworkFormat
import Graph
import ModelFormat
import Operators

extension UnaryOperator: SampledOperator {
  public static var samples: [OperatorSample] {
    typealias Operation = Spec.UnaryFunctionLayerParams.Operation
    // The inputs are 1, 2, 3 and 4. NumPy 1.26 computed the answers in float64.
    let answers: [(String, Operation, Float, [Double])] = [
      ("square root", .sqrt, 0, [1, 1.4142135623731, 1.7320508075689, 2]),
      ("reciprocal root", .rsqrt, 0, [0.9999995, 0.7071066044, 0.5773501729, 0.4999999375]),
      ("inverse", .inverse, 0, [0.999999000001, 0.49999975, 0.333333222222, 0.2499999375]),
      ("cube", .power, 3, [1, 8, 27, 64]),
      ("square", .power, 2, [1, 4, 9, 16]),
      ("inverse as a power", .power, -1, [1, 0.5, 1 / 3, 0.25]),
      ("an odd power", .power, 1.5, [1, 2.8284271247462, 5.1961524227066, 8]),
      (
        "exponential", .exp, 0,
        [2.7182818284590, 7.3890560989307, 20.085536923188, 54.598150033144]
      ),
      ("logarithm", .log, 0, [0, 0.69314718055995, 1.0986122886681, 1.3862943611199]),
      ("magnitude", .abs, 0, [1, 2, 3, 4]),
      ("threshold", .threshold, 2, [2, 2, 3, 4]),
    ]
    let known: [OperatorSample] = answers.map { name, operation, alpha, values in
      OperatorSample(
        name, .unary(operation, alpha: alpha), mapping: .rank5,
        inputs: [([1, 1, 1, 2, 2], .values([1, 2, 3, 4]))],
        expected: [ReferenceTensor([1, 1, 1, 2, 2], values)], tolerance: .accumulation)
    }
    return known + [
      OperatorSample(
        "scale and shift are applied first", .unary(.sqrt, scale: 2, shift: 1),
        inputs: [([3], .values([0, 1.5, 4]))],
        expected: [ReferenceTensor([3], [1, 2, 3])]),
      OperatorSample(
        "a given epsilon", .unary(.inverse, epsilon: 0.5),
        inputs: [([2], .values([0, 1.5]))], expected: [ReferenceTensor([2], [2, 0.5])]),
      OperatorSample(
        "the logarithm of zero and epsilon", .unary(.log, epsilon: 1),
        inputs: [([2], .values([0, 1]))],
        expected: [ReferenceTensor([2], [0, 0.69314718055995])], tolerance: .accumulation),
      OperatorSample(
        "the variances of an instance norm", .unary(.rsqrt, alpha: 1, epsilon: 1e-6, scale: 1),
        mapping: .rank5, inputs: [([1, 1, 128, 1, 1], .uniform(0.01...4))],
        tolerance: .accumulation),
      OperatorSample(
        "a picture", .unary(.abs), inputs: [[1, 7, 19, 23]], tolerance: .exact),
      OperatorSample(
        "logarithm of small and large values", .unary(.log),
        inputs: [([200], .uniform(1e-4...1e4))],
        tolerance: .accumulation),
      OperatorSample(
        "an unknown function", .unary(.unrecognized(8)), inputs: [[2]],
        failure: "the function has the number 8, expected 0 to 7"),
    ]
  }
}

extension Spec.NeuralNetworkLayer {
  /// Creates a unary layer.
  fileprivate static func unary(
    _ type: Spec.UnaryFunctionLayerParams.Operation, alpha: Float = 0, epsilon: Float = 0,
    scale: Float = 0, shift: Float = 0
  ) -> Spec.NeuralNetworkLayer {
    var message = Spec.UnaryFunctionLayerParams()
    message.type = type
    message.alpha = alpha
    message.epsilon = epsilon
    message.scale = scale
    message.shift = shift
    return Spec.NeuralNetworkLayer(.unary(message))
  }
}
