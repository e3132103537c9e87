import Graph
import Operators

/// Normalisations and softmax.
enum LiteNormalizationReaders {
  static let all: [LiteOperatorReader] = [
    LiteOperatorReader("SOFTMAX", .any) { operation in
      let (value, axis) = try last(operation)
      let scaled = try scaled(operation, value.id)
      return [
        operation.result(
          try operation.add(SoftmaxNDOperator(axis: axis), scaled), like: value.isPicture)
      ]
    },
    LiteOperatorReader("LOG_SOFTMAX", .any) { operation in
      let (value, axis) = try last(operation)
      let total = try operation.add(
        ReduceAxesOperator(.logOfSumOfExponentials, axes: [axis], keepsAxes: true), value.id,
        part: "total")
      return [
        operation.result(
          try operation.add(BinaryFunctionOperator(.subtract), value.id, total),
          like: value.isPicture)
      ]
    },
    LiteOperatorReader("L2_NORMALIZATION", .any) { operation in
      let (value, axis) = try last(operation)
      let squares = try operation.add(
        ReduceAxesOperator(.sumOfSquares, axes: [axis], keepsAxes: true), value.id, part: "squares")
      let shifted = try operation.add(
        BinaryFunctionOperator(.maximum, number: 1e-12), squares, part: "least")
      let factor = try operation.add(
        UnaryOperator(.reciprocalSquareRoot(epsilon: 0)), shifted, part: "factor")
      return [
        operation.result(
          try operation.add(BinaryFunctionOperator(.multiply), value.id, factor),
          like: value.isPicture
        ).followed(by: try operation.activation(0))
      ]
    },
    LiteOperatorReader("LOCAL_RESPONSE_NORMALIZATION", .pictures([0])) { operation in
      let radius: Int = try operation.int(0)
      guard (0...1 << 20).contains(radius) else {
        throw operation.invalid("the radius is \(radius), expected 0 or more.")
      }
      let size: Int = 2 * radius + 1
      let (bias, alpha) = (try operation.float(1), try operation.float(2))
      return [
        .picture(
          try operation.add(
            LocalResponseNormalizationOperator(
              alpha: alpha * Float(size), beta: try operation.float(3), size: size, k: bias),
            try operation.picture(0)))
      ]
    },
  ]

  /// Returns the input, and the index that the file's last axis has in the graph's value.
  private static func last(_ operation: LiteOperation) throws -> (LiteValue, Int) {
    let value = try operation.value(0)
    let rank: Int = try operation.rank(0)
    guard rank > 0 else { throw operation.invalid("the input has no axes, expected one or more.") }
    return (value, operation.held(rank - 1, in: value))
  }

  private static func scaled(_ operation: LiteOperation, _ value: Graph.ValueID) throws
    -> Graph.ValueID
  {
    let beta: Float = try operation.float(0, or: 1)
    guard beta != 1 else { return value }
    return try operation.add(
      BinaryFunctionOperator(.multiply, number: beta), value, part: "scaled")
  }
}
