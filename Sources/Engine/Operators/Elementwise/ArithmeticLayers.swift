import CPointwise
import Graph
import Foundation
import ModelFormat

/// `y = x₁ + x₂`
///
/// **Source:** `AddBroadcastableLayerParams` in NeuralNetwork.proto.
public struct AddBroadcastableOperator: BroadcastableOperator {
  public static let declaration = OperatorDeclaration(
    "AddBroadcastable", specification: "addBroadcastable",
    summary: "the sum of two inputs, broadcast")

  public init() {}

  public static var operation: cpw_operation_kind { CPW_ADD }
  public static func combine(_ left: Double, _ right: Double) -> Double {
    left + right
  }
  public static var message: Spec.NeuralNetworkLayer.OneOfLayer { .addBroadcastable(.init()) }
  public static let answers: [(Double, Double, Double)] = [(1, 2, 3), (-1, 1, 0)]
}

/// `y = x₁ − x₂`
///
/// **Source:** `SubtractBroadcastableLayerParams` in NeuralNetwork.proto.
public struct SubtractBroadcastableOperator: BroadcastableOperator {
  public static let declaration = OperatorDeclaration(
    "SubtractBroadcastable", specification: "subtractBroadcastable",
    summary: "the difference of two inputs, broadcast")

  public init() {}

  public static var operation: cpw_operation_kind { CPW_SUBTRACT }
  public static func combine(_ left: Double, _ right: Double) -> Double {
    left - right
  }
  public static var message: Spec.NeuralNetworkLayer.OneOfLayer { .subtractBroadcastable(.init()) }
  public static let answers: [(Double, Double, Double)] = [(1, 2, -1), (-1, 1, -2)]
}

/// `y = x₁ · x₂`
///
/// **Source:** `MultiplyBroadcastableLayerParams` in NeuralNetwork.proto.
public struct MultiplyBroadcastableOperator: BroadcastableOperator {
  public static let declaration = OperatorDeclaration(
    "MultiplyBroadcastable", specification: "multiplyBroadcastable",
    summary: "the product of two inputs, broadcast")

  public init() {}

  public static var operation: cpw_operation_kind { CPW_MULTIPLY }
  public static func combine(_ left: Double, _ right: Double) -> Double {
    left * right
  }
  public static var message: Spec.NeuralNetworkLayer.OneOfLayer { .multiplyBroadcastable(.init()) }
  public static let answers: [(Double, Double, Double)] = [(1, 2, 2), (-1, 1, -1)]
}

/// `y = x₁ / x₂`
///
/// **Source:** `DivideBroadcastableLayerParams` in NeuralNetwork.proto.
public struct DivideBroadcastableOperator: BroadcastableOperator {
  public static let declaration = OperatorDeclaration(
    "DivideBroadcastable", specification: "divideBroadcastable",
    summary: "the quotient of two inputs, broadcast")

  public init() {}

  public static var operation: cpw_operation_kind { CPW_DIVIDE }
  public static func combine(_ left: Double, _ right: Double) -> Double {
    left / right
  }
  public static var message: Spec.NeuralNetworkLayer.OneOfLayer { .divideBroadcastable(.init()) }
  public static var fill: OperatorSample.Fill { .uniform(0.5...2) }
  public static let answers: [(Double, Double, Double)] = [(1, 2, 0.5), (-1, 4, -0.25)]
}

/// `y = max(x₁, x₂)`, NaN where one of them is.
///
/// **Source:** `MaxBroadcastableLayerParams` in NeuralNetwork.proto.
public struct MaxBroadcastableOperator: BroadcastableOperator {
  public static let declaration = OperatorDeclaration(
    "MaxBroadcastable", specification: "maxBroadcastable",
    summary: "the larger of two inputs, broadcast")

  public init() {}

  public static var operation: cpw_operation_kind { CPW_MAXIMUM }
  public static func combine(_ left: Double, _ right: Double) -> Double {
    left < right || right.isNaN ? right : left
  }
  public static var message: Spec.NeuralNetworkLayer.OneOfLayer { .maxBroadcastable(.init()) }
  public static let answers: [(Double, Double, Double)] = [(1, 2, 2), (1, -1, 1)]
}

