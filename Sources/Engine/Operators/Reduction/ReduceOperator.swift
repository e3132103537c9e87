import Backends
import Graph
import ModelFormat

/// Folds the channels, rows or columns of its input into one: `y = Σ x` and nine other ways.
///
/// - Input: `[…, C, H, W]`; the rank must reach the axis named. Output: the same rank, with 1 where
///   an axis was folded.
/// - Axes: CHW (default), HW, C, H, W, counted from the end: W is −1, H is −2, C is −3.
/// - Modes: sum, average, product, sum of logs, sum of squares, L1, L2, max, min, argmax.
/// - Defaults: epsilon (for the sum of logs) 0 or unset means 1e−6.
/// - Errors: argmax over more than one axis; a rank too small.
///
/// **Source:** `ReduceLayerParams` in NeuralNetwork.proto.
public struct ReduceOperator: ReducingOperator {
  /// How values become one.
  public var mode: ReductionMode
  /// The axes, counted from the end: −3 to −1.
  public var axes: [Int]

  public static let declaration = OperatorDeclaration(
    "Reduce", specification: "reduce",
    summary: "channels, rows or columns folded into one: sum, mean, extremes and others")

  /// A folding of axes that count from the end.
  public init(_ mode: ReductionMode, axes: [Int]) {
    self.mode = mode
    self.axes = axes
  }

  public init(decoding decoder: LayerDecoder) throws {
    try decoder.requireInputs(1...1)
    guard case .reduce(let message)? = decoder.message.layer else {
      preconditionFailure("the catalogue decodes by field")
    }
    switch message.axis {
    case .chw: axes = [-3, -2, -1]
    case .hw: axes = [-2, -1]
    case .c: axes = [-3]
    case .h: axes = [-2]
    case .w: axes = [-1]
    case .unrecognized(let number):
      throw decoder.invalid("the axis has the number \(number), expected 0 to 4.")
    }
    switch message.mode {
    case .sum: mode = .sum
    case .avg: mode = .mean
    case .prod: mode = .product
    case .logsum: mode = .sumOfLogs(epsilon: message.epsilon == 0 ? 1e-6 : message.epsilon)
    case .sumsquare: mode = .sumOfSquares
    case .l1: mode = .l1
    case .l2: mode = .l2
    case .max: mode = .maximum
    case .min: mode = .minimum
    case .argmax: mode = .positionOfMaximum
    case .unrecognized(let number):
      throw decoder.invalid("the mode has the number \(number), expected 0 to 9.")
    }
    guard mode != .positionOfMaximum || axes.count == 1 else {
      throw decoder.invalid(
        "the position of the maximum is asked over \(axes.count) axes, expected one of C, H and W.")
    }
  }

  package func reduction(for shape: Shape) throws -> AxisReduction {
    let needed = -(axes.min() ?? -1)
    guard shape.rank >= needed else {
      throw EngineError(
        .invalidInput,
        "the input has the shape \(shape), expected rank \(needed) or more.")
    }
    return AxisReduction(mode: mode, axes: try shape.resolvedAxes(axes), keepsAxes: true)
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    try reducedTypes(inputs)
  }
  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    try reducedReference(inputs)
  }
  public var kernels: [KernelCandidate] { reducingKernels }
}
