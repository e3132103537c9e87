import Graph
import Operators

/// Functions of one and of two tensors, element by element.
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
        throw operation.invalid("the output is no tensor.")
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

  /// A function of two tensors of one element type.
  private static func binary(
    _ name: String, _ function: BinaryFunction, _ rounding: OperationReader.Rounding = .computed
  ) -> OperationReader {
    OperationReader(name, as: [BinaryFunctionOperator.self], rounding) { operation in
      let (x, y) = (try operation.tensor("x"), try operation.tensor("y"))
      return [.value(operation.add(BinaryFunctionOperator(function), x.id, y.id))]
    }
  }

  /// A function of two tensors that gives truth values.
  private static func truth(_ name: String, _ function: BinaryFunction) -> OperationReader {
    OperationReader(name, as: [BinaryFunctionOperator.self], .exact) { operation in
      let (x, y) = (try operation.tensor("x"), try operation.tensor("y"))
      let made = operation.add(BinaryFunctionOperator(function), x.id, y.id)
      guard x.element.held.isInteger else { return [.value(made)] }
      return [.value(operation.add(CastOperator(to: .float32), made))]
    }
  }

  /// A function whose result has a fraction; that of two integers is cut off.
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
  /// A tensor in another written type. What a type cannot hold is cut off towards zero and kept to its range;
  /// the caller rounds what becomes `float16`.
  package func converted(_ tensor: ProgramTensor, to element: ElementType) -> Graph.ValueID {
    var value: Graph.ValueID = tensor.id
    let isWhole: Bool = tensor.element.isInteger
    if element == .bool {
      let zero = constant(0, as: tensor.element)
      value = add(BinaryFunctionOperator(.isNotEqual), value, zero)
      return tensor.element.held.isInteger ? add(CastOperator(to: .float32), value) : value
    }
    if tensor.element.held != element.held {
      return add(CastOperator(to: element.held), value)
    }
    guard element.isInteger, !element.held.isInteger, !isWhole else { return value }
    // Small whole numbers are held as float32: the fraction goes by way of int32.
    value = add(CastOperator(to: .int32), value)
    return add(CastOperator(to: .float32), value)
  }

  /// A tensor as `float32`, whatever it holds.
  package func real(_ tensor: ProgramTensor) -> Graph.ValueID {
    tensor.element.held.isInteger ? add(CastOperator(to: .float32), tensor.id) : tensor.id
  }

  /// What was computed as `float32` in the type in which the graph holds what the program writes.
  package func cast(_ value: Graph.ValueID, to type: WrittenType?) -> Graph.ValueID {
    guard let element = type?.element, element.held.isInteger else { return value }
    return add(CastOperator(to: element.held), value)
  }
}
