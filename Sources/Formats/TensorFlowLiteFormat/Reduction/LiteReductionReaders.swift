import Graph
import Operators

/// Reductions, cumulative sums, top-k, argmax and argmin.
enum LiteReductionReaders {
  static let all: [LiteOperatorReader] = [
    reduction("MEAN", .mean), reduction("SUM", .sum), reduction("REDUCE_PROD", .product),
    reduction("REDUCE_MAX", .maximum), reduction("REDUCE_MIN", .minimum),
    // The graph stores booleans as 0 and 1. So the maximum says whether any is true, and the minimum whether all are.
    reduction("REDUCE_ANY", .maximum), reduction("REDUCE_ALL", .minimum),
    position("ARG_MAX", .indexOfMaximum), position("ARG_MIN", .indexOfMinimum),
    LiteOperatorReader("CUMSUM", .any) { operation in
      let value = try operation.value(0)
      let axis: Int = try operation.axis(
        try operation.integers(1).first ?? 0, rank: try operation.rank(0))
      return [
        operation.result(
          try operation.add(
            CumSumOperator(
              axis: operation.held(axis, in: value), isExclusive: try operation.bool(0),
              isReversed: try operation.bool(1), overflow: try operation.overflow), value.id),
          like: value.isPicture)
      ]
    },
    LiteOperatorReader("TOPK_V2") { operation in
      guard let count = try operation.integers(1).first, count >= 0 else {
        throw operation.invalid("the number of values is missing.")
      }
      let made = try operation.add(
        TopKOperator(axis: -1, count: count), [try operation.written(0)], outputs: 2)
      return [
        .written(made[0], grid: try operation.value(0).grid),
        .written(try operation.converted(made[1], to: .int32)),
      ]
    },
  ]

  private static func reduction(_ name: String, _ mode: ReductionMode) -> LiteOperatorReader {
    LiteOperatorReader(name, .any) { operation in
      let rank: Int = try operation.rank(0)
      let axes: [Int] = try operation.integers(1).map { try operation.axis($0, rank: rank) }
      let keeps: Bool = try operation.bool(0)
      let value = try operation.value(0)
      if axes.isEmpty {
        return [operation.result(value.id, like: value.isPicture, grid: value.grid)]
      }
      // A reduction needs no transposition of a picture if it keeps its axes, or removes the rows and columns, or
      // removes the channels. In the last two cases the remaining axes have the file's order.
      let isPicture: Bool =
        value.isPicture && (keeps || Set(axes).isSuperset(of: [1, 2]) || Set(axes).contains(3))
      let source = isPicture ? value.id : try operation.written(0)
      let positions: [Int] = Set(axes).sorted().map { isPicture ? LiteValue.pictureAxis[$0] : $0 }
      let made = try operation.add(
        ReduceAxesOperator(
          mode, axes: positions.sorted(), keepsAxes: keeps, overflow: try operation.overflow),
        source)
      return [operation.result(made, like: isPicture && keeps)]
    }
  }

  private static func position(_ name: String, _ mode: ReductionMode) -> LiteOperatorReader {
    LiteOperatorReader(name) { operation in
      let axis: Int = try operation.axis(
        try operation.integers(1).first ?? 0, rank: try operation.rank(0))
      let value = try operation.value(0)
      // Comparing the channels of a picture needs no transposition, because the remaining axes have the file's order.
      let isPicture: Bool = value.isPicture && axis == 3
      let made = try operation.add(
        ReduceAxesOperator(mode, axes: [isPicture ? 1 : axis], keepsAxes: false),
        isPicture ? value.id : try operation.written(0))
      return [.written(try operation.converted(made, to: .int32))]
    }
  }
}
