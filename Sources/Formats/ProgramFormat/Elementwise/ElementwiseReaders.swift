import Graph
import Operators

/// Elementwise functions of one or two tensors.
enum ElementwiseReaders {
  static let all: [OperationReader] =
    [
      binary("add", .add), binary("sub", .subtract), binary("mul", .multiply),
      binary("maximum", .maximum, .exact), binary("minimum", .minimum, .exact),
      binary("mod", .modulo), binary("floor_div", .floorDivide),
      OperationReader("real_div", as: [BinaryFunctionOperator.self]) { operation in
        try real(operation, .divide)
      },
      OperationReader("pow", as: [BinaryFunctionOperator.self]) { operation in
        try real(operation, .power)
      },
    ] + comparisons + logic + choices

  private static let choices: [OperationReader] = [
    OperationReader("cast", as: [CastOperator.self]) { operation in
      let x = try operation.tensor("x")
      guard let element = operation.outputs[0]?.element else {
        throw operation.invalid("the output is not a tensor.")
      }
      return [.value(operation.converted(x, to: element))]
    },
    OperationReader("select", as: [WhereBroadcastableOperator.self], .exact) { operation in
      let inputs: [Graph.ValueID] = try ["cond", "a", "b"].map { try operation.tensor($0).id }
      return [.value(operation.add(WhereBroadcastableOperator(), inputs))]
    },
    OperationReader("identity", as: [], .exact) { operation in
      [.same(try operation.value("x"))]
    },
  ]

  private static let comparisons: [OperationReader] = [
    truth("equal", .isEqual), truth("not_equal", .isNotEqual), truth("less", .isLess),
    truth("less_equal", .isAtMost), truth("greater", .isGreater),
    truth("greater_equal", .isAtLeast),
  ]

  private static let logic: [OperationReader] =
    [
      truth("logical_and", .logicalAnd), truth("logical_or", .logicalOr),
      truth("logical_xor", .logicalXor),
      OperationReader("logical_not", as: [UnaryFunctionOperator.self], .exact) { operation in
        [.value(operation.add(UnaryFunctionOperator(.logicalNot), try operation.tensor("x").id))]
      },
    ]

  /// Makes the reader of a function of two tensors. Both tensors have the same element type.
  private static func binary(
    _ name: String, _ function: BinaryFunction, _ rounding: OperationReader.Rounding = .computed
  ) -> OperationReader {
    OperationReader(name, as: [BinaryFunctionOperator.self], rounding) { operation in
      let (x, y) = (try operation.tensor("x"), try operation.tensor("y"))
      return [.value(operation.add(BinaryFunctionOperator(function), x.id, y.id))]
    }
  }

  /// Makes the reader of a comparison or a logical function of two tensors.
  private static func truth(_ name: String, _ function: BinaryFunction) -> OperationReader {
    OperationReader(name, as: [BinaryFunctionOperator.self], .exact) { operation in
      let (x, y) = (try operation.tensor("x"), try operation.tensor("y"))
      let made = operation.add(BinaryFunctionOperator(function), x.id, y.id)
      guard x.element.held.isInteger else { return [.value(made)] }
      return [.value(operation.add(CastOperator(to: .float32), made))]
    }
  }

  /// Adds a function whose result may be fractional. If both tensors hold integers, the result is truncated.
  private static func real(
    _ operation: ProgramOperation, _ function: BinaryFunction
  ) throws -> [ProgramResult] {
    let (x, y) = (try operation.tensor("x"), try operation.tensor("y"))
    if x.element.held.isInteger, y.element.held.isInteger {
      return [.value(operation.add(BinaryFunctionOperator(function), x.id, y.id))]
    }
    let made = operation.add(
      BinaryFunctionOperator(function), operation.real(x), operation.real(y))
    return [.value(operation.cast(made, to: operation.outputs[0]))]
  }
}

extension ProgramOperation {
  /// Casts a tensor to another element type of the program. Casts from floating-point types to integer types truncate
  /// towards zero and clamp to the range of `int32`. For a cast to `float16`, the caller must round the result.
  package func converted(_ tensor: ProgramTensor, to element: ElementType) -> Graph.ValueID {
    var value: Graph.ValueID = tensor.id
    let isInteger: Bool = tensor.element.isInteger
    if element == .bool {
      let zero = constant(0, as: tensor.element)
      value = add(BinaryFunctionOperator(.isNotEqual), value, zero)
      return tensor.element.held.isInteger ? add(CastOperator(to: .float32), value) : value
    }
    if tensor.element.held != element.held {
      return add(CastOperator(to: element.held), value)
    }
    guard element.isInteger, !element.held.isInteger, !isInteger else { return value }
    // The graph stores small integers as float32. A cast to int32 and back removes the fraction.
    value = add(CastOperator(to: .int32), value)
    return add(CastOperator(to: .float32), value)
  }

  /// Returns a tensor as `float32`. Casts the tensor if necessary.
  package func real(_ tensor: ProgramTensor) -> Graph.ValueID {
    tensor.element.held.isInteger ? add(CastOperator(to: .float32), tensor.id) : tensor.id
  }

  /// Casts a `float32` result to the type in which the graph stores elements of the program's type `type`.
  package func cast(_ value: Graph.ValueID, to type: WrittenType?) -> Graph.ValueID {
    guard let element = type?.element, element.held.isInteger else { return value }
    return add(CastOperator(to: element.held), value)
  }
}
