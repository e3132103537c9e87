import Graph

/// What a matrix product does with each of its results as its last step.
public enum ProductEpilogue: Sendable, Hashable {
  /// A nonlinearity.
  case activation(ActivationFunction)
  /// The Gaussian error linear unit.
  case gelu(GeluOperator.Mode)
  /// x · sigmoid(x)
  case swish

  /// What an operator is as an epilogue; nil for those that are none.
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

  /// The definition.
  package func callAsFunction(_ x: Double) -> Double {
    switch self {
    case .activation(let function): return function(x)
    case .gelu(let mode): return GeluOperator(mode).evaluate([x])
    case .swish: return Formula.swish([x])
    }
  }
}

extension Formula {
  /// `x · sigmoid(x)` of the first operand.
  public static let swish: Formula = .operand(0) * .function(.sigmoid, .operand(0))
}
