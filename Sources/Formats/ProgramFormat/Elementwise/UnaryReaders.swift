import Graph
import Operators

/// Elementwise functions of one tensor.
enum UnaryReaders {
  static let all: [OperationReader] = functions + withEpsilon + integerValues + bounds

  private static let functions: [OperationReader] = [
    function("acos", .inverseCosine), function("asin", .inverseSine),
    function("atan", .inverseTangent), function("atanh", .inverseHyperbolicTangent),
    rounding("ceil", .ceiling), function("cos", .cosine),
    function("cosh", .hyperbolicCosine), function("erf", .errorFunction),
    function("exp", .exponential), function("exp2", .powerOfTwo),
    rounding("floor", .floor), rounding("round", .round),
    function("sin", .sine), function("sinh", .hyperbolicSine), function("sqrt", .squareRoot),
    function("tan", .tangent),
  ]

  /// Functions that have an epsilon. The function adds the epsilon to each element.
  private static let withEpsilon: [OperationReader] = [
    small("inverse", 1e-4) { .inverse(epsilon: $0) },
    small("log", .leastNonzeroMagnitude) { .logarithm(epsilon: $0) },
    small("rsqrt", 1e-12) { .reciprocalSquareRoot(epsilon: $0) },
  ]

  /// Functions that are exact for 32-bit integers, too.
  private static let integerValues: [OperationReader] = [
    OperationReader("abs", as: [UnaryFunctionOperator.self], .exact) { operation in
      let x = try operation.tensor("x")
      guard x.element.held.isInteger else { return try operation.apply(.magnitude) }
      let zero = operation.constant(0, as: x.element)
      let opposite = operation.add(BinaryFunctionOperator(.subtract), zero, x.id)
      return [.value(operation.add(BinaryFunctionOperator(.maximum), x.id, opposite))]
    },
    OperationReader("sign", as: [UnaryFunctionOperator.self], .exact) { operation in
      let x = try operation.tensor("x")
      guard x.element.held.isInteger else { return try operation.apply(.sign) }
      let zero = operation.constant(0, as: x.element)
      let above = operation.add(BinaryFunctionOperator(.isGreater), x.id, zero)
      let below = operation.add(BinaryFunctionOperator(.isLess), x.id, zero)
      return [.value(operation.add(BinaryFunctionOperator(.subtract), above, below))]
    },
    OperationReader("square", as: [BinaryFunctionOperator.self]) { operation in
      let x = try operation.tensor("x")
      return [.value(operation.add(BinaryFunctionOperator(.multiply), x.id, x.id))]
    },
  ]

  private static let bounds: [OperationReader] = [
    OperationReader("clip", as: [ClipOperator.self], .exact) { operation in
      let (minimum, maximum) = (try operation.float("alpha"), try operation.float("beta"))
      if operation.opset >= .iOS17, minimum >= maximum {
        throw operation.invalid(
          "'alpha' is \(minimum) and 'beta' \(maximum), expected 'alpha' to be the smaller one.")
      }
      let x = try operation.tensor("x")
      if x.element.held.isInteger {
        // For integers, a fractional bound becomes the nearest integer inside the range.
        let least = operation.constant(minimum.rounded(.up), as: x.element)
        let most = operation.constant(maximum.rounded(.down), as: x.element)
        let above = operation.add(BinaryFunctionOperator(.maximum), x.id, least)
        return [.value(operation.add(BinaryFunctionOperator(.minimum), above, most))]
      }
      return try operation.apply(ClipOperator(minimum: minimum, maximum: maximum))
    },
    OperationReader("threshold", as: [BinaryFunctionOperator.self], .exact) { operation in
      let (x, alpha) = (try operation.tensor("x"), try operation.tensor("alpha"))
      return [.value(operation.add(BinaryFunctionOperator(.maximum), x.id, alpha.id))]
    },
  ]

  private static func function(_ name: String, _ function: UnaryFunction) -> OperationReader {
    OperationReader(name, as: [UnaryFunctionOperator.self]) { operation in
      try operation.apply(function)
    }
  }

  /// Makes the reader of a rounding function. Such a function leaves integers unchanged.
  private static func rounding(_ name: String, _ function: UnaryFunction) -> OperationReader {
    OperationReader(name, as: [UnaryFunctionOperator.self], .exact) { operation in
      let x = try operation.tensor("x")
      return x.element.held.isInteger ? [.same(.tensor(x))] : try operation.apply(function)
    }
  }

  private static func small(
    _ name: String, _ standard: Float,
    _ function: @escaping @Sendable (Float) -> UnaryOperator.Function
  ) -> OperationReader {
    OperationReader(name, as: [UnaryOperator.self]) { operation in
      let epsilon = try operation.float("epsilon", or: standard)
      return try operation.apply(UnaryOperator(function(epsilon)))
    }
  }
}

extension ProgramOperation {
  /// Applies an operator to the input `x` as float32. Returns the operator's only output, in the type that the program
  /// states.
  func apply(_ operation: any Operator) throws -> [ProgramResult] {
    [.value(cast(add(operation, real(try tensor("x"))), to: outputs[0]))]
  }

  /// Applies an elementwise function to the input `x`. Returns the only output.
  func apply(_ function: UnaryFunction) throws -> [ProgramResult] {
    try apply(UnaryFunctionOperator(function))
  }
}
