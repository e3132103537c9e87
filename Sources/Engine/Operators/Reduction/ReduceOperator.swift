import Graph

/// Reduces the channels, rows or columns of its input by a sum `y = Σ x` or one of nine other reductions.
///
/// - Input: `[…, C, H, W]`, with at least as many axes as the reduction needs.
/// - Output: the input's rank, with extent 1 at the reduced axes.
/// - Axes: CHW (the default of the model file), HW, C, H or W. Axes count from the end: W is −1, H is −2, C is −3.
/// - Modes: sum, average, product, sum of logs, sum of squares, L1, L2, max, min, argmax.
/// - Errors: an axis that the input does not have.
///
/// **Source:** `ReduceLayerParams` in NeuralNetwork.proto.
public struct ReduceOperator: ReducingOperator {
  /// How values are reduced: sum, mean, maximum and others.
  public var mode: ReductionMode
  /// The axes, counted from the end: −3 to −1.
  public var axes: [Int]

  public static let declaration = OperatorDeclaration(
    "Reduce", summary: "a reduction of channels, rows or columns: sum, mean, maximum and others")

  /// Creates a reduction of axes that count from the end.
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
