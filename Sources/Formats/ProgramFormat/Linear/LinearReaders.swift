import Graph
import Operators

/// Matrix products.
///
/// From iOS 17 on, one operand may be a constant whose element type differs from that of the other operand. The result
/// has the type of the operand that is not constant.
enum LinearReaders {
  static let all: [OperationReader] = [
    OperationReader("linear", as: [BatchedMatMulOperator.self]) { operation in
      let operands: [ProgramTensor] =
        [try operation.tensor("x"), try operation.tensor("weight")]
        + [try operation.optionalTensor("bias")].compactMap { $0 }
      return [.value(operation.product(.ofRows, operands))]
    },
    OperationReader("matmul", as: [BatchedMatMulOperator.self]) { operation in
      let (x, y) = (try operation.tensor("x"), try operation.tensor("y"))
      let (left, right) = (try operation.rank("x"), try operation.rank("y"))
      // `transpose_x` and `transpose_y` do not apply to vectors.
      let transposes: (Bool, Bool) = (
        left > 1 ? try operation.bool("transpose_x", or: false) : false,
        right > 1 ? try operation.bool("transpose_y", or: false) : false
      )
      var product = operation.product(
        BatchedMatMulOperator(transposesLeft: transposes.0, transposesRight: transposes.1), [x, y])
      if left == 1, right == 1 {
        product = operation.add(ReshapeStaticOperator(targetShape: []), product)
      } else if left == 1 || right == 1 {
        product = operation.add(SqueezeOperator(axes: [left == 1 ? -2 : -1]), product)
      }
      return [.value(product)]
    },
    OperationReader("einsum", as: [TransposeOperator.self, BatchedMatMulOperator.self]) {
      operation in
      let values = try operation.tensors("values")
      guard values.count == 2 else {
        throw operation.invalid("'values' holds \(values.count) tensors, expected 2.")
      }
      let equation = try EinsumEquation(try operation.string("equation"), operation)
      return [.value(try equation.product(values[0], values[1], operation))]
    },
  ]
}

extension ProgramOperation {
  /// Adds a matrix product. The result has the type that the program states. If all operands are integers, the product
  /// computes with integers.
  func product(_ product: BatchedMatMulOperator, _ operands: [ProgramTensor]) -> Graph.ValueID {
    if operands.allSatisfy(\.element.held.isInteger) { return add(product, operands.map(\.id)) }
    return cast(add(product, operands.map { real($0) }), to: outputs[0])
  }
}
