import Graph

/// Reduces the given axes, or all axes, by a sum `y = Σ x` or another reduction of ``ReductionMode``.
///
/// - Input: any rank.
/// - Output: the input's shape without the reduced axes. If ``keepsAxes`` is set, these axes stay, with extent 1. If no
///   axis is left, the shape is `[1]`.
/// - An argmax or argmin reduces one axis; its results are indices into that axis.
/// - Errors: an axis that the input does not have.
///
/// **Source:** `ReduceSumLayerParams` and its siblings, `ArgMaxLayerParams`, `ArgMinLayerParams`.
public struct ReduceAxesOperator: ReducingOperator, Hashable {
  /// How values are reduced: sum, mean, maximum and others.
  public var mode: ReductionMode
  /// The axes; negative ones count from the end. Empty means all axes.
  public var axes: [Int]
  /// Whether reduced axes stay in the shape, with an extent of one.
  public var keepsAxes: Bool
  /// Whether an integer result that overflows the element type wraps around or saturates.
  public var overflow: IntegerOverflow

  public static let declaration = OperatorDeclaration(
    "ReduceAxes", summary: "a reduction over axes")

  /// Creates a reduction of axes. Negative axes count from the end. An empty list means all axes.
  public init(
    _ mode: ReductionMode, axes: [Int] = [], keepsAxes: Bool = false,
    overflow: IntegerOverflow = .wraps
  ) {
    self.overflow = overflow
    self.mode = mode
    self.axes = axes
    self.keepsAxes = keepsAxes
  }

  /// The mode's name.
  public var name: String { mode.name }

  public func reduction(for shape: Shape) throws -> AxisReduction {
    AxisReduction(
      mode: mode, axes: axes.isEmpty ? Array(0..<shape.rank) : try shape.resolvedAxes(axes),
      keepsAxes: keepsAxes, overflow: overflow)
  }
}

extension [Int] {
  /// Splits an ascending list of axes into runs of consecutive numbers. Kernels reduce the axes of a run together.
  package var runs: [[Int]] {
    var result: [[Int]] = []
    for number in self {
      if result.last?.last == number - 1 {
        result[result.count - 1].append(number)
      } else {
        result.append([number])
      }
    }
    return result
  }
}
