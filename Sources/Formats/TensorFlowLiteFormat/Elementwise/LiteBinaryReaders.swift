import Graph
import Operators

/// Elementwise functions of two tensors.
enum LiteBinaryReaders {
  static let all: [LiteOperatorReader] =
    [
      function("ADD", .add, activation: 0), function("SUB", .subtract, activation: 0),
      function("MUL", .multiply, activation: 0), function("MAXIMUM", .maximum),
      function("MINIMUM", .minimum), function("FLOOR_DIV", .floorDivide),
      function("FLOOR_MOD", .modulo), function("DIV", .divide, activation: 0),
      function("POW", .power), squaredDifference, sum,
    ] + comparisons + logic + choices

  private static let comparisons: [LiteOperatorReader] = [
    truth("EQUAL", .isEqual), truth("NOT_EQUAL", .isNotEqual), truth("LESS", .isLess),
    truth("LESS_EQUAL", .isAtMost), truth("GREATER", .isGreater),
    truth("GREATER_EQUAL", .isAtLeast),
  ]

  private static let logic: [LiteOperatorReader] = [
    truth("LOGICAL_AND", .logicalAnd), truth("LOGICAL_OR", .logicalOr),
    LiteOperatorReader("LOGICAL_NOT", .any) { operation in
      [try operation.same(UnaryFunctionOperator(.logicalNot))]
    },
  ]

  private static let choices: [LiteOperatorReader] = [
    LiteOperatorReader("SELECT") { operation in
      var condition: Graph.ValueID = try operation.written(0)
      let (rank, wide) = (try operation.rank(0), try operation.rank(1))
      // If the condition has a single axis, each of its elements selects a whole row of the inputs.
      if rank == 1, wide > 1 {
        condition = try operation.add(
          ReshapeStaticOperator(targetShape: [-1] + [Int](repeating: 1, count: wide - 1)),
          condition, part: "rows")
      }
      return [
        try operation.chosen(condition, false, try operation.written(1), operation.written(2))
      ]
    },
    LiteOperatorReader("SELECT_V2", .any) { operation in
      let (values, isPicture) = try operation.aligned([0, 1, 2])
      return [try operation.chosen(values[0], isPicture, values[1], values[2])]
    },
  ]

  private static func function(
    _ name: String, _ function: BinaryFunction, activation: Int? = nil
  ) -> LiteOperatorReader {
    LiteOperatorReader(name, .any) { operation in
      let (values, isPicture) = try operation.aligned([0, 1])
      let made = try operation.add(
        BinaryFunctionOperator(function, overflow: try operation.overflow), values[0], values[1])
      let result: LiteResult = operation.result(made, like: isPicture)
      return [result.followed(by: try activation.map(operation.activation) ?? .none)]
    }
  }

  private static let squaredDifference = LiteOperatorReader("SQUARED_DIFFERENCE", .any) {
    operation in
    let (values, isPicture) = try operation.aligned([0, 1])
    let difference = try operation.add(
      BinaryFunctionOperator(.subtract, overflow: try operation.overflow), values[0], values[1],
      part: "difference")
    return [
      operation.result(
        try operation.add(
          BinaryFunctionOperator(.multiply, overflow: try operation.overflow), difference,
          difference),
        like: isPicture)
    ]
  }

  private static let sum = LiteOperatorReader("ADD_N", .any) { operation in
    guard operation.inputCount > 0 else { throw operation.invalid("it has no inputs.") }
    let (values, isPicture) = try operation.aligned(Array(0..<operation.inputCount))
    let made: Graph.ValueID = try values.dropFirst().reduce(values[0]) { sum, value in
      try operation.add(
        BinaryFunctionOperator(.add, overflow: try operation.overflow), sum, value)
    }
    return [operation.result(made, like: isPicture)]
  }

  /// Makes the reader of a comparison or a logical function. The graph stores truth values as 0 and 1 in `float32`.
  private static func truth(_ name: String, _ function: BinaryFunction) -> LiteOperatorReader {
    LiteOperatorReader(name, .any) { operation in
      let (values, isPicture) = try operation.aligned([0, 1])
      let made = try operation.add(BinaryFunctionOperator(function), values[0], values[1])
      return [
        operation.result(try operation.converted(made, to: .float32), like: isPicture)
      ]
    }
  }
}

extension LiteOperation {
  fileprivate func chosen(
    _ condition: Graph.ValueID, _ isPicture: Bool, _ yes: Graph.ValueID, _ no: Graph.ValueID
  ) throws -> LiteResult {
    result(
      try add(WhereBroadcastableOperator(), [condition, yes, no], outputs: 1)[0], like: isPicture)
  }
}
