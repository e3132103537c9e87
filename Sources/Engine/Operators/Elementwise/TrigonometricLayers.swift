import CPointwise
import Graph
import Foundation
import ModelFormat

/// `y = sin x`
///
/// **Source:** `SinLayerParams` in NeuralNetwork.proto.
public struct SinOperator: MathOperator {
  public static let declaration = OperatorDeclaration(
    "Sin", specification: "sin", summary: "the sine of each element")

  public init() {}

  public static var operation: cpw_operation_kind { CPW_SIN }
  public static func evaluate(_ x: Double) -> Double { Foundation.sin(x) }
  public static var message: Spec.NeuralNetworkLayer.OneOfLayer { .sin(.init()) }
  public static var domain: ClosedRange<Double> { -10...10 }
  public static let answers: [(Double, Double)] = [
    (-1, -0.8414709848078965), (0, 0), (2, 0.9092974268256817),
  ]
}

/// `y = cos x`
///
/// **Source:** `CosLayerParams` in NeuralNetwork.proto.
public struct CosOperator: MathOperator {
  public static let declaration = OperatorDeclaration(
    "Cos", specification: "cos", summary: "the cosine of each element")

  public init() {}

  public static var operation: cpw_operation_kind { CPW_COS }
  public static func evaluate(_ x: Double) -> Double { Foundation.cos(x) }
  public static var message: Spec.NeuralNetworkLayer.OneOfLayer { .cos(.init()) }
  public static var domain: ClosedRange<Double> { -10...10 }
  public static let answers: [(Double, Double)] = [
    (-1, 0.5403023058681398), (0, 1), (2, -0.4161468365471424),
  ]
}

/// `y = tan x`
///
/// **Source:** `TanLayerParams` in NeuralNetwork.proto.
public struct TanOperator: MathOperator {
  public static let declaration = OperatorDeclaration(
    "Tan", specification: "tan", summary: "the tangent of each element")

  public init() {}

  public static var operation: cpw_operation_kind { CPW_TAN }
  public static func evaluate(_ x: Double) -> Double { Foundation.tan(x) }
  public static var message: Spec.NeuralNetworkLayer.OneOfLayer { .tan(.init()) }
  public static var domain: ClosedRange<Double> { -1.5...1.5 }
  public static let answers: [(Double, Double)] = [
    (-1, -1.5574077246549023), (0, 0), (2, -2.185039863261519),
  ]
}

/// `y = arcsin x`
///
/// **Source:** `AsinLayerParams` in NeuralNetwork.proto.
public struct AsinOperator: MathOperator {
  public static let declaration = OperatorDeclaration(
    "Asin", specification: "asin", summary: "the inverse sine of each element")

  public init() {}

  public static var operation: cpw_operation_kind { CPW_ASIN }
  public static func evaluate(_ x: Double) -> Double { Foundation.asin(x) }
  public static var message: Spec.NeuralNetworkLayer.OneOfLayer { .asin(.init()) }
  public static var domain: ClosedRange<Double> { -1...1 }
  public static let answers: [(Double, Double)] = [
    (-1, -1.5707963267948966), (0, 0), (0.5, 0.5235987755982989),
  ]
}

/// `y = arccos x`
///
/// **Source:** `AcosLayerParams` in NeuralNetwork.proto.
public struct AcosOperator: MathOperator {
  public static let declaration = OperatorDeclaration(
    "Acos", specification: "acos", summary: "the inverse cosine of each element")

  public init() {}

  public static var operation: cpw_operation_kind { CPW_ACOS }
  public static func evaluate(_ x: Double) -> Double { Foundation.acos(x) }
  public static var message: Spec.NeuralNetworkLayer.OneOfLayer { .acos(.init()) }
  public static var domain: ClosedRange<Double> { -1...1 }
  public static let answers: [(Double, Double)] = [
    (-1, 3.141592653589793), (0, 1.5707963267948966), (0.5, 1.0471975511965979),
  ]
}

/// `y = arctan x`
///
/// **Source:** `AtanLayerParams` in NeuralNetwork.proto.
public struct AtanOperator: MathOperator {
  public static let declaration = OperatorDeclaration(
    "Atan", specification: "atan", summary: "the inverse tangent of each element")

  public init() {}

  public static var operation: cpw_operation_kind { CPW_ATAN }
  public static func evaluate(_ x: Double) -> Double { Foundation.atan(x) }
  public static var message: Spec.NeuralNetworkLayer.OneOfLayer { .atan(.init()) }
  public static var domain: ClosedRange<Double> { -5...5 }
  public static let answers: [(Double, Double)] = [
    (-1, -0.7853981633974483), (0, 0), (2, 1.1071487177940904),
  ]
}
