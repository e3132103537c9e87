import Graph
import Operators

/// Operations on the bits of whole numbers, put together bit by bit from sums and remainders.
enum BitReaders {
  static let all: [NodeReader] = [
    joining("BitwiseAnd") { node, left, right in try node.join(.multiply, left, right) },
    joining("BitwiseOr") { node, left, right in try node.join(.maximum, left, right) },
    joining("BitwiseXor") { node, left, right in try node.join(.isNotEqual, left, right) },
    NodeReader("BitwiseNot", as: [BinaryFunctionOperator.self], .exact) { node in
      let x: ONNXTensor = try node.tensor(0)
      let flipped = try node.join(.subtract, node.constant(-1, as: .int32), node.whole(x))
      return [try node.wrapped(flipped, as: x.element)]
    },
    NodeReader("BitShift", as: [BinaryFunctionOperator.self], .exact) { node in
      let (x, count) = (try node.tensor(0), try node.tensor(1))
      let power = try node.map(.powerOfTwo, node.real(count))
      let factor = try node.add(CastOperator(to: .int32), power)
      switch node.string("direction") {
      case "LEFT":
        return [try node.wrapped(node.join(.multiply, node.whole(x), factor), as: x.element)]
      case "RIGHT":
        return [try node.wrapped(node.join(.floorDivide, node.whole(x), factor), as: x.element)]
      case let other:
        throw node.invalid("the direction is '\(other)', expected LEFT or RIGHT.")
      }
    },
  ]

  /// A function of two bits, 0 or 1 each, applied to all bits of two numbers.
  private static func joining(
    _ name: String,
    _ function: @escaping @Sendable (ONNXNode, Graph.ValueID, Graph.ValueID) throws ->
      Graph.ValueID
  ) -> NodeReader {
    NodeReader(name, as: [BinaryFunctionOperator.self], .exact) { node in
      let (left, right) = (try node.tensor(0), try node.tensor(1))
      let bits: Int = min(left.element.bitCount, 32)
      let operands: [Graph.ValueID] = [try node.whole(left), try node.whole(right)]
      var sum: Graph.ValueID?
      for bit in 0..<bits {
        let parts: [Graph.ValueID] = try operands.map { try node.bit(bit, of: $0) }
        let made = try function(node, parts[0], parts[1])
        let weight = Int64(Int32(truncatingIfNeeded: 1 << bit))
        let weighted = try node.join(
          .multiply, made, node.constant(ReferenceTensor([], wholes: [weight], .int32)))
        sum = try sum.map { try node.join(.add, $0, weighted) } ?? weighted
      }
      return [try node.wrapped(sum ?? operands[0], as: left.element)]
    }
  }
}

extension ONNXNode {
  /// One bit of numbers held as `int32`, as 0 or 1; the last is the sign.
  fileprivate func bit(_ bit: Int, of value: Graph.ValueID) throws -> Graph.ValueID {
    if bit == 31 { return try join(.isLess, value, constant(0, as: .int32)) }
    let shifted = try join(
      .floorDivide, value, constant(ReferenceTensor([], wholes: [1 << bit], .int32)))
    return try join(.modulo, shifted, constant(2, as: .int32))
  }
}
