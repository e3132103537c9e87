import Graph
import Operators

/// Pooling.
enum LitePoolingReaders {
  static let all: [LiteOperatorReader] = [
    LiteOperatorReader("AVERAGE_POOL_2D", .pictures([0])) { operation in
      let made = try operation.add(try pooling(.average, operation), try operation.picture(0))
      return [LiteResult.picture(made).followed(by: try operation.activation(5))]
    },
    LiteOperatorReader("MAX_POOL_2D", .pictures([0])) { operation in
      let made = try operation.add(try pooling(.maximum, operation), try operation.picture(0))
      return [
        LiteResult.picture(made, grid: try operation.value(0).grid)
          .followed(by: try operation.activation(5))
      ]
    },
    // L2 pooling computes the root mean square of a window.
    LiteOperatorReader("L2_POOL_2D", .pictures([0])) { operation in
      let picture = try operation.picture(0)
      let squares = try operation.add(
        BinaryFunctionOperator(.multiply), picture, picture, part: "squares")
      let means = try operation.add(try pooling(.average, operation), squares, part: "means")
      let made = try operation.add(UnaryFunctionOperator(.squareRoot), means)
      return [LiteResult.picture(made).followed(by: try operation.activation(5))]
    },
  ]

  private static func pooling(_ kind: PoolingOperator.Kind, _ operation: LiteOperation) throws
    -> PoolingOperator
  {
    PoolingOperator(
      kind, kernelHeight: try operation.size(4, or: 1, "the window's height"),
      kernelWidth: try operation.size(3, or: 1, "the window's width"),
      strideHeight: try operation.size(2, or: 1, "the stride"),
      strideWidth: try operation.size(1, or: 1, "the stride"),
      padding: try operation.isSamePadding
        ? .same(topLeftHeavy: false) : .valid(top: 0, bottom: 0, left: 0, right: 0),
      excludesPadding: true)
  }
}
