import Graph

/// The function that a matrix product applies to each element of its result.
public enum ProductEpilogue: Sendable, Hashable {
  /// An activation function.
  case activation(ActivationFunction)
  /// The Gaussian error linear unit.
  case gelu(GeluOperator.Mode)
  /// x · sigmoid(x)
  case swish

  /// Creates the epilogue with the same function as an operator. Nil if no epilogue has this function.
  package init?(_ operation: any Operator) {
    if let activation = operation as? ActivationOperator, activation.function.isProductEpilogue {
      self = .activation(activation.function)
    } else if let gelu = operation as? GeluOperator {
      self = .gelu(gelu.mode)
    } else if let formula = operation as? FormulaOperator, formula.formula == .swish {
      self = .swish
    } else {
      return nil
    }
  }

  /// Computes the function in `Double`.
  package func callAsFunction(_ x: Double) -> Double {
    switch self {
    case .activation(let function): return function(x)
    case .gelu(let mode): return GeluOperator(mode).evaluate([x])
    case .swish: return Formula.swish([x])
    }
  }
}

extension Formula {
  /// The formula `x · sigmoid(x)` of the first operand.
  public static let swish: Formula = .operand(0) * .function(.sigmoid, .operand(0))
}
