import Graph
import Operators

/// What an operator applies to its result.
///
/// **Source:** `ActivationFunctionType` in schema.fbs.
enum LiteActivation: Int {
  case none, reLU, reLUMinusOneToOne, reLU6, tanh, signBit

  /// The operator that computes it; nil where nothing is to be computed.
  func operation() throws -> (any Operator)? {
    switch self {
    case .none: return nil
    case .reLU: return ActivationOperator(.reLU)
    case .reLUMinusOneToOne: return ClipOperator(minimum: -1, maximum: 1)
    case .reLU6: return ClipOperator(minimum: 0, maximum: 6)
    case .tanh: return ActivationOperator(.tanh)
    case .signBit:
      throw EngineError(.unsupported, "the activation SIGN_BIT follows it, which is not computed.")
    }
  }

  /// The bounds of those that only keep values within bounds.
  var bounds: ClosedRange<Float>? {
    switch self {
    case .none: return -.infinity ... .infinity
    case .reLU: return 0 ... .infinity
    case .reLUMinusOneToOne: return -1...1
    case .reLU6: return 0...6
    case .tanh, .signBit: return nil
    }
  }
}
