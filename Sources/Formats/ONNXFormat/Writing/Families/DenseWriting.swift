import Graph
import Operators

/// Matrix products and embeddings.
enum DenseWriting {
  static let all: [OperatorWriting] = [
    OperatorWriting(InnerProductOperator.self) { _, node in
      let rank: Int = try node.rank()
      guard rank >= 4 else { return try node.product(node.input(), rank: rank) }
      let x: String = try node.input()
      let leading: String = node.emit(
        "Slice", [node.shape(of: x), node.ints([0]), node.ints([rank - 3])])
      let rows: String = node.emit(
        "Reshape", [x, node.emit("Concat", [leading, node.ints([-1])], .int("axis", 0))])
      let made: String = try node.product(rows, rank: rank - 2)
      return node.emit("Unsqueeze", [made, node.ints([-2, -1])])
    },
    OperatorWriting(BatchedMatMulOperator.self) { operation, node in
      if operation.multipliesRows { return try node.product(node.input(), rank: node.rank()) }
      var sides: [String] = try node.inputs()
      for (side, transposes) in [operation.transposesLeft, operation.transposesRight].enumerated()
      where transposes {
        let rank: Int = try node.rank(side)
        guard rank >= 2 else {
          throw node.unsupported("it transposes a vector, expected a matrix.")
        }
        var axes = Array(0..<rank)
        axes.swapAt(rank - 1, rank - 2)
        sides[side] = node.transposed(sides[side], axes)
      }
      // For a vector, the graph's operator keeps the axis that makes it a row or a column. ONNX removes that axis.
      if try node.rank(0) == 1 { sides[0] = node.emit("Unsqueeze", [sides[0], node.ints([0])]) }
      if try node.rank(1) == 1 { sides[1] = node.emit("Unsqueeze", [sides[1], node.ints([1])]) }
      let made: String = node.emit(
        "MatMul", node.element().isInteger ? sides.map { node.cast($0, to: .int32) } : sides)
      return made
    },
    OperatorWriting(EmbeddingNDOperator.self) { _, node in
      let indices: String = node.emit("Squeeze", [try node.integerValues(0), node.ints([-1])])
      return try node.looked(up: indices)
    },
    OperatorWriting(EmbeddingOperator.self) { _, node in
      let rank: Int = try node.rank()
      let indices: String = node.emit(
        "Squeeze", [try node.integerValues(0), node.ints([rank - 3, rank - 2, rank - 1])])
      return node.emit("Unsqueeze", [try node.looked(up: indices), node.ints([-2, -1])])
    },
    OperatorWriting(DotOperator.self) { operation, node in
      let product: String = node.emit("Mul", try node.inputs())
      let sum: String = node.emit("ReduceSum", [product, node.ints([-3])])
      guard operation.isCosineSimilarity else { return sum }
      // If the norm of a vector is 0, the vector is divided by 1.
      let squares: [String] = try node.inputs().map {
        node.emit("ReduceSumSquare", [$0, node.ints([-3])])
      }
      let lengths: String = node.emit("Sqrt", [node.emit("Mul", squares)])
      let (zero, one) = (node.number(0), node.number(1))
      let isNone: String = node.emit("Equal", [lengths, zero])
      return node.emit(
        "Div",
        [
          node.emit("Where", [isNone, zero, sum]), node.emit("Where", [isNone, one, lengths]),
        ])
    },
  ]
}

extension NodeContext {
  /// Multiplies rows by the transpose of the second input, a matrix, and adds a bias.
  fileprivate func product(_ rows: String, rank: Int) throws -> String {
    let bias: [String] = node.inputs.count > 2 ? [try input(2)] : []
    if rank == 2, !element().isInteger {
      let flat: [String] = bias.map { reshaped($0, to: [-1]) }
      return emit("Gemm", [rows, try input(1)] + flat, .int("transB", 1))
    }
    let made: String = emit("MatMul", [rows, transposed(try input(1), [1, 0])])
    return bias.isEmpty ? made : emit("Add", [made, reshaped(bias[0], to: [-1])])
  }

  /// Gathers the columns of the second input at indices, moves the gathered columns to the last axis, and adds a bias.
  fileprivate func looked(up indices: String) throws -> String {
    let rows: String = transposed(try input(1), [1, 0])
    let made: String = emit("Gather", [rows, indices], .int("axis", 0))
    return node.inputs.count > 2 ? emit("Add", [made, reshaped(try input(2), to: [-1])]) : made
  }
}
