import Graph
import Operators

/// Elementwise functions of one tensor.
enum LiteUnaryReaders {
  static let all: [LiteOperatorReader] =
    [
      function("EXP", .exponential), function("LOG", .logarithm), function("SQRT", .squareRoot),
      function("SIN", .sine), function("COS", .cosine), function("FLOOR", .floor),
      function("CEIL", .ceiling), function("ROUND", .round), function("LOGISTIC", .sigmoid),
      function("TANH", .tanh),
      LiteOperatorReader("RSQRT", .any) { operation in
        [try operation.same(UnaryOperator(.reciprocalSquareRoot(epsilon: 0)))]
      },
    ] + signs + rectifiers + types

  /// Functions that LiteRT also computes for integers.
  private static let signs: [LiteOperatorReader] = [
    LiteOperatorReader("NEG", .any) { operation in
      let value = try operation.value(0)
      let zero = operation.scalar(0, operation.element(of: value.id))
      return [
        operation.result(
          try operation.add(
            BinaryFunctionOperator(.subtract, overflow: try operation.overflow), zero, value.id),
          like: value.isPicture)
      ]
    },
    LiteOperatorReader("ABS", .any) { operation in
      let value = try operation.value(0)
      guard operation.element(of: value.id).isInteger else {
        return [try operation.same(UnaryFunctionOperator(.magnitude))]
      }
      let zero = operation.scalar(0, .int32)
      let opposite = try operation.add(
        BinaryFunctionOperator(.subtract, overflow: try operation.overflow), zero, value.id,
        part: "opposite")
      return [
        operation.result(
          try operation.add(BinaryFunctionOperator(.maximum), value.id, opposite),
          like: value.isPicture)
      ]
    },
    LiteOperatorReader("SIGN", .any) { operation in
      let element = operation.element(of: try operation.value(0).id)
      var result = try operation.same(UnaryFunctionOperator(.sign))
      result.id = try operation.converted(result.id, to: element)
      return [result]
    },
    LiteOperatorReader("SQUARE", .any) { operation in
      let value = try operation.value(0)
      return [
        operation.result(
          try operation.add(
            BinaryFunctionOperator(.multiply, overflow: try operation.overflow), value.id, value.id),
          like: value.isPicture)
      ]
    },
  ]

  private static let rectifiers: [LiteOperatorReader] = [
    bounds("RELU", 0, .infinity), bounds("RELU6", 0, 6), bounds("RELU_N1_TO_1", -1, 1),
    bounds("RELU_0_TO_1", 0, 1),
    LiteOperatorReader("LEAKY_RELU", .any) { operation in
      [try operation.same(ActivationOperator(.leakyReLU(alpha: try operation.float(0))))]
    },
    LiteOperatorReader("ELU", .any) { operation in
      [try operation.same(ActivationOperator(.elu(alpha: 1)))]
    },
    LiteOperatorReader("GELU", .any) { operation in
      [try operation.same(GeluOperator(try operation.bool(0) ? .tanhApproximation : .exact))]
    },
    LiteOperatorReader("HARD_SWISH", .any) { operation in
      let value = try operation.value(0)
      let gate = try operation.add(
        ActivationOperator(.sigmoidHard(alpha: 1 / 6, beta: 0.5)), value.id, part: "gate")
      return [
        operation.result(
          try operation.add(BinaryFunctionOperator(.multiply), value.id, gate),
          like: value.isPicture)
      ]
    },
    LiteOperatorReader("PRELU", .any) { operation in
      let (values, isPicture) = try operation.aligned([0, 1])
      let (x, slope) = (values[0], values[1])
      // The constant has one slope per channel. All rows and columns share the slope of their channel.
      if isPicture, let tensorInFile = try operation.value(1).constant,
        tensorInFile.shape.dropLast().allSatisfy({ $0 == 1 }),
        let channels = tensorInFile.shape.last
      {
        let slopes = try operation.add(
          ReshapeStaticOperator(targetShape: [channels, 1, 1]), slope, part: "slopes")
        return [.picture(try operation.add(ChannelActivationOperator(.pReLU), x, slopes))]
      }
      let zero = operation.scalar(0)
      let above = try operation.add(BinaryFunctionOperator(.maximum), x, zero, part: "above")
      let below = try operation.add(BinaryFunctionOperator(.minimum), x, zero, part: "below")
      let scaled = try operation.add(
        BinaryFunctionOperator(.multiply), below, slope, part: "scaled")
      return [
        operation.result(
          try operation.add(BinaryFunctionOperator(.add), above, scaled), like: isPicture)
      ]
    },
  ]

  private static let types: [LiteOperatorReader] = [
    LiteOperatorReader("CAST", .any) { operation in
      let value = try operation.value(0)
      let (from, to) = (try operation.fileTensor(0).element, try operation.fileOutput().element)
      guard to.stored != nil else {
        throw EngineError(.unsupported, "it casts to \(to), which is not supported.")
      }
      return [
        operation.result(
          try operation.cast(value.id, from: from, to: to), like: value.isPicture)
      ]
    },
    LiteOperatorReader("ZEROS_LIKE", .any) { operation in
      let value = try operation.value(0)
      let zeros = try operation.add(FillLikeOperator(value: 0), value.id)
      return [
        operation.result(
          try operation.converted(zeros, to: operation.element(of: value.id)),
          like: value.isPicture)
      ]
    },
  ]

  private static func function(_ name: String, _ function: UnaryFunction) -> LiteOperatorReader {
    LiteOperatorReader(name, .any) { operation in
      [try operation.same(UnaryFunctionOperator(function))]
    }
  }

  private static func bounds(_ name: String, _ least: Float, _ most: Float) -> LiteOperatorReader {
    LiteOperatorReader(name, .any) { operation in
      most == .infinity
        ? [try operation.same(ActivationOperator(.reLU))]
        : [try operation.same(ClipOperator(minimum: least, maximum: most))]
    }
  }
}

extension LiteOperation {
  /// Casts a value between two element types of the file. Casts to integers truncate towards zero.
  func cast(_ value: Graph.ValueID, from: LiteElement, to: LiteElement) throws -> Graph.ValueID {
    if to == .bool {
      let zero = scalar(0, element(of: value))
      return try converted(
        try add(BinaryFunctionOperator(.isNotEqual), value, zero, part: "truth"), to: .float32)
    }
    // The graph stores small integers as float32. A cast to int32 and back removes the fraction.
    if to.isInteger, to.held == .float32, !from.isInteger, from != .bool {
      return try converted(try converted(value, to: .int32), to: .float32)
    }
    return try converted(value, to: to.held)
  }
}
