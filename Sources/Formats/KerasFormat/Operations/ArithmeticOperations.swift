import Graph
import Operators
import Tensors

extension KerasOperationReader {
  /// Operations that join two tensors, or a tensor and numbers, element by element.
  static let arithmetic: [KerasOperationReader] =
    [
      (["add"], .add), (["subtract", "sub"], .subtract), (["multiply", "mul"], .multiply),
      (["divide", "true_divide", "truediv", "div"], .divide), (["maximum"], .maximum),
      (["minimum"], .minimum), (["power", "pow"], .power), (["mod", "floormod"], .modulo),
      (["floor_divide", "floordiv", "floor_div"], .floorDivide), (["greater"], .isGreater),
      (["greater_equal"], .isAtLeast), (["less"], .isLess), (["less_equal"], .isAtMost),
      (["equal"], .isEqual), (["not_equal"], .isNotEqual), (["logical_and"], .logicalAnd),
      (["logical_or"], .logicalOr), (["logical_xor"], .logicalXor),
    ].map { (names: [String], function: BinaryFunction) in
      KerasOperationReader(list: names, parameters: "x1|x|a y|x2|b") {
        try $0.joined(function, $0.argument("x1"), $0.argument("y"))
      }
    } + [
      KerasOperationReader("squared_difference", parameters: "x y") { operation in
        let difference = try operation.joined(
          .subtract, operation.argument("x"), operation.argument("y"))
        return try operation.joined(.multiply, .tensor(difference), .tensor(difference))
      },
      KerasOperationReader("bias_add", parameters: "value bias data_format") { operation in
        guard try operation.text("data_format", or: "NHWC").hasSuffix("C") else {
          throw operation.wrong("data_format", "NHWC")
        }
        return try operation.joined(
          .add, operation.argument("value"), operation.argument("bias"))
      },
      KerasOperationReader("where", parameters: "condition x|x1 y|x2") { operation in
        let parts: [KerasTensor] = try ["condition", "x", "y"].map { try operation.tensor($0) }
        let made = try operation.context.add(
          WhereBroadcastableOperator(), parts.map(operation.context.natural))
        return KerasTensor(made, rank: parts.map(\.rank).max() ?? 0)
      },
      KerasOperationReader("matmul", parameters: "x1|a y|x2|b transpose_a transpose_b") {
        try $0.product()
      },
    ]
}

extension KerasOperation {
  /// `function(left, right)` element by element, broadcast as NumPy does.
  func joined(_ function: BinaryFunction, _ left: KerasArgument, _ right: KerasArgument) throws
    -> KerasTensor
  {
    if case .tensor(let x) = left, x.rank > 0, let number = scalar(right) {
      return KerasTensor(
        try context.number(function, x.value, number), rank: x.rank,
        isChannelFirst: x.isChannelFirst)
    }
    let pair: [KerasTensor] = [try context.tensor(left), try context.tensor(right)]
    let rank: Int = max(pair[0].rank, pair[1].rank)
    // Channels stay in front where the other operand is one number, of the same rank, or can be turned as well.
    let isFirst: Bool =
      pair.contains { $0.isChannelFirst && $0.rank == rank }
      && pair.allSatisfy { $0.rank == rank || $0.rank == 0 || fixed($0) != nil }
    let values: [Graph.ValueID] = try pair.map { tensor in
      guard isFirst, tensor.rank > 0 else { return try context.natural(tensor) }
      guard tensor.rank < rank, let numbers = fixed(tensor) else {
        return try context.channelFirst(tensor)
      }
      let shape: Shape = numbers.shape.padded(toRank: rank)
      return context.constant(
        numbers.reshaped(to: shape).transposed(KerasTensor.toChannelFirst(rank)), "constant")
    }
    let made = try context.add(BinaryFunctionOperator(function), values)
    return KerasTensor(made, rank: rank, isChannelFirst: isFirst)
  }

  private func scalar(_ argument: KerasArgument) -> Double? {
    switch argument {
    case .number(let number): number
    case .truth(let truth): truth ? 1 : 0
    case .array(let array) where array.shape.rank == 0: array.reals[0]
    default: nil
    }
  }

  /// The numbers of a tensor that does not change and is held as Keras has it; nil for others.
  private func fixed(_ tensor: KerasTensor) -> Constant? {
    tensor.isChannelFirst ? nil : context.builder.constant(of: tensor.value)
  }

  /// A product of matrices in the last two axes.
  fileprivate func product() throws -> KerasTensor {
    let pair: [KerasTensor] = [try tensor("x1"), try tensor("y")]
    guard pair.allSatisfy({ $0.rank >= 2 }) else {
      throw context.unsupported(
        "its operands have \(pair[0].rank) and \(pair[1].rank) axes, expected 2 or more each.")
    }
    let operation = BatchedMatMulOperator(
      transposesLeft: try flag("transpose_a"), transposesRight: try flag("transpose_b"))
    let made = try context.add(operation, pair.map(context.natural))
    return KerasTensor(made, rank: max(pair[0].rank, pair[1].rank))
  }
}
