import Graph
import Operators

/// Functions of one tensor, element by element.
enum UnaryReaders {
  static let all: [OperationReader] = functions + withEpsilon + wholes + bounds

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

  /// Functions of an element and a small number that is added to it.
  private static let withEpsilon: [OperationReader] = [
    small("inverse", 1e-4) { .inverse(epsilon: $0) },
    small("log", .leastNonzeroMagnitude) { .logarithm(epsilon: $0) },
    small("rsqrt", 1e-12) { .reciprocalSquareRoot(epsilon: $0) },
  ]

  /// Functions that are exact for whole numbers of 32 bits too.
  private static let wholes: [OperationReader] = [
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
        // The nearest integers within the bounds.
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

  /// A function that leaves integers as they are.
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
  /// The only result: an operator of the input `x` as a real number, in the type that is written.
  func apply(_ operation: any Operator) throws -> [ProgramResult] {
    [.value(cast(add(operation, real(try tensor("x"))), to: outputs[0]))]
  }

  /// The only result: a function of each element of the input `x`.
  func apply(_ function: UnaryFunction) throws -> [ProgramResult] {
    try apply(UnaryFunctionOperator(function))
  }
}
