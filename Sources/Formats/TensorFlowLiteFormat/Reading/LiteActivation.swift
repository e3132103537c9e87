import Graph
import Operators

/// An activation function that the file fuses into an operator.
///
/// **Source:** `ActivationFunctionType` in schema.fbs.
enum LiteActivation: Int {
  case none, reLU, reLUMinusOneToOne, reLU6, tanh, signBit

  /// Returns the operator that computes the activation. Nil if there is no activation.
  func operation() throws -> (any Operator)? {
    switch self {
    case .none: return nil
    case .reLU: return ActivationOperator(.reLU)
    case .reLUMinusOneToOne: return ClipOperator(minimum: -1, maximum: 1)
    case .reLU6: return ClipOperator(minimum: 0, maximum: 6)
    case .tanh: return ActivationOperator(.tanh)
    case .signBit:
      throw EngineError(.unsupported, "its fused activation is SIGN_BIT, which is not supported.")
    }
  }

  /// The bounds to which the activation clamps. They are infinite if there is no activation. Nil for an activation that
  /// does more than clamp.
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
