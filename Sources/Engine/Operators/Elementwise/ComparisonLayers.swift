import CPointwise
import Graph
import ModelFormat

/// `y = 1` where `x₁ = x₂`, 0 elsewhere; with one input x₂ is alpha.
///
/// **Source:** `EqualLayerParams` in NeuralNetwork.proto.
public struct EqualOperator: ComparisonOperator {
  public let alpha: Float?

  public static let declaration = OperatorDeclaration(
    "Equal", specification: "equal",
    summary: "whether one input equals the other or a number")

  public init(alpha: Float?) { self.alpha = alpha }

  public static var operation: cpw_operation_kind { CPW_EQUAL }
  public static func holds(_ left: Double, _ right: Double) -> Bool { left == right }
  public static func alpha(of message: Spec.NeuralNetworkLayer.OneOfLayer) -> Float? {
    if case .equal(let parameters) = message { return parameters.alpha }
    return nil
  }
  public static func message(alpha: Float) -> Spec.NeuralNetworkLayer.OneOfLayer {
    var parameters = Spec.EqualLayerParams()
    parameters.alpha = alpha
    return .equal(parameters)
  }
}

/// `y = 1` where `x₁ ≠ x₂`, 0 elsewhere; with one input x₂ is alpha.
///
/// **Source:** `NotEqualLayerParams` in NeuralNetwork.proto.
public struct NotEqualOperator: ComparisonOperator {
  public let alpha: Float?

  public static let declaration = OperatorDeclaration(
    "NotEqual", specification: "notEqual",
    summary: "whether one input differs from the other or a number")

  public init(alpha: Float?) { self.alpha = alpha }

  public static var operation: cpw_operation_kind { CPW_NOT_EQUAL }
  public static func holds(_ left: Double, _ right: Double) -> Bool { left != right }
  public static func alpha(of message: Spec.NeuralNetworkLayer.OneOfLayer) -> Float? {
    if case .notEqual(let parameters) = message { return parameters.alpha }
    return nil
  }
  public static func message(alpha: Float) -> Spec.NeuralNetworkLayer.OneOfLayer {
    var parameters = Spec.NotEqualLayerParams()
    parameters.alpha = alpha
    return .notEqual(parameters)
  }
}

/// `y = 1` where `x₁ < x₂`, 0 elsewhere; with one input x₂ is alpha.
///
/// **Source:** `LessThanLayerParams` in NeuralNetwork.proto.
public struct LessThanOperator: ComparisonOperator {
  public let alpha: Float?

  public static let declaration = OperatorDeclaration(
    "LessThan", specification: "lessThan",
    summary: "whether one input is less than the other or a number")

  public init(alpha: Float?) { self.alpha = alpha }

  public static var operation: cpw_operation_kind { CPW_LESS }
  public static func holds(_ left: Double, _ right: Double) -> Bool { left < right }
  public static func alpha(of message: Spec.NeuralNetworkLayer.OneOfLayer) -> Float? {
    if case .lessThan(let parameters) = message { return parameters.alpha }
    return nil
  }
  public static func message(alpha: Float) -> Spec.NeuralNetworkLayer.OneOfLayer {
    var parameters = Spec.LessThanLayerParams()
    parameters.alpha = alpha
    return .lessThan(parameters)
  }
}

/// `y = 1` where `x₁ ≤ x₂`, 0 elsewhere; with one input x₂ is alpha.
///
/// **Source:** `LessEqualLayerParams` in NeuralNetwork.proto.
public struct LessEqualOperator: ComparisonOperator {
  public let alpha: Float?

  public static let declaration = OperatorDeclaration(
    "LessEqual", specification: "lessEqual",
    summary: "whether one input is at most the other or a number")

  public init(alpha: Float?) { self.alpha = alpha }

  public static var operation: cpw_operation_kind { CPW_LESS_EQUAL }
  public static func holds(_ left: Double, _ right: Double) -> Bool { left <= right }
  public static func alpha(of message: Spec.NeuralNetworkLayer.OneOfLayer) -> Float? {
    if case .lessEqual(let parameters) = message { return parameters.alpha }
    return nil
  }
  public static func message(alpha: Float) -> Spec.NeuralNetworkLayer.OneOfLayer {
    var parameters = Spec.LessEqualLayerParams()
    parameters.alpha = alpha
    return .lessEqual(parameters)
  }
}

/// `y = 1` where `x₁ > x₂`, 0 elsewhere; with one input x₂ is alpha.
///
/// **Source:** `GreaterThanLayerParams` in NeuralNetwork.proto.
public struct GreaterThanOperator: ComparisonOperator {
  public let alpha: Float?

  public static let declaration = OperatorDeclaration(
    "GreaterThan", specification: "greaterThan",
    summary: "whether one input is greater than the other or a number")

  public init(alpha: Float?) { self.alpha = alpha }

  public static var operation: cpw_operation_kind { CPW_GREATER }
  public static func holds(_ left: Double, _ right: Double) -> Bool { left > right }
  public static func alpha(of message: Spec.NeuralNetworkLayer.OneOfLayer) -> Float? {
    if case .greaterThan(let parameters) = message { return parameters.alpha }
    return nil
  }
  public static func message(alpha: Float) -> Spec.NeuralNetworkLayer.OneOfLayer {
    var parameters = Spec.GreaterThanLayerParams()
    parameters.alpha = alpha
    return .greaterThan(parameters)
  }
}

/// `y = 1` where `x₁ ≥ x₂`, 0 elsewhere; with one input x₂ is alpha.
///
/// **Source:** `GreaterEqualLayerParams` in NeuralNetwork.proto.
public struct GreaterEqualOperator: ComparisonOperator {
  public let alpha: Float?

  public static let declaration = OperatorDeclaration(
    "GreaterEqual", specification: "greaterEqual",
    summary: "whether one input is at least the other or a number")

  public init(alpha: Float?) { self.alpha = alpha }

  public static var operation: cpw_operation_kind { CPW_GREATER_EQUAL }
  public static func holds(_ left: Double, _ right: Double) -> Bool { left >= right }
  public static func alpha(of message: Spec.NeuralNetworkLayer.OneOfLayer) -> Float? {
    if case .greaterEqual(let parameters) = message { return parameters.alpha }
    return nil
  }
  public static func message(alpha: Float) -> Spec.NeuralNetworkLayer.OneOfLayer {
    var parameters = Spec.GreaterEqualLayerParams()
    parameters.alpha = alpha
    return .greaterEqual(parameters)
  }
}
