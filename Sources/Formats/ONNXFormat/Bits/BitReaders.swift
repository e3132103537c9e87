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
      let direction: String = node.string("direction")
      guard direction == "LEFT" || direction == "RIGHT" else {
        throw node.invalid("the direction is '\(direction)', expected LEFT or RIGHT.")
      }
      return [try node.shifted(x, by: node.whole(count), isLeft: direction == "LEFT")]
    },
  ]

  /// A function of two bits, 0 or 1 each, applied to all bits of two numbers.
  private static func joining(
    _ name: String,
    _ function:
      @escaping @Sendable (ONNXNode, Graph.ValueID, Graph.ValueID) throws ->
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
  /// Bits moved; by no less than there are, or by less than none, they all go.
  fileprivate func shifted(_ x: ONNXTensor, by count: Graph.ValueID, isLeft: Bool) throws
    -> ONNXTensor
  {
    func whole(_ number: Int) -> Graph.ValueID {
      constant(ReferenceTensor([], wholes: [Int64(number)], .int32))
    }
    let bits: Int = min(x.element.bitCount, 32)
    // In two steps: 2³¹ is no `int32`.
    let first = try join(.minimum, join(.maximum, count, whole(0)), whole(30))
    let second = try join(
      .minimum, join(.maximum, join(.subtract, count, whole(30)), whole(0)), whole(1))
    var value: Graph.ValueID = try self.whole(x)
    for step in [first, second] {
      let power = try map(.powerOfTwo, add(CastOperator(to: .float32), step))
      let factor = try add(CastOperator(to: .int32), power)
      value = try join(isLeft ? .multiply : .floorDivide, value, factor)
    }
    let isOut = try join(
      .logicalOr, join(.isAtLeast, count, whole(bits)), join(.isLess, count, whole(0)))
    var rest: Graph.ValueID = whole(0)
    if !isLeft {
      let isNegative = try join(.isLess, self.whole(x), whole(0))
      rest = try join(.subtract, whole(0), isNegative)
    }
    let shape = try join(.multiply, value, whole(0))
    value = try add(WhereBroadcastableOperator(), isOut, join(.add, rest, shape), value)
    return try wrapped(value, as: x.element)
  }

  /// One bit of numbers held as `int32`, as 0 or 1; the last is the sign.
  fileprivate func bit(_ bit: Int, of value: Graph.ValueID) throws -> Graph.ValueID {
    if bit == 31 { return try join(.isLess, value, constant(0, as: .int32)) }
    let shifted = try join(
      .floorDivide, value, constant(ReferenceTensor([], wholes: [1 << bit], .int32)))
    return try join(.modulo, shifted, constant(2, as: .int32))
  }
}