/// `y = min(x₁, x₂)`, NaN where one of them is.
///
/// **Source:** `MinBroadcastableLayerParams` in NeuralNetwork.proto.
public struct MinBroadcastableOperator: BroadcastableOperator {
  public static let declaration = OperatorDeclaration(
    "MinBroadcastable", specification: "minBroadcastable",
    summary: "the smaller of two inputs, broadcast")

  public init() {}

  public static var operation: cpw_operation_kind { CPW_MINIMUM }
  public static func combine(_ left: Double, _ right: Double) -> Double {
    left > right || right.isNaN ? right : left
  }
  public static var message: Spec.NeuralNetworkLayer.OneOfLayer { .minBroadcastable(.init()) }
  public static let answers: [(Double, Double, Double)] = [(1, 2, 1), (1, -1, -1)]
}

/// `y = x₁ − ⌊x₁ / x₂⌋ · x₂, with the sign of x₂`
///
/// **Source:** `ModBroadcastableLayerParams` in NeuralNetwork.proto.
public struct ModBroadcastableOperator: BroadcastableOperator {
  public static let declaration = OperatorDeclaration(
    "ModBroadcastable", specification: "modBroadcastable",
    summary: "the remainder of a division, with the sign of the divisor, broadcast")

  public init() {}

  public static var operation: cpw_operation_kind { CPW_MODULO }
  public static func combine(_ left: Double, _ right: Double) -> Double {
    left - (left / right).rounded(.down) * right
  }
  public static var message: Spec.NeuralNetworkLayer.OneOfLayer { .modBroadcastable(.init()) }
  public static var fill: OperatorSample.Fill { .uniform(0.5...4) }
  public static var tolerance: OperatorSample.Tolerance { .accumulation }
  public static let answers: [(Double, Double, Double)] = [
    (7, 3, 1), (-7, 3, 2), (7, -3, -2), (5.5, 2, 1.5),
  ]
}

/// `y = ⌊x₁ / x₂⌋`
///
/// **Source:** `FloorDivBroadcastableLayerParams` in NeuralNetwork.proto.
public struct FloorDivBroadcastableOperator: BroadcastableOperator {
  public static let declaration = OperatorDeclaration(
    "FloorDivBroadcastable", specification: "floorDivBroadcastable",
    summary: "the quotient of two inputs, rounded down, broadcast")

  public init() {}

  public static var operation: cpw_operation_kind { CPW_FLOOR_DIVIDE }
  public static func combine(_ left: Double, _ right: Double) -> Double {
    (left / right).rounded(.down)
  }
  public static var message: Spec.NeuralNetworkLayer.OneOfLayer { .floorDivBroadcastable(.init()) }
  public static var fill: OperatorSample.Fill { .uniform(0.5...4) }
  public static let answers: [(Double, Double, Double)] = [
    (7, 3, 2), (-7, 3, -3), (7, -3, -3), (5.5, 2, 2),
  ]
}

/// `y = x₁ to the power of x₂`
///
/// **Source:** `PowBroadcastableLayerParams` in NeuralNetwork.proto.
public struct PowBroadcastableOperator: BroadcastableOperator {
  public static let declaration = OperatorDeclaration(
    "PowBroadcastable", specification: "powBroadcastable",
    summary: "one input to the power of the other, broadcast")

  public init() {}

  public static var operation: cpw_operation_kind { CPW_POW }
  public static func combine(_ left: Double, _ right: Double) -> Double {
    Foundation.pow(left, right)
  }
  public static var message: Spec.NeuralNetworkLayer.OneOfLayer { .powBroadcastable(.init()) }
  public static var fill: OperatorSample.Fill { .uniform(0.5...2) }
  public static var tolerance: OperatorSample.Tolerance { .accumulation }
  public static let answers: [(Double, Double, Double)] = [(2, 3, 8), (9, 0.5, 3), (2, -1, 0.5)]
}
