import Graph
import Operators

/// Sorting, top-k, cumulative sums, and non-maximum suppression.
enum OrderingReaders {
  static let all: [OperationReader] = [
    OperationReader("argsort", as: [ArgSortOperator.self], .exact) { operation in
      let order = ArgSortOperator(
        axis: try operation.int("axis", or: -1),
        isDescending: !(try operation.bool("ascending", or: false)))
      let made = operation.add(order, try operation.tensor("x").id)
      return [.value(operation.cast(made, to: operation.outputs[0]))]
    },
    OperationReader("topk", as: [TopKOperator.self], .exact) { operation in try topK(operation) },
    OperationReader("cumsum", as: [CumSumOperator.self]) { operation in
      let sums = CumSumOperator(
        axis: try operation.int("axis", or: 0),
        isExclusive: try operation.bool("exclusive", or: false),
        isReversed: try operation.bool("reverse", or: false))
      return [.value(operation.add(sums, try operation.tensor("x").id))]
    },
    OperationReader("non_zero", as: [WhereNonZeroOperator.self], .exact) { operation in
      let x = try operation.tensor("x")
      let nonZero = operation.add(WhereNonZeroOperator(), operation.real(x))
      return [.value(operation.cast(nonZero, to: operation.outputs[0]))]
    },
    OperationReader("non_maximum_suppression", as: [NonMaximumSuppressionOperator.self], .exact) {
      operation in try suppression(operation)
    },
  ]

  /// Reads `topk`: the k largest or smallest elements along an axis. From iOS 17 on, k = −1 means all elements.
  private static func topK(_ operation: ProgramOperation) throws -> [ProgramResult] {
    let x = try operation.tensor("x")
    let rank: Int = try operation.rank("x")
    let axis: Int = try operation.axis("axis", or: -1, rank: rank)
    let count: Int = try operation.int("k", or: 1)
    let isBottom: Bool = try operation.bool("ascending", or: false)
    let selection = TopKOperator(axis: axis, count: count, isBottom: isBottom)
    let made: [Graph.ValueID]
    if count == -1, operation.opset >= .iOS17 {
      let extent = operation.add(
        SliceStaticOperator(slices: [AxisSlice(begin: axis, end: axis + 1)]),
        operation.add(GetShapeOperator(), x.id))
      made = operation.add(selection, [x.id, extent], outputs: 2)
    } else {
      guard count >= 0 else {
        throw operation.invalid("'k' is \(count), expected 0 or more.")
      }
      made = operation.add(selection, [x.id], outputs: 2)
    }
    guard try operation.bool("return_indices", or: true) else { return [.value(made[0])] }
    let type: WrittenType? = operation.outputs.count > 1 ? operation.outputs[1] : nil
    return [.value(made[0]), .value(operation.cast(made[1], to: type))]
  }

  /// Reads non-maximum suppression of boxes `[n, B, 4]`. From iOS 17 on, the boxes are `[n, 4, B]`, and the operation
  /// has neither a score threshold nor an output of counts.
  private static func suppression(_ operation: ProgramOperation) throws -> [ProgramResult] {
    let isPlanar: Bool = operation.opset >= .iOS17
    let exchange = TransposeOperator(axes: [0, 2, 1])
    let inputs: [Graph.ValueID] = try ["boxes", "scores"].map { name in
      let value = try operation.tensor(name).id
      guard try operation.rank(name) == 3 else {
        throw operation.invalid("'\(name)' has \(try operation.rank(name)) dimensions, expected 3.")
      }
      return isPlanar ? operation.add(exchange, value) : value
    }
    let most: Int = try operation.int("max_boxes")
    guard most >= 0 else { throw operation.invalid("'max_boxes' is \(most), expected 0 or more.") }
    let suppression = NonMaximumSuppressionOperator(
      overlapThreshold: try operation.float("iou_threshold"),
      scoreThreshold: isPlanar ? -.infinity : try operation.float("score_threshold"),
      maximumBoxes: most, isPerClass: try operation.bool("per_class_suppression", or: false))
    let made: [Graph.ValueID] = operation.add(suppression, inputs, outputs: 4)
    func cast(_ output: Int) -> ProgramResult {
      let type: WrittenType? = output < operation.outputs.count ? operation.outputs[output] : nil
      return .value(operation.cast(made[output], to: type))
    }
    if isPlanar {
      return made.prefix(2).map { .value(operation.add(exchange, $0)) } + [cast(2)]
    }
    return [.value(made[0]), .value(made[1]), cast(2), cast(3)]
  }
}
