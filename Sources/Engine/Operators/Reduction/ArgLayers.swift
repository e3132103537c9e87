import Backends
import Graph
import ModelFormat

/// The position of the first largest value along an axis, or of the first NaN.
///
/// - Input: any rank from one. Output: 1 in place of the axis, or, with `removeDim` and a rank above
///   one, no such dimension.
/// - Errors: an axis beyond the rank.
///
/// **Source:** `ArgMaxLayerParams` in NeuralNetwork.proto.
public struct ArgMaxOperator: ReducingOperator {
  /// The axis; a negative one counts from the end.
  public var axis: Int
  /// Whether the axis goes.
  public var removesAxis: Bool

  public static let declaration = OperatorDeclaration(
    "ArgMax", specification: "argMax", summary: "the position of the largest value along an axis")

  public init(decoding decoder: LayerDecoder) throws {
    try decoder.requireInputs(1...1)
    guard case .argMax(let message)? = decoder.message.layer else {
      preconditionFailure("the catalogue decodes by field")
    }
    axis = try decoder.integer(message.axis, "the axis")
    removesAxis = message.removeDim
  }

  package func reduction(for shape: Shape) throws -> AxisReduction {
    AxisReduction(
      mode: .positionOfMaximum, axes: try shape.resolvedAxes([axis]), keepsAxes: !removesAxis)
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    try reducedTypes(inputs)
  }
  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    try reducedReference(inputs)
  }
  public var kernels: [KernelCandidate] { reducingKernels }

  public static var samples: [OperatorSample] {
    positionSamples(rows: [1, 2], columns: [1, 0, 0]) { axis, removesAxis in
      var message = Spec.ArgMaxLayerParams()
      (message.axis, message.removeDim) = (axis, removesAxis)
      return Spec.NeuralNetworkLayer(.argMax(message))
    }
  }
}

/// The position of the first smallest value along an axis, or of the first NaN.
///
/// - Input: any rank from one. Output: 1 in place of the axis, or, with `removeDim` and a rank above
///   one, no such dimension.
/// - Errors: an axis beyond the rank.
///
/// **Source:** `ArgMinLayerParams` in NeuralNetwork.proto.
public struct ArgMinOperator: ReducingOperator {
  /// The axis; a negative one counts from the end.
  public var axis: Int
  /// Whether the axis goes.
  public var removesAxis: Bool

  public static let declaration = OperatorDeclaration(
    "ArgMin", specification: "argMin", summary: "the position of the smallest value along an axis")

  public init(decoding decoder: LayerDecoder) throws {
    try decoder.requireInputs(1...1)
    guard case .argMin(let message)? = decoder.message.layer else {
      preconditionFailure("the catalogue decodes by field")
    }
    axis = try decoder.integer(message.axis, "the axis")
    removesAxis = message.removeDim
  }

  package func reduction(for shape: Shape) throws -> AxisReduction {
    AxisReduction(
      mode: .positionOfMinimum, axes: try shape.resolvedAxes([axis]), keepsAxes: !removesAxis)
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    try reducedTypes(inputs)
  }
  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    try reducedReference(inputs)
  }
  public var kernels: [KernelCandidate] { reducingKernels }

  public static var samples: [OperatorSample] {
    positionSamples(rows: [0, 1], columns: [0, 1, 0]) { axis, removesAxis in
      var message = Spec.ArgMinLayerParams()
      (message.axis, message.removeDim) = (axis, removesAxis)
      return Spec.NeuralNetworkLayer(.argMin(message))
    }
  }
}

/// Cases for [[1, 5, 5], [4, 2, 5]], answered by hand.
private func positionSamples(
  rows: [Double], columns: [Double], layer: (Int64, Bool) -> Spec.NeuralNetworkLayer
) -> [OperatorSample] {
  let matrix: (Shape, OperatorSample.Fill) = ([2, 3], .values([1, 5, 5, 4, 2, 5]))
  return [
    OperatorSample(
      "rows", layer(-1, false), inputs: [matrix], expected: [ReferenceTensor([2, 1], rows)],
      tolerance: .exact),
    OperatorSample(
      "columns, axis removed", layer(0, true), inputs: [matrix],
      expected: [ReferenceTensor([3], columns)], tolerance: .exact),
    OperatorSample(
      "the first NaN", layer(-1, false), inputs: [([2, 3], .values([1, .nan, .nan, 0, 0, 0]))],
      expected: [ReferenceTensor([2, 1], [1, 0])], tolerance: .exact),
    OperatorSample(
      "a vector", layer(0, true), inputs: [([2], .values([0, 0]))],
      expected: [ReferenceTensor([1], [0])], tolerance: .exact),
    OperatorSample(
      "channels of a picture", layer(1, false), inputs: [[2, 5, 9, 7]], tolerance: .exact),
    OperatorSample("five dimensions", layer(-4, true), inputs: [[3, 4, 2, 3, 2]], tolerance: .exact),
    OperatorSample(
      "an axis too many", layer(-3, false), inputs: [matrix],
      failure: "the axis -3 does not exist in an input of rank 2"),
  ]
}
