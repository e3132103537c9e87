import Graph
import Operators

/// Bitwise operations on integers. The graph computes them bit by bit, from sums and remainders.
enum BitReaders {
  static let all: [NodeReader] = [
    joining("BitwiseAnd") { node, left, right in try node.join(.multiply, left, right) },
    joining("BitwiseOr") { node, left, right in try node.join(.maximum, left, right) },
    joining("BitwiseXor") { node, left, right in try node.join(.isNotEqual, left, right) },
    NodeReader("BitwiseNot", as: [BinaryFunctionOperator.self], .exact) { node in
      let x: ONNXTensor = try node.tensor(0)
      let flipped = try node.join(.subtract, node.constant(-1, as: .int32), node.integer(x))
      return [try node.wrapped(flipped, as: x.element)]
    },
    NodeReader("BitShift", as: [BinaryFunctionOperator.self], .exact) { node in
      let (x, count) = (try node.tensor(0), try node.tensor(1))
      let direction: String = node.string("direction")
      guard direction == "LEFT" || direction == "RIGHT" else {
        throw node.invalid("the direction is '\(direction)', expected LEFT or RIGHT.")
      }
      return [try node.shifted(x, by: node.integer(count), isLeft: direction == "LEFT")]
    },
  ]

  /// Makes the reader of a bitwise operation from a function of two bits. A bit is 0 or 1.
  private static func joining(
    _ name: String,
    _ function:
      @escaping @Sendable (ONNXNode, Graph.ValueID, Graph.ValueID) throws ->
      Graph.ValueID
  ) -> NodeReader {
    NodeReader(name, as: [BinaryFunctionOperator.self], .exact) { node in
      let (left, right) = (try node.tensor(0), try node.tensor(1))
      let bits: Int = min(left.element.bitCount, 32)
      let operands: [Graph.ValueID] = [try node.integer(left), try node.integer(right)]
      var sum: Graph.ValueID?
      for bit in 0..<bits {
        let parts: [Graph.ValueID] = try operands.map { try node.bit(bit, of: $0) }
        let made = try function(node, parts[0], parts[1])
        let weight = Int64(Int32(truncatingIfNeeded: 1 << bit))
        let weighted = try node.join(
          .multiply, made, node.constant(ReferenceTensor([], integerValues: [weight], .int32)))
        sum = try sum.map { try node.join(.add, $0, weighted) } ?? weighted
      }
      return [try node.wrapped(sum ?? operands[0], as: left.element)]
    }
  }
}

extension ONNXNode {
  /// Shifts the bits of integers. A count that is negative or not below the type's width shifts all bits out: the
  /// result is −1 for a negative integer shifted to the right, else 0.
  fileprivate func shifted(_ x: ONNXTensor, by count: Graph.ValueID, isLeft: Bool) throws
    -> ONNXTensor
  {
    func integer(_ number: Int) -> Graph.ValueID {
      constant(ReferenceTensor([], integerValues: [Int64(number)], .int32))
    }
    let bits: Int = min(x.element.bitCount, 32)
    // The shift is done in two steps, because `int32` cannot hold the factor 2³¹.
    let first = try join(.minimum, join(.maximum, count, integer(0)), integer(30))
    let second = try join(
      .minimum, join(.maximum, join(.subtract, count, integer(30)), integer(0)), integer(1))
    var value: Graph.ValueID = try self.integer(x)
    for step in [first, second] {
      let power = try map(.powerOfTwo, add(CastOperator(to: .float32), step))
      let factor = try add(CastOperator(to: .int32), power)
      value = try join(isLeft ? .multiply : .floorDivide, value, factor)
    }
    let isOut = try join(
      .logicalOr, join(.isAtLeast, count, integer(bits)), join(.isLess, count, integer(0)))
    var rest: Graph.ValueID = integer(0)
    if !isLeft {
      let isNegative = try join(.isLess, self.integer(x), integer(0))
      rest = try join(.subtract, integer(0), isNegative)
    }
    let shape = try join(.multiply, value, integer(0))
    value = try add(WhereBroadcastableOperator(), isOut, join(.add, rest, shape), value)
    return try wrapped(value, as: x.element)
  }

  /// Returns one bit of each integer of an `int32` value, as 0 or 1. Bit 31 is the sign bit.
  fileprivate func bit(_ bit: Int, of value: Graph.ValueID) throws -> Graph.ValueID {
    if bit == 31 { return try join(.isLess, value, constant(0, as: .int32)) }
    let shifted = try join(
      .floorDivide, value, constant(ReferenceTensor([], integerValues: [1 << bit], .int32)))
    return try join(.modulo, shifted, constant(2, as: .int32))
  }
}
