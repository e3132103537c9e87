import Graph
import Operators

/// Functions of two tensors and more, element by element.
enum ArithmeticReaders {
  static let all: [NodeReader] =
    [
      arithmetic("Add", .add), arithmetic("Sub", .subtract), arithmetic("Mul", .multiply),
      NodeReader("Div", as: [BinaryFunctionOperator.self]) { [try $0.quotient()] },
      NodeReader("Mod", as: [BinaryFunctionOperator.self]) { [try $0.remainder()] },
      NodeReader("Pow", as: [BinaryFunctionOperator.self]) { [try $0.power()] },
      folding("Max", .maximum, .exact), folding("Min", .minimum, .exact), folding("Sum", .add),
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

  /// A function of two tensors of one type; whole numbers wrap around.
  private static func arithmetic(_ name: String, _ function: BinaryFunction) -> NodeReader {
    NodeReader(name, as: [BinaryFunctionOperator.self]) { node in
      let (left, right) = (try node.tensor(0), try node.tensor(1))
      guard left.element.isSmallWhole else {
        return [ONNXTensor(try node.join(function, left.id, right.id), left.element)]
      }
      let made = try node.join(function, node.whole(left), node.whole(right))
      return [try node.wrapped(made, as: left.element)]
    }
  }

  private static func folding(
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
  /// A quotient; of whole numbers the fraction is cut off, towards zero.
  fileprivate func quotient() throws -> ONNXTensor {
    let (left, right) = (try tensor(0), try tensor(1))
    guard left.element.isInteger else {
      return ONNXTensor(try join(.divide, left.id, right.id), left.element)
    }
    if let divisor = try constant(right)?.wholes, divisor.allSatisfy({ $0 > 0 }),
      [.uint8, .uint16, .uint32, .uint64].contains(left.element)
    {
      return ONNXTensor(try join(.floorDivide, left.id, right.id), left.element)
    }
    let size = try join(
      .floorDivide, map(.magnitude, left.id), map(.magnitude, right.id))
    let sign = try join(.multiply, map(.sign, left.id), map(.sign, right.id))
    return ONNXTensor(try join(.multiply, size, sign), left.element)
  }

  /// A remainder with the sign of the divisor, or with `fmod` that of what is divided.
  fileprivate func remainder() throws -> ONNXTensor {
    let (left, right) = (try tensor(0), try tensor(1))
    guard flag("fmod") else {
      let rest = try join(.modulo, left.id, right.id)
      guard left.element.isFloatingPoint else { return ONNXTensor(rest, left.element) }
      // By infinity nothing is divided: what has its sign stays, what has the other becomes it.
      let isEndless = try join(.isEqual, map(.magnitude, right.id), constant(.infinity))
      let hasOtherSign = try join(.isLess, join(.multiply, left.id, right.id), number: 0)
      let isNumber = try join(.isLess, map(.magnitude, left.id), constant(.infinity))
      let kept = try add(WhereBroadcastableOperator(), hasOtherSign, right.id, left.id)
      let both = try join(.logicalAnd, isEndless, isNumber)
      return ONNXTensor(try add(WhereBroadcastableOperator(), both, kept, rest), left.element)
    }
    let rest = try join(.modulo, map(.magnitude, left.id), map(.magnitude, right.id))
    return ONNXTensor(try join(.multiply, rest, map(.sign, left.id)), left.element)
  }

  /// A power, in the type of its base; of whole numbers the nearest one, as roots of floats come close to it.
  fileprivate func power() throws -> ONNXTensor {
    let (base, exponent) = (try tensor(0), try tensor(1))
    var made = try join(.power, real(base), real(exponent))
    if base.element.isInteger {
      // 3⁴ may come out a little below 81.
      made = try map(.floor, scaled(made, by: 1 + 0x1p-20, plus: 0x1p-10))
    }
    return try held(made, as: base.element)
  }
}
