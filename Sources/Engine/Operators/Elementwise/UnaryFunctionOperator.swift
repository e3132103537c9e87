import Graph

/// Applies one function of the table of ``UnaryFunction`` to each element.
///
/// - Input: any shape. Output: the same.
/// - Edge rules: those of the C library; NaN outside of the function's domain.
public struct UnaryFunctionOperator: PointwiseOperator, Hashable {
  /// What is applied.
  public var function: UnaryFunction

  public static let declaration = OperatorDeclaration(
    "UnaryFunction", summary: "a function of each element")

  /// An operator that applies a function.
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

extension UnaryFunctionOperator: WholeNumberOperator {
  public static var elementTypes: ElementTypes { .all }

  /// Truth values are turned around; most functions have fractions.
  public func takes(_ element: ElementType, at input: Int) -> Bool {
    guard function.whole != nil else { return element.isFloatingPoint }
    let types: ElementTypes = function == .logicalNot ? .all : .numbers
    return types.contains(element)
  }

  public func wholeReference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    guard let whole = function.whole else {
      return try reference(inputs.map { $0.converted(to: .float64) })
    }
    return [broadcastWholes(inputs) { whole($0[0]) }]
  }
}

extension UnaryFunction {
  /// The definition in whole numbers, which wrap around; nil where the result has a fraction.
  package var whole: (@Sendable (Int64) -> Int64)? {
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
