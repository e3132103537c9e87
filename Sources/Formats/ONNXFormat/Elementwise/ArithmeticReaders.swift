import Graph
import Operators

/// Elementwise functions of two or more tensors.
enum ArithmeticReaders {
  static let all: [NodeReader] =
    [
      arithmetic("Add", .add), arithmetic("Sub", .subtract), arithmetic("Mul", .multiply),
      NodeReader("Div", as: [BinaryFunctionOperator.self]) { [try $0.quotient()] },
      NodeReader("Mod", as: [BinaryFunctionOperator.self]) { [try $0.remainder()] },
      NodeReader("Pow", as: [BinaryFunctionOperator.self]) { [try $0.power()] },
      variadic("Max", .maximum, .exact), variadic("Min", .minimum, .exact), variadic("Sum", .add),
      NodeReader("Mean", as: [BinaryFunctionOperator.self]) { node in
        let tensors: [ONNXTensor] = try node.tensors()
        var value: Graph.ValueID = tensors[0].id
        for other in tensors.dropFirst() { value = try node.join(.add, value, other.id) }
        return [
          ONNXTensor(
            try node.scaled(value, by: 1 / Float(tensors.count)), tensors[0].element)
        ]
      },
    ] + comparisons + logic + choices

  private static let comparisons: [NodeReader] = [
    truth("Equal", .isEqual), truth("Greater", .isGreater), truth("Less", .isLess),
    truth("GreaterOrEqual", .isAtLeast), truth("LessOrEqual", .isAtMost),
  ]

  private static let logic: [NodeReader] = [
    truth("And", .logicalAnd), truth("Or", .logicalOr), truth("Xor", .logicalXor),
    NodeReader("Not", as: [UnaryFunctionOperator.self], .exact) { node in
      [ONNXTensor(try node.map(.logicalNot, node.tensor(0).id), .bool)]
    },
  ]

  private static let choices: [NodeReader] = [
    NodeReader("Where", as: [WhereBroadcastableOperator.self], .exact) { node in
      let (yes, no) = (try node.tensor(1), try node.tensor(2))
      return [
        ONNXTensor(
          try node.add(WhereBroadcastableOperator(), node.tensor(0).id, yes.id, no.id), yes.element)
      ]
    }
  ]

  /// Makes the reader of a function of two tensors. Both tensors have the same element type.
  private static func arithmetic(_ name: String, _ function: BinaryFunction) -> NodeReader {
    NodeReader(name, as: [BinaryFunctionOperator.self]) { node in
      let (left, right) = (try node.tensor(0), try node.tensor(1))
      guard left.element.isSmallInteger else {
        return [
          ONNXTensor(
            try node.join(function, left.id, right.id, as: left.element), left.element)
        ]
      }
      let made = try node.join(function, node.integer(left), node.integer(right))
      return [try node.wrapped(made, as: left.element)]
    }
  }

  private static func variadic(
    _ name: String, _ function: BinaryFunction, _ rounding: NodeReader.Rounding = .computed
  ) -> NodeReader {
    NodeReader(name, as: [BinaryFunctionOperator.self], rounding) { node in
      let tensors: [ONNXTensor] = try node.tensors()
      var value: Graph.ValueID = tensors[0].id
      for other in tensors.dropFirst() { value = try node.join(function, value, other.id) }
      return [ONNXTensor(value, tensors[0].element)]
    }
  }

  private static func truth(_ name: String, _ function: BinaryFunction) -> NodeReader {
    NodeReader(name, as: [BinaryFunctionOperator.self], .exact) { node in
      let (left, right) = (try node.tensor(0), try node.tensor(1))
      return [try node.truth(node.join(function, left.id, right.id), of: left.element)]
    }
  }
}

extension ONNXNode {
  /// Computes a quotient. A quotient of integers is truncated towards zero.
  fileprivate func quotient() throws -> ONNXTensor {
    let (left, right) = (try tensor(0), try tensor(1))
    guard left.element.isInteger else {
      return ONNXTensor(try join(.divide, left.id, right.id), left.element)
    }
    return try wrapped(
      join(.divide, integer(left), integer(right), as: left.element), as: left.element)
  }

  /// Computes a remainder. The remainder has the sign of the divisor. If the attribute `fmod` is set, it has the sign
  /// of the dividend.
  fileprivate func remainder() throws -> ONNXTensor {
    let (left, right) = (try tensor(0), try tensor(1))
    if left.element.isInteger {
      let (x, divisor) = (try integer(left), try integer(right))
      guard flag("fmod") else {
        return try wrapped(join(.modulo, x, divisor), as: left.element)
      }
      // The remainder is dividend − truncated quotient · divisor.
      let multiple = try join(.multiply, join(.divide, x, divisor), divisor)
      return try wrapped(join(.subtract, x, multiple), as: left.element)
    }
    guard flag("fmod") else {
      let rest = try join(.modulo, left.id, right.id)
      // For an infinite divisor, the remainder is the dividend if dividend and divisor have the same sign, else the
      // divisor.
      let isEndless = try join(.isEqual, map(.magnitude, right.id), constant(.infinity))
      let hasOtherSign = try join(.isLess, join(.multiply, left.id, right.id), number: 0)
      let isNumber = try join(.isLess, map(.magnitude, left.id), constant(.infinity))
      let finite = try add(WhereBroadcastableOperator(), hasOtherSign, right.id, left.id)
      let both = try join(.logicalAnd, isEndless, isNumber)
      return ONNXTensor(try add(WhereBroadcastableOperator(), both, finite, rest), left.element)
    }
    let rest = try join(.modulo, map(.magnitude, left.id), map(.magnitude, right.id))
    return ONNXTensor(try join(.multiply, rest, map(.sign, left.id)), left.element)
  }

  /// Computes a power. The result has the type of the base. A power of integers is exact. If an integer has a
  /// fractional exponent, the power is computed in `Double` and truncated.
  fileprivate func power() throws -> ONNXTensor {
    let (base, exponent) = (try tensor(0), try tensor(1))
    guard base.element.isInteger else {
      return ONNXTensor(try join(.power, real(base), real(exponent)), base.element)
    }
    var powers: Graph.ValueID = exponent.element.isInteger ? try integer(exponent) : exponent.id
    if let known = try constant(exponent), known.element.isFloatingPoint,
      known.reals.allSatisfy({ Int32(exactly: $0) != nil })
    {
      powers = constant(known.converted(to: .int32))
    }
    return try wrapped(
      join(.power, integer(base), powers, as: base.element), as: base.element)
  }
}
