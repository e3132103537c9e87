import Graph

/// Folds the channels, rows or columns of its input into one: `y = Σ x` and nine other ways.
///
/// - Input: `[…, C, H, W]`; the rank must reach the axis named. Output: the same rank, with 1 where
///   an axis was folded.
/// - Axes: CHW (default), HW, C, H, W, counted from the end: W is −1, H is −2, C is −3.
/// - Modes: sum, average, product, sum of logs, sum of squares, L1, L2, max, min, argmax.
/// - Errors: a rank too small.
///
/// **Source:** `ReduceLayerParams` in NeuralNetwork.proto.
public struct ReduceOperator: ReducingOperator {
  /// How values become one.
  public var mode: ReductionMode
  /// The axes, counted from the end: −3 to −1.
  public var axes: [Int]

  public static let declaration = OperatorDeclaration(
    "Reduce", summary: "channels, rows or columns folded into one: sum, mean, extremes and others")

  /// A folding of axes that count from the end.
  public init(_ mode: ReductionMode, axes: [Int]) {
    self.mode = mode
    self.axes = axes
  }

  public func reduction(for shape: Shape) throws -> AxisReduction {
    let needed = -(axes.min() ?? -1)
    guard shape.rank >= needed else {
      throw EngineError(
        .invalidInput,
        "the input has the shape \(shape), expected rank \(needed) or more.")
    }
    return AxisReduction(mode: mode, axes: try shape.resolvedAxes(axes), keepsAxes: true)
  }
}
