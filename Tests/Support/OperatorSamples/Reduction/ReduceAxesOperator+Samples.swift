import Graph
import ModelFormat
import NeuralNetworkFormat
import Operators

extension ReduceAxesOperator: SampledOperator {
  public static var samples: [OperatorSample] {
    answers.flatMap { mode, rows, all in foldingSamples(mode, rows: rows, all: all) }
      + positionSamples("ArgMax", rows: [1, 2], columns: [1, 0, 0]) { axis, removesAxis in
        var message = Spec.ArgMaxLayerParams()
        (message.axis, message.removeDim) = (axis, removesAxis)
        return Spec.NeuralNetworkLayer(.argMax(message))
      }
      + positionSamples("ArgMin", rows: [0, 1], columns: [0, 1, 0]) { axis, removesAxis in
        var message = Spec.ArgMinLayerParams()
        (message.axis, message.removeDim) = (axis, removesAxis)
        return Spec.NeuralNetworkLayer(.argMin(message))
      }
  }

  /// For each mode: the reductions of [[1, 2, 3], [4, 5, 6]] over each row and over all elements, from Python's math
  /// module.
  private static let answers: [(mode: ReductionMode, rows: [Double], all: Double)] = [
    (.sum, [6, 15], 21),
    (.mean, [2, 5], 3.5),
    (.product, [6, 120], 720),
    (.l1, [6, 15], 21),
    (.l2, [3.7416573867739413, 8.774964387392123], 9.539392014169456),
    (.maximum, [3, 6], 6),
    (.minimum, [1, 4], 1),
    (.logOfSum, [1.791759469228055, 2.70805020110221], 3.044522437723423),
    (.sumOfSquares, [14, 77], 91),
    (.logOfSumOfExponentials, [3.40760596444438, 6.407605964444381], 6.456193316018123),
  ]

  private static func foldingSamples(_ mode: ReductionMode, rows: [Double], all: Double)
    -> [OperatorSample]
  {
    guard let row = ReduceAxesLayer.all.first(where: { $0.mode == mode }) else {
      preconditionFailure("\(mode.name) has no layer")
    }
    func layer(_ axes: [Int64], keep: Bool, all: Bool = false) -> Spec.NeuralNetworkLayer {
      Spec.NeuralNetworkLayer(row.layer(.init(axes: axes, keepsAxes: keep, isAll: all)))
    }
    func sample(
      _ name: String, _ layer: Spec.NeuralNetworkLayer, _ input: (Shape, OperatorSample.Fill),
      _ expected: ReferenceTensor? = nil
    ) -> OperatorSample {
      OperatorSample(
        "\(mode.name): \(name)", layer, inputs: [input], expected: expected.map { [$0] },
        tolerance: .accumulation)
    }
    let matrix: (Shape, OperatorSample.Fill) = ([2, 3], .values([1, 2, 3, 4, 5, 6]))
    let picture: (Shape, OperatorSample.Fill) = ([2, 5, 9, 7], .uniform(0.5...1.5))
    let film: (Shape, OperatorSample.Fill) = ([3, 4, 2, 3, 2], .uniform(0.5...1.5))
    return [
      sample("rows", layer([-1], keep: true), matrix, ReferenceTensor([2, 1], rows)),
      sample("rows, axis removed", layer([1], keep: false), matrix, ReferenceTensor([2], rows)),
      sample("all", layer([0], keep: false, all: true), matrix, ReferenceTensor([1], [all])),
      sample(
        "no axes named, dimensions kept", layer([], keep: true), matrix,
        ReferenceTensor([1, 1], [all])),
      sample("rows and columns of an image", layer([2, -1], keep: false), picture),
      sample("channels of an image", layer([1], keep: true), picture),
      sample("channels and columns", layer([1, 3], keep: false), picture),
      sample("five dimensions, an axis named twice", layer([0, 1, -5], keep: true), film),
      OperatorSample(
        "\(mode.name): an axis out of range", layer([2], keep: true), inputs: [matrix],
        failure: "the axis 2 does not exist in an input of rank 2 (2 × 3), expected -2 to 1"),
    ]
  }

  /// Returns samples of an operator that gives the indices of extreme values (argmax or argmin). The answers for [[1,
  /// 5, 5], [4, 2, 5]] are computed by hand.
  private static func positionSamples(
    _ name: String, rows: [Double], columns: [Double],
    layer: (Int64, Bool) -> Spec.NeuralNetworkLayer
  ) -> [OperatorSample] {
    let matrix: (Shape, OperatorSample.Fill) = ([2, 3], .values([1, 5, 5, 4, 2, 5]))
    return [
      OperatorSample(
        "\(name): rows", layer(-1, false), inputs: [matrix],
        expected: [ReferenceTensor([2, 1], rows)], tolerance: .exact),
      OperatorSample(
        "\(name): columns, axis removed", layer(0, true), inputs: [matrix],
        expected: [ReferenceTensor([3], columns)], tolerance: .exact),
      OperatorSample(
        "\(name): the first NaN", layer(-1, false),
        inputs: [([2, 3], .values([1, .nan, .nan, 0, 0, 0]))],
        expected: [ReferenceTensor([2, 1], [1, 0])], tolerance: .exact),
      OperatorSample(
        "\(name): a vector", layer(0, true), inputs: [([2], .values([0, 0]))],
        expected: [ReferenceTensor([1], [0])], tolerance: .exact),
      OperatorSample(
        "\(name): channels of an image", layer(1, false), inputs: [[2, 5, 9, 7]],
        tolerance: .exact),
      OperatorSample(
        "\(name): five dimensions", layer(-4, true), inputs: [[3, 4, 2, 3, 2]],
        tolerance: .exact),
      OperatorSample(
        "\(name): an axis out of range", layer(-3, false), inputs: [matrix],
        failure: "the axis -3 does not exist in an input of rank 2"),
    ]
  }
}
