import NeuralNetworkFormat
import Graph
import ModelFormat
import Operators

extension ReduceOperator: SampledOperator {
  public static var samples: [OperatorSample] { answers + combinations + failures }

  private typealias Mode = Spec.ReduceLayerParams.ReduceOperation
  private typealias Axis = Spec.ReduceLayerParams.ReduceAxis

  private static func layer(_ mode: Mode, _ axis: Axis, epsilon: Float = 0)
    -> Spec.NeuralNetworkLayer
  {
    var message = Spec.ReduceLayerParams()
    message.mode = mode
    message.axis = axis
    message.epsilon = epsilon
    return Spec.NeuralNetworkLayer(.reduce(message))
  }

  /// Samples that reduce the columns of [[1, 2], [4, 0.5]]. The answers are computed by hand, except logarithms, which
  /// Python's math module computed.
  private static var answers: [OperatorSample] {
    let table: [(String, Mode, [Double])] = [
      ("sum", .sum, [3, 4.5]),
      ("average", .avg, [1.5, 2.25]),
      ("product", .prod, [2, 2]),
      ("sum of logs", .logsum, [0.693148680559316, 0.693149430557914]),
      ("sum of squares", .sumsquare, [5, 16.25]),
      ("L1", .l1, [3, 4.5]),
      ("L2", .l2, [2.23606797749979, 4.03112887414928]),
      ("max", .max, [2, 4]),
      ("min", .min, [1, 0.5]),
      ("argmax", .argmax, [1, 0]),
    ]
    let known: [OperatorSample] = table.map { name, mode, values in
      OperatorSample(
        name, layer(mode, .w), inputs: [([1, 2, 2], .values([1, 2, 4, 0.5]))],
        expected: [ReferenceTensor([1, 2, 1], values)], tolerance: .accumulation)
    }
    return known + [
      OperatorSample(
        "the first of equal maxima", layer(.argmax, .c),
        inputs: [([3, 1, 2], .values([1, 5, 7, 5, 7, 2]))],
        expected: [ReferenceTensor([1, 1, 2], [1, 0])]),
      OperatorSample(
        "sum of logs with an epsilon", layer(.logsum, .hw, epsilon: 1),
        inputs: [([1, 1, 1, 2, 2], .values([0, 0, 0, 0]))],
        expected: [ReferenceTensor([1, 1, 1, 1, 1], [0])]),
      OperatorSample(
        "a rank of two", layer(.sum, .h), inputs: [([2, 2], .values([1, 2, 3, 4]))],
        expected: [ReferenceTensor([1, 2], [4, 6])]),
      OperatorSample(
        "a rank of one", layer(.sum, .w), inputs: [([3], .values([1, 2, 3]))],
        expected: [ReferenceTensor([1], [6])]),
    ]
  }

  private static var combinations: [OperatorSample] {
    let modes: [(String, Mode)] = [
      ("sum", .sum), ("average", .avg), ("product", .prod), ("sum of logs", .logsum),
      ("sum of squares", .sumsquare), ("L1", .l1), ("L2", .l2), ("max", .max), ("min", .min),
    ]
    let axes: [(String, Axis)] = [("CHW", .chw), ("HW", .hw), ("C", .c), ("H", .h), ("W", .w)]
    let all: [OperatorSample] = modes.flatMap { modeName, mode in
      axes.map { axisName, axis in
        OperatorSample(
          "\(modeName) over \(axisName)", layer(mode, axis), mapping: .rank5,
          inputs: [([2, 1, 5, 9, 7], .uniform(0.5...1.5))], tolerance: .accumulation)
      }
    }
    return all + [
      OperatorSample(
        "argmax over C", layer(.argmax, .c), inputs: [[2, 19, 5, 3]], tolerance: .exact),
      OperatorSample(
        "argmax over W", layer(.argmax, .w), inputs: [[2, 3, 5, 19]], tolerance: .exact),
      OperatorSample(
        "the statistics of an instance norm", layer(.sum, .hw), inputs: [[1, 24, 64, 60]],
        tolerance: .accumulation),
      OperatorSample(
        "one long sum", layer(.avg, .chw), inputs: [[1, 3, 129, 131]], tolerance: .accumulation),
      OperatorSample(
        "weights of many styles", layer(.sum, .c), mapping: .rank5, inputs: [[33, 1, 26, 1, 1]],
        tolerance: .accumulation),
    ]
  }

  private static var failures: [OperatorSample] {
    [
      OperatorSample(
        "argmax over two axes", layer(.argmax, .hw), inputs: [[2, 3, 4]],
        failure: "argmax is asked for over 2 axes"),
      OperatorSample(
        "too low a rank", layer(.sum, .chw), inputs: [[3, 4]],
        failure: "the input has the shape 3 × 4, expected rank 3 or more"),
      OperatorSample(
        "an unknown mode", layer(.unrecognized(10), .hw), inputs: [[3, 4]],
        failure: "the mode has the number 10"),
    ]
  }
}
