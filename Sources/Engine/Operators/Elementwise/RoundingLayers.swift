import CPointwise
import Graph
import ModelFormat

/// `y = −1, 0 or 1, as x is below, at or above 0`
///
/// **Source:** `SignLayerParams` in NeuralNetwork.proto.
public struct SignOperator: MathOperator {
  public static let declaration = OperatorDeclaration(
    "Sign", specification: "sign", summary: "the sign of each element")

  public init() {}

  public static var operation: cpw_operation_kind { CPW_SIGN }
  public static func evaluate(_ x: Double) -> Double { x > 0 ? 1 : x < 0 ? -1 : 0 }
  public static var message: Spec.NeuralNetworkLayer.OneOfLayer { .sign(.init()) }
  public static var domain: ClosedRange<Double> { -1...1 }
  public static let answers: [(Double, Double)] = [(-2, -1), (0, 0), (0.5, 1)]
}

/// `y = the whole number nearest to x, halves to the even one`
///
/// **Source:** `RoundLayerParams` in NeuralNetwork.proto.
public struct RoundOperator: MathOperator {
  public static let declaration = OperatorDeclaration(
    "Round", specification: "round", summary: "rounding to the nearest whole number of each element"
  )

  public init() {}

  public static var operation: cpw_operation_kind { CPW_ROUND }
  public static func evaluate(_ x: Double) -> Double { x.rounded(.toNearestOrEven) }
  public static var message: Spec.NeuralNetworkLayer.OneOfLayer { .round(.init()) }
  public static var domain: ClosedRange<Double> { -9...9 }
  public static let answers: [(Double, Double)] = [(-1.5, -2), (0.5, 0), (2.5, 2)]
}

/// `y = the least whole number not below x`
///
/// **Source:** `CeilLayerParams` in NeuralNetwork.proto.
public struct CeilOperator: MathOperator {
  public static let declaration = OperatorDeclaration(
    "Ceil", specification: "ceil", summary: "rounding up of each element")

  public init() {}

  public static var operation: cpw_operation_kind { CPW_CEIL }
  public static func evaluate(_ x: Double) -> Double { x.rounded(.up) }
  public static var message: Spec.NeuralNetworkLayer.OneOfLayer { .ceil(.init()) }
  public static var domain: ClosedRange<Double> { -9...9 }
  public static let answers: [(Double, Double)] = [(-1.5, -1), (0, 0), (2.25, 3)]
}

/// `y = the greatest whole number not above x`
///
/// **Source:** `FloorLayerParams` in NeuralNetwork.proto.
public struct FloorOperator: MathOperator {
  public static let declaration = OperatorDeclaration(
    "Floor", specification: "floor", summary: "rounding down of each element")

  public init() {}

  public static var operation: cpw_operation_kind { CPW_FLOOR }
  public static func evaluate(_ x: Double) -> Double { x.rounded(.down) }
  public static var message: Spec.NeuralNetworkLayer.OneOfLayer { .floor(.init()) }
  public static var domain: ClosedRange<Double> { -9...9 }
  public static let answers: [(Double, Double)] = [(-1.5, -2), (0, 0), (2.25, 2)]
}
