import Graph
import Operators

/// Matrix products.
enum LinearReaders {
  static let all: [NodeReader] = [
    NodeReader("MatMul", as: [BatchedMatMulOperator.self]) { node in
      let (left, right) = (try node.tensor(0), try node.tensor(1))
      let made = try node.product(
        left.id, right.id, ranks: (node.rank(left), node.rank(right)), as: left.element)
      return [ONNXTensor(made, left.element)]
    },
    NodeReader("Gemm", as: [BatchedMatMulOperator.self]) { [try $0.generalProduct()] },
    NodeReader(
      "Einsum", as: [TransposeOperator.self, BatchedMatMulOperator.self, ReduceAxesOperator.self]
    ) { node in
      let tensors: [ONNXTensor] = try node.tensors()
      var sum = try EinsteinSum(node.string("equation"), node)
      let element: ElementType = tensors[0].element
      return [ONNXTensor(try sum.value(of: tensors.map(\.id), as: element), element)]
    },
    NodeReader("Det", as: [FormulaOperator.self]) { [try $0.determinant()] },
  ]
}

extension ONNXNode {
  /// Computes a matrix product over the last two axes. A vector on the left is a row. A vector on the right is a
  /// column.
  func product(
    _ left: Graph.ValueID, _ right: Graph.ValueID, ranks: (Int, Int),
    as element: ElementType = .float32
  ) throws -> Graph.ValueID {
    guard ranks.0 > 0, ranks.1 > 0 else {
      throw invalid("an operand is a scalar, expected at least one axis.")
    }
    let made = try add(
      BatchedMatMulOperator(overflow: element.overflowFromONNX), left, right)
    switch (ranks.0, ranks.1) {
    case (1, 1): return try reshaped(made, to: [])
    case (1, _): return try add(SqueezeOperator(axes: [-2]), made)
    case (_, 1): return try add(SqueezeOperator(axes: [-1]), made)
    default: return made
    }
  }

  /// Computes alpha · A′ × B′ + beta · C. A prime means that the node may transpose the matrix.
  fileprivate func generalProduct() throws -> ONNXTensor {
    let (a, b) = (try tensor(0), try tensor(1))
    guard try rank(a) == 2, try rank(b) == 2 else {
      throw invalid("A has \(try rank(a)) axes and B \(try rank(b)), expected 2.")
    }
    let (alpha, beta) = (float("alpha", or: 1), float("beta", or: 1))
    let (transposesA, transposesB) = (flag("transA"), flag("transB"))
    let c: ONNXTensor? = beta == 0 ? nil : try optional(2)
    let columns: Int? = try extents(b)[transposesB ? 0 : 1]
    // A bias with one number per column is fused into the matrix product.
    if !transposesA, alpha == 1, beta == 1, !a.element.isInteger, let columns, columns > 0,
      let weights = builder.constant(of: b.id), weights.count > 0
    {
      let shape: [Int?]? = try c.map { try extents($0) }
      let isRow: Bool =
        shape.map { $0.last == columns && $0.dropLast().allSatisfy { $0 == 1 } } ?? true
      if isRow {
        let matrix: Graph.ValueID =
          transposesB ? b.id : builder.addConstant(weights.transposedMatrix(), name: name)
        let bias: [Graph.ValueID] =
          try c.map { c in
            if let constant = builder.constant(of: c.id) {
              return [builder.addConstant(constant.reshaped(to: [columns]), name: name)]
            }
            return [shape?.count == 1 ? c.id : try reshaped(c.id, to: [columns])]
          } ?? []
        return ONNXTensor(try add(BatchedMatMulOperator.ofRows, [a.id, matrix] + bias), a.element)
      }
    }
    let product = BatchedMatMulOperator(
      transposesLeft: transposesA, transposesRight: transposesB,
      overflow: a.element.overflowFromONNX)
    if a.element.isHeldAsInteger, let alpha = alpha.integerValue, let beta = beta.integerValue {
      func times(_ value: Graph.ValueID, _ factor: Int64) throws -> Graph.ValueID {
        factor == 1
          ? value
          : try join(.multiply, value, constant(Double(factor), as: .int32), as: a.element)
      }
      var made = try times(add(product, a.id, b.id), alpha)
      if let c { made = try join(.add, made, times(c.id, beta), as: a.element) }
      return ONNXTensor(made, a.element)
    }
    var made = try add(product, real(a), real(b))
    made = try scaled(made, by: alpha)
    if let c { made = try join(.add, made, scaled(real(c), by: beta)) }
    return try held(made, as: a.element)
  }

  /// Computes the determinant of matrices whose size is known and at most 3 × 3. An explicit formula computes it,
  /// without pivoting.
  fileprivate func determinant() throws -> ONNXTensor {
    let x: ONNXTensor = try tensor(0)
    let extents: [Int?] = try extents(x)
    guard extents.count >= 2, let size = extents[extents.count - 1],
      extents[extents.count - 2] == size, (1...3).contains(size)
    else { throw unsupported("the matrices must be of known size and at most 3 × 3.") }
    let rank: Int = extents.count
    let rows = try reshaped(x.id, to: Array(repeating: 0, count: rank - 2) + [size * size])
    func element(_ row: Int, _ column: Int) -> Formula { .operand(row * size + column) }
    let formula: Formula
    switch size {
    case 1: formula = element(0, 0)
    case 2: formula = element(0, 0) * element(1, 1) - element(0, 1) * element(1, 0)
    default:
      func minor(_ a: Int, _ b: Int) -> Formula {
        element(1, a) * element(2, b) - element(1, b) * element(2, a)
      }
      formula =
        element(0, 0) * minor(1, 2) - element(0, 1) * minor(0, 2) + element(0, 2) * minor(0, 1)
    }
    let operands: [Graph.ValueID] = try (0..<size * size).map { row in
      let part = try sliced(rows, axis: rank - 2, rank: rank - 1, from: row, to: row + 1)
      return try squeezed(part, [rank - 2], rank: rank - 1)
    }
    return ONNXTensor(
      try add(FormulaOperator(formula, inputCount: size * size), operands), x.element)
  }
}
