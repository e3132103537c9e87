import Foundation

extension UnaryFunction {
  /// All unary functions.
  public static let all: [UnaryFunction] = [
    .logicalNot, .sine, .cosine, .tangent, .inverseSine, .inverseCosine, .inverseTangent,
    .hyperbolicSine, .hyperbolicCosine, .tanh, .inverseHyperbolicSine, .inverseHyperbolicCosine,
    .inverseHyperbolicTangent, .powerOfTwo, .errorFunction, .sign, .round, .ceiling, .floor,
    .exponential, .logarithm, .squareRoot, .inverse, .magnitude, .sigmoid, .softplus,
  ]

  public static let logicalNot: UnaryFunction = .init(
    steps: "LogicalNot", "1 where an element is 0", .logicalNot, { $0 == 0 ? 1 : 0 })

  public static let sine: UnaryFunction = .init(
    "Sin", "the sine of each element", .sine, { sin($0) }
  ) {
    dy, x, _ in dy * .function(.cosine, x)
  }

  public static let cosine: UnaryFunction = .init(
    "Cos", "the cosine of each element", .cosine, { cos($0) }
  ) { dy, x, _ in -(dy * .function(.sine, x)) }

  public static let tangent: UnaryFunction = .init(
    "Tan", "the tangent of each element", .tangent, { tan($0) }
  ) { dy, _, y in dy * (1 + y * y) }

  public static let inverseSine: UnaryFunction = .init(
    "Asin", "the inverse sine of each element", .inverseSine, { asin($0) }
  ) { dy, x, _ in dy / .function(.squareRoot, 1 - x * x) }

  public static let inverseCosine: UnaryFunction = .init(
    "Acos", "the inverse cosine of each element", .inverseCosine, { acos($0) }
  ) { dy, x, _ in -(dy / .function(.squareRoot, 1 - x * x)) }

  public static let inverseTangent: UnaryFunction = .init(
    "Atan", "the inverse tangent of each element", .inverseTangent, { atan($0) }
  ) { dy, x, _ in dy / (1 + x * x) }

  public static let hyperbolicSine: UnaryFunction = .init(
    "Sinh", "the hyperbolic sine of each element", .hyperbolicSine, { sinh($0) }
  ) { dy, x, _ in dy * .function(.hyperbolicCosine, x) }

  public static let hyperbolicCosine: UnaryFunction = .init(
    "Cosh", "the hyperbolic cosine of each element", .hyperbolicCosine, { cosh($0) }
  ) { dy, x, _ in dy * .function(.hyperbolicSine, x) }

  public static let tanh: UnaryFunction = .init(
    "Tanh", "the hyperbolic tangent of each element", .tanh, { Foundation.tanh($0) }
  ) { dy, _, y in dy * (1 - y * y) }

  public static let inverseHyperbolicSine: UnaryFunction = .init(
    "Asinh", "the inverse hyperbolic sine of each element", .inverseHyperbolicSine, { asinh($0) }
  ) { dy, x, _ in dy / .function(.squareRoot, x * x + 1) }

  public static let inverseHyperbolicCosine: UnaryFunction = .init(
    "Acosh", "the inverse hyperbolic cosine of each element", .inverseHyperbolicCosine,
    { acosh($0) }
  ) { dy, x, _ in dy / .function(.squareRoot, x * x - 1) }

  public static let inverseHyperbolicTangent: UnaryFunction = .init(
    "Atanh", "the inverse hyperbolic tangent of each element", .inverseHyperbolicTangent,
    { atanh($0) }
  ) { dy, x, _ in dy / (1 - x * x) }

  public static let powerOfTwo: UnaryFunction = .init(
    "Exp2", "two to the power of each element", .powerOfTwo, { exp2($0) }
  ) { dy, _, y in dy * y * 0.6931471805599453 }

  public static let errorFunction: UnaryFunction = .init(
    "Erf", "the error function of each element", .errorFunction, { erf($0) }
  ) { dy, x, _ in dy * .function(.exponential, -(x * x)) * 1.1283791670955126 }

  public static let sign: UnaryFunction = .init(
    steps: "Sign", "the sign of each element", .sign, { $0 > 0 ? 1 : $0 < 0 ? -1 : 0 })

  /// Ties round to even.
  public static let round: UnaryFunction = .init(
    steps: "Round", "each element rounded to the nearest integer", .round,
    { $0.rounded(.toNearestOrEven) })

  public static let ceiling: UnaryFunction = .init(
    steps: "Ceil", "rounding up of each element", .ceiling, { $0.rounded(.up) })

  public static let floor: UnaryFunction = .init(
    steps: "Floor", "rounding down of each element", .floor, { $0.rounded(.down) })

  public static let exponential: UnaryFunction = .init(
    "Exp", "e to the power of each element", .exponential, { exp($0) }
  ) { dy, _, y in dy * y }

  public static let logarithm: UnaryFunction = .init(
    "Log", "the natural logarithm of each element", .logarithm, { log($0) }
  ) { dy, x, _ in dy / x }

  public static let squareRoot: UnaryFunction = .init(
    "Sqrt", "the square root of each element", .squareRoot, { $0.squareRoot() }
  ) { dy, _, y in dy / y * 0.5 }

  public static let inverse: UnaryFunction = .init(
    "Inverse", "one over each element", .inverse, { 1 / $0 }
  ) { dy, _, y in -(dy * (y * y)) }

  public static let magnitude: UnaryFunction = .init(
    "Abs", "the magnitude of each element", .magnitude, { $0.magnitude }
  ) { dy, x, _ in dy * .function(.sign, x) }

  public static let sigmoid: UnaryFunction = .init(
    "Sigmoid", "1 / (1 + e^−x) of each element", .sigmoid, { 1 / (1 + exp(-$0)) }
  ) { dy, _, y in dy * y * (1 - y) }

  public static let softplus: UnaryFunction = .init(
    "Softplus", "log(1 + e^x) of each element", .softplus,
    { max($0, 0) + log1p(exp(-$0.magnitude)) }
  ) { dy, x, _ in dy * .function(.sigmoid, x) }
}
