import Graph
import Operators

/// An einsum equation of two operands, such as `nchw,nwhu->nchu`. The graph computes the equation as a matrix product
/// of transposed operands.
///
/// A letter that both operands and the result have is a batch axis. Batch axes broadcast. The sum runs over the one
/// letter that both operands have but the result lacks. A letter that only one operand and the result have is the axis
/// of the rows or of the columns.
struct EinsumEquation {
  private let left: [Character]
  private let right: [Character]
  private let result: [Character]

  /// Parses an equation. Within an operand, each letter may occur once.
  init(_ text: String, _ operation: ProgramOperation) throws {
    let letters: String = text.filter { $0 != " " }
    let sides: [Substring] = letters.split(separator: ">", omittingEmptySubsequences: false)
    let operands: [Substring] =
      sides.first?.dropLast().split(separator: ",", omittingEmptySubsequences: false) ?? []
    guard sides.count == 2, sides[0].hasSuffix("-"), operands.count == 2,
      (operands + [sides[1]]).allSatisfy({ $0.allSatisfy(\.isLetter) })
    else {
      throw operation.invalid(
        "the equation is '\(text)', expected two operands and a result: 'nchw,nwhu->nchu'.")
    }
    (left, right, result) = (Array(operands[0]), Array(operands[1]), Array(sides[1]))
    let known: Set<Character> = Set(left).union(right)
    guard [left, right, result].allSatisfy({ Set($0).count == $0.count }),
      result.allSatisfy(known.contains)
    else {
      throw operation.unsupported(
        "the equation '\(text)' repeats a letter, or its result has one that no operand has.")
    }
    let batch: [Character] = self.batch
    guard summed.count == 1, rows.count <= 1, columns.count <= 1,
      batch.count + rows.count + columns.count == result.count,
      left.count == batch.count + rows.count + 1, right.count == batch.count + columns.count + 1
    else {
      throw operation.unsupported(
        "the equation '\(text)' is not a matrix product; expected one summed letter, and at most one letter in each operand that the other lacks."
      )
    }
  }

  private var batch: [Character] { result.filter { left.contains($0) && right.contains($0) } }
  private var rows: [Character] { result.filter { left.contains($0) && !right.contains($0) } }
  private var columns: [Character] { result.filter { right.contains($0) && !left.contains($0) } }
  private var summed: [Character] {
    left.filter { right.contains($0) && !result.contains($0) }
  }

  /// Computes the equation for two tensors as a matrix product.
  func product(
    _ x: ProgramTensor, _ y: ProgramTensor, _ operation: ProgramOperation
  ) throws -> Graph.ValueID {
    guard x.rank == left.count, y.rank == right.count else {
      throw operation.invalid(
        "the operands have \(x.rank ?? 0) and \(y.rank ?? 0) axes, expected \(left.count) and \(right.count), the letters of the equation."
      )
    }
    let isInteger: Bool = x.element.held.isInteger && y.element.held.isInteger
    var first = (isInteger ? x.id : operation.real(x))
      .transposed(left, to: batch + rows + summed, operation)
    var second = (isInteger ? y.id : operation.real(y))
      .transposed(right, to: batch + summed + columns, operation)
    if rows.isEmpty { first = operation.add(ExpandDimsOperator(axes: [-2]), first) }
    if columns.isEmpty { second = operation.add(ExpandDimsOperator(axes: [-1]), second) }
    var product = operation.add(BatchedMatMulOperator(), first, second)
    if result.isEmpty {
      product = operation.add(ReshapeStaticOperator(targetShape: []), product)
    } else if rows.isEmpty || columns.isEmpty {
      let gone: [Int] = (rows.isEmpty ? [-2] : []) + (columns.isEmpty ? [-1] : [])
      product = operation.add(SqueezeOperator(axes: gone), product)
    }
    let made = product.transposed(batch + rows + columns, to: result, operation)
    return isInteger ? made : operation.cast(made, to: operation.outputs[0])
  }
}

extension Graph.ValueID {
  /// Transposes a value. `names` are the letters of its axes, and `order` is the new order of these letters.
  fileprivate func transposed(
    _ names: [Character], to order: [Character], _ operation: ProgramOperation
  ) -> Graph.ValueID {
    let axes: [Int] = order.compactMap { names.firstIndex(of: $0) }
    return axes == Array(0..<axes.count) ? self : operation.add(TransposeOperator(axes: axes), self)
  }
}
