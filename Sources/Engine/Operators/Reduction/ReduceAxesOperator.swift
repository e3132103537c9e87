import Graph

/// Folds the axes that are named, or all of them: `y = Σ x` and the other ways of ``ReductionMode``.
///
/// - Input: any rank. Output: the input's shape without the folded axes, or with 1 in their place
///   where ``keepsAxes`` is set; `[1]` where nothing is left.
/// - Positions are those along one axis.
/// - Errors: an axis beyond the rank.
///
/// **Source:** `ReduceSumLayerParams` and its siblings, `ArgMaxLayerParams`, `ArgMinLayerParams`.
public struct ReduceAxesOperator: ReducingOperator, Hashable {
  /// How values become one.
  public var mode: ReductionMode
  /// The axes, which may count from the end; empty for all.
  public var axes: [Int]
  /// Whether folded axes stay with an extent of one.
  public var keepsAxes: Bool
  /// What becomes of integers that the type cannot hold.
  public var overflow: IntegerOverflow

  public static let declaration = OperatorDeclaration(
    "ReduceAxes", summary: "the values over axes folded into one")

  /// A folding of axes, which may count from the end; none named means all.
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
  /// Neighbouring numbers of a rising sequence together: kernels fold axes that lie side by side.
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
