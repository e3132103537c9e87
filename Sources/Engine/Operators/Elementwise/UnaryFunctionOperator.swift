import Graph

/// Applies a ``UnaryFunction`` to each element.
///
/// - Input: any shape. Output: the input's shape.
/// - Edge rules: those of the C library; NaN outside the function's domain.
public struct UnaryFunctionOperator: PointwiseOperator, Hashable {
  /// The function that is applied.
  public var function: UnaryFunction

  public static let declaration = OperatorDeclaration(
    "UnaryFunction", summary: "a function of each element")

  /// Creates an operator that applies a function.
  public init(_ function: UnaryFunction) { self.function = function }

  /// The function's name.
  public var name: String { function.name }

  public func evaluate(_ operands: [Double]) -> Double { function(operands[0]) }

  public var program: PointwiseProgram {
    var program = PointwiseProgram(inputCount: 1)
    program.append(function.operation, 0)
    return program
  }
}

extension UnaryFunctionOperator: IntegerOperator {
  public static var elementTypes: ElementTypes { .all }

  /// Returns whether an element type is supported. Only the function `logicalNot` supports truth values. Functions with
  /// fractional results do not support integers.
  public func takes(_ element: ElementType, at input: Int) -> Bool {
    guard function.integer != nil else { return element.isFloatingPoint }
    let types: ElementTypes = function == .logicalNot ? .all : .numbers
    return types.contains(element)
  }

  public func integerReference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    guard let integer = function.integer else {
      return try reference(inputs.map { $0.converted(to: .float64) })
    }
    return [broadcastIntegers(inputs) { integer($0[0]) }]
  }
}

extension UnaryFunction {
  /// The reference implementation in integers, which wrap around on overflow; nil if the function's results have
  /// fractions.
  package var integer: (@Sendable (Int64) -> Int64)? {
    switch operation {
    case .logicalNot: return { $0 == 0 ? 1 : 0 }
    case .sign: return { $0.signum() }
    case .magnitude: return { $0 < 0 ? 0 &- $0 : $0 }
    case .round, .ceiling, .floor: return { $0 }
    default: return nil
    }
  }
}

extension UnaryFunctionOperator: PointwiseDifferentiableOperator {
  public func pullback(_ dy: Formula, to input: Int, x: [Formula], y: Formula) -> Formula? {
    function.pullback(dy, x[0], y)
  }
}
