import CPointwise
import Graph
import Foundation
import ModelFormat

/// `y = 2^x`
///
/// **Source:** `Exp2LayerParams` in NeuralNetwork.proto.
public struct Exp2Operator: MathOperator {
  public static let declaration = OperatorDeclaration(
    "Exp2", specification: "exp2", summary: "two to the power of each element")

  public init() {}

  public static var operation: cpw_operation_kind { CPW_EXP2 }
  public static func evaluate(_ x: Double) -> Double { Foundation.exp2(x) }
  public static var message: Spec.NeuralNetworkLayer.OneOfLayer { .exp2(.init()) }
  public static var domain: ClosedRange<Double> { -6...6 }
  public static let answers: [(Double, Double)] = [(-3, 0.125), (0, 1), (4, 16)]
}

/// `y = 2/√π · ∫₀ˣ e^−t² dt`
///
/// **Source:** `ErfLayerParams` in NeuralNetwork.proto.
public struct ErfOperator: MathOperator {
  public static let declaration = OperatorDeclaration(
    "Erf", specification: "erf", summary: "the error function of each element")

  public init() {}

  public static var operation: cpw_operation_kind { CPW_ERF }
  public static func evaluate(_ x: Double) -> Double { Foundation.erf(x) }
  public static var message: Spec.NeuralNetworkLayer.OneOfLayer { .erf(.init()) }
  public static var domain: ClosedRange<Double> { -3...3 }
  public static let answers: [(Double, Double)] = [
    (-1, -0.8427007929497149), (0, 0), (2, 0.9953222650189527),
  ]
}
