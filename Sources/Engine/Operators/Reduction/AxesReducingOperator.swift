import Backends
import Graph
import ModelFormat

/// The parameters that the ten reductions over named axes have in common.
public struct AxesParameters: Sendable {
  /// The axes; negative ones count from the end.
  public var axes: [Int64]
  /// Whether folded axes stay with an extent of one.
  public var keepsAxes: Bool
  /// Whether every axis is folded, whatever `axes` says.
  public var isAll: Bool
}

/// A layer that folds the axes that its message names, or all of them.
///
/// - Input: any rank. Output: the input's shape without the folded axes, or with 1 in their place
///   when `keepDims` is set; `[1]` where nothing is left.
/// - Defaults: no axes named means all, as `reduceAll` does.
/// - Errors: an axis beyond the rank.
public protocol AxesReducingOperator: Layer {
  /// The axes, which may count from the end; empty for all.
  var axes: [Int] { get }
  /// Whether folded axes stay with an extent of one.
  var keepsAxes: Bool { get }
  /// A folding of axes; empty for all.
  init(axes: [Int], keepsAxes: Bool)
  /// How values become one.
  static var mode: ReductionMode { get }
  /// What the message says.
  static func parameters(_ message: Spec.NeuralNetworkLayer.OneOfLayer) -> AxesParameters?
  /// The message, for samples.
  static func message(_ parameters: AxesParameters) -> Spec.NeuralNetworkLayer.OneOfLayer
  /// The values for [[1, 2, 3], [4, 5, 6]] by rows and of all, from Python's math module.
  static var answers: (rows: [Double], all: Double) { get }
}

extension AxesReducingOperator {
  public init(decoding decoder: LayerDecoder) throws {
    try decoder.requireInputs(1...1)
    guard let message = decoder.message.layer, let parameters = Self.parameters(message) else {
      preconditionFailure("the catalogue decodes by field")
    }
    let axes: [Int] = try parameters.axes.map { try decoder.integer($0, "an axis") }
    self.init(axes: parameters.isAll ? [] : axes, keepsAxes: parameters.keepsAxes)
  }

  package func reduction(for shape: Shape) throws -> AxisReduction {
    AxisReduction(
      mode: Self.mode,
      axes: axes.isEmpty ? Array(0..<shape.rank) : try shape.resolvedAxes(axes),
      keepsAxes: keepsAxes)
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    let shape = inputs[0].shape
    return [TensorType(try reduction(for: shape).outputShape(of: shape))]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    [try reduction(for: inputs[0].shape).reference(inputs[0])]
  }

  public var kernels: [KernelCandidate] {
    [
      KernelCandidate("native reduction") { request in
        try reduction(for: request.inputs[0].shape).kernel(for: request)
      }
    ]
  }

  public static var samples: [OperatorSample] {
    func layer(_ axes: [Int64], keep: Bool, all: Bool = false) -> Spec.NeuralNetworkLayer {
      Spec.NeuralNetworkLayer(message(AxesParameters(axes: axes, keepsAxes: keep, isAll: all)))
    }
    let matrix: (Shape, OperatorSample.Fill) = ([2, 3], .values([1, 2, 3, 4, 5, 6]))
    let picture: (Shape, OperatorSample.Fill) = ([2, 5, 9, 7], .uniform(0.5...1.5))
    let film: (Shape, OperatorSample.Fill) = ([3, 4, 2, 3, 2], .uniform(0.5...1.5))
    return [
      OperatorSample(
        "rows", layer([-1], keep: true), inputs: [matrix],
        expected: [ReferenceTensor([2, 1], answers.rows)], tolerance: .accumulation),
      OperatorSample(
        "rows, axis removed", layer([1], keep: false), inputs: [matrix],
        expected: [ReferenceTensor([2], answers.rows)], tolerance: .accumulation),
      OperatorSample(
        "all", layer([0], keep: false, all: true), inputs: [matrix],
        expected: [ReferenceTensor([1], [answers.all])], tolerance: .accumulation),
      OperatorSample(
        "no axes named, dimensions kept", layer([], keep: true), inputs: [matrix],
        expected: [ReferenceTensor([1, 1], [answers.all])], tolerance: .accumulation),
      OperatorSample(
        "a picture's rows and columns", layer([2, -1], keep: false),
        inputs: [picture], tolerance: .accumulation),
      OperatorSample(
        "channels of a picture", layer([1], keep: true), inputs: [picture],
        tolerance: .accumulation),
      OperatorSample(
        "channels and columns", layer([1, 3], keep: false), inputs: [picture],
        tolerance: .accumulation),
      OperatorSample(
        "five dimensions, an axis named twice", layer([0, 1, -5], keep: true),
        inputs: [film], tolerance: .accumulation),
      OperatorSample(
        "an axis too many", layer([2], keep: true), inputs: [matrix],
        failure: "the axis 2 does not exist in an input of rank 2 (2 × 3), expected -2 to 1"),
    ]
  }
}
