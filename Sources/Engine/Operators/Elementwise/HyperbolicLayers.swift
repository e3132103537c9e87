import CPointwise
import Graph
import Foundation
import ModelFormat

/// `y = sinh x`
///
/// **Source:** `SinhLayerParams` in NeuralNetwork.proto.
public struct SinhOperator: MathOperator {
  public static let declaration = OperatorDeclaration(
    "Sinh", specification: "sinh", summary: "the hyperbolic sine of each element")

  public init() {}

  public static var operation: cpw_operation_kind { CPW_SINH }
  public static func evaluate(_ x: Double) -> Double { Foundation.sinh(x) }
  public static var message: Spec.NeuralNetworkLayer.OneOfLayer { .sinh(.init()) }
  public static var domain: ClosedRange<Double> { -3...3 }
  public static let answers: [(Double, Double)] = [
    (-1, -1.1752011936438014), (0, 0), (2, 3.626860407847019),
  ]
}

/// `y = cosh x`
///
/// **Source:** `CoshLayerParams` in NeuralNetwork.proto.
public struct CoshOperator: MathOperator {
  public static let declaration = OperatorDeclaration(
    "Cosh", specification: "cosh", summary: "the hyperbolic cosine of each element")

  public init() {}

  public static var operation: cpw_operation_kind { CPW_COSH }
  public static func evaluate(_ x: Double) -> Double { Foundation.cosh(x) }
  public static var message: Spec.NeuralNetworkLayer.OneOfLayer { .cosh(.init()) }
  public static var domain: ClosedRange<Double> { -3...3 }
  public static let answers: [(Double, Double)] = [
    (-1, 1.5430806348152437), (0, 1), (2, 3.7621956910836314),
  ]
}

/// `y = tanh x`
///
/// **Source:** `TanhLayerParams` in NeuralNetwork.proto.
public struct TanhOperator: MathOperator {
  public static let declaration = OperatorDeclaration(
    "Tanh", specification: "tanh", summary: "the hyperbolic tangent of each element")

  public init() {}

  public static var operation: cpw_operation_kind { CPW_TANH }
  public static func evaluate(_ x: Double) -> Double { Foundation.tanh(x) }
  public static var message: Spec.NeuralNetworkLayer.OneOfLayer { .tanh(.init()) }
  public static var domain: ClosedRange<Double> { -4...4 }
  public static let answers: [(Double, Double)] = [
    (-1, -0.7615941559557649), (0, 0), (2, 0.9640275800758169),
  ]
}

/// `y = arsinh x`
///
/// **Source:** `AsinhLayerParams` in NeuralNetwork.proto.
public struct AsinhOperator: MathOperator {
  public static let declaration = OperatorDeclaration(
    "Asinh", specification: "asinh", summary: "the inverse hyperbolic sine of each element")

  public init() {}

  public static var operation: cpw_operation_kind { CPW_ASINH }
  public static func evaluate(_ x: Double) -> Double { Foundation.asinh(x) }
  public static var message: Spec.NeuralNetworkLayer.OneOfLayer { .asinh(.init()) }
  public static var domain: ClosedRange<Double> { -5...5 }
  public static let answers: [(Double, Double)] = [
    (-1, -0.881373587019543), (0, 0), (2, 1.4436354751788103),
  ]
}

/// `y = arcosh x`
///
/// **Source:** `AcoshLayerParams` in NeuralNetwork.proto.
public struct AcoshOperator: MathOperator {
  public static let declaration = OperatorDeclaration(
    "Acosh", specification: "acosh", summary: "the inverse hyperbolic cosine of each element")

  public init() {}

  public static var operation: cpw_operation_kind { CPW_ACOSH }
  public static func evaluate(_ x: Double) -> Double { Foundation.acosh(x) }
  public static var message: Spec.NeuralNetworkLayer.OneOfLayer { .acosh(.init()) }
  public static var domain: ClosedRange<Double> { 1...5 }
  public static let answers: [(Double, Double)] = [
    (1, 0), (1.5, 0.9624236501192069), (3, 1.762747174039086),
  ]
}

/// `y = artanh x`
///
/// **Source:** `AtanhLayerParams` in NeuralNetwork.proto.
public struct AtanhOperator: MathOperator {
  public static let declaration = OperatorDeclaration(
    "Atanh", specification: "atanh", summary: "the inverse hyperbolic tangent of each element")

  public init() {}

  public static var operation: cpw_operation_kind { CPW_ATANH }
  public static func evaluate(_ x: Double) -> Double { Foundation.atanh(x) }
  public static var message: Spec.NeuralNetworkLayer.OneOfLayer { .atanh(.init()) }
  public static var domain: ClosedRange<Double> { -0.9...0.9 }
  public static let answers: [(Double, Double)] = [
    (-0.5, -0.5493061443340548), (0, 0), (0.75, 0.9729550745276566),
  ]
}
