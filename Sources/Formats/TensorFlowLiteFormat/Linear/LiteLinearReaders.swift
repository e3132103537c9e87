import Graph
import Operators

/// Matrix products.
enum LiteLinearReaders {
  static let all: [LiteOperatorReader] = [
    LiteOperatorReader("FULLY_CONNECTED") { operation in
      guard try operation.byte(1) == 0 else {
        throw EngineError(
          .unsupported, "its weights are stored shuffled, expected the default format.")
      }
      let shape: [Int] = try operation.shape(1, axes: 2)
      var rows = try operation.written(0)
      let extents: [Int?]? = try operation.extents(0)
      let keeps: Bool = try operation.bool(2)
      if !keeps || extents?.count == 1, extents?.count != 2 || extents?[1] != shape[1] {
        rows = try operation.add(
          ReshapeStaticOperator(targetShape: [-1, shape[1]]), rows, part: "rows")
      }
      var inputs: [Graph.ValueID] = [rows, try operation.written(1)]
      if operation.has(2) { inputs.append(try operation.written(2)) }
      let made = try operation.add(BatchedMatMulOperator.ofRows, inputs, outputs: 1)[0]
      return [LiteResult.written(made).followed(by: try operation.activation(0))]
    },
    LiteOperatorReader("BATCH_MATMUL") { operation in
      let product = BatchedMatMulOperator(
        transposesLeft: try operation.bool(0), transposesRight: try operation.bool(1))
      return [
        .written(try operation.add(product, try operation.written(0), try operation.written(1)))
      ]
    },
  ]
}
