import Graph
import Operators
import Tensors

extension KerasOperationReader {
  /// Elementwise operations on two tensors, or on a tensor and a number.
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
          WhereBroadcastableOperator(), parts.map(operation.context.kerasOrdered))
        return KerasTensor(made, rank: parts.map(\.rank).max() ?? 0)
      },
      KerasOperationReader("matmul", parameters: "x1|a y|x2|b transpose_a transpose_b") {
        try $0.product()
      },
    ]
}

extension KerasOperation {
  /// Computes `function(left, right)` element by element, with NumPy's broadcasting.
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
    // The result stays channels-first if an operand of the result's rank is channels-first. In that case, the other
    // operand must have the same rank, be a scalar, or be a constant. A constant is transposed here.
    let isFirst: Bool =
      pair.contains { $0.isChannelFirst && $0.rank == rank }
      && pair.allSatisfy { $0.rank == rank || $0.rank == 0 || fixed($0) != nil }
    let values: [Graph.ValueID] = try pair.map { tensor in
      guard isFirst, tensor.rank > 0 else { return try context.kerasOrdered(tensor) }
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

  /// Returns the values of a constant tensor in Keras's axis order. Nil if the tensor is not constant, or is
  /// channels-first.
  private func fixed(_ tensor: KerasTensor) -> Constant? {
    tensor.isChannelFirst ? nil : context.builder.constant(of: tensor.value)
  }

  /// Computes a matrix product over the last two axes.
  fileprivate func product() throws -> KerasTensor {
    let pair: [KerasTensor] = [try tensor("x1"), try tensor("y")]
    guard pair.allSatisfy({ $0.rank >= 2 }) else {
      throw context.unsupported(
        "its operands have \(pair[0].rank) and \(pair[1].rank) axes, expected 2 or more each.")
    }
    let operation = BatchedMatMulOperator(
      transposesLeft: try flag("transpose_a"), transposesRight: try flag("transpose_b"))
    let made = try context.add(operation, pair.map(context.kerasOrdered))
    return KerasTensor(made, rank: max(pair[0].rank, pair[1].rank))
  }
}
