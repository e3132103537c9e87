import CPointwise
import Graph
import ModelFormat

/// `y = 1` where both inputs are true, 0 elsewhere. Anything but 0 is true.
///
/// **Source:** `LogicalAndLayerParams` in NeuralNetwork.proto.
public struct LogicalAndOperator: BroadcastableOperator {
  public static let declaration = OperatorDeclaration(
    "LogicalAnd", specification: "logicalAnd", summary: "1 where both inputs are not 0, broadcast")

  public init() {}

  public static var operation: cpw_operation_kind { CPW_AND }
  public static func combine(_ left: Double, _ right: Double) -> Double {
    (left != 0) && (right != 0) ? 1 : 0
  }
  public static var message: Spec.NeuralNetworkLayer.OneOfLayer { .logicalAnd(.init()) }
  public static var fill: OperatorSample.Fill { .integers(0...1) }
  public static let answers: [(Double, Double, Double)] = [
    (0, 0, 0), (0, 1, 0), (1, 0, 0), (1, 1, 1),
  ]
}

/// `y = 1` where an input is true, 0 elsewhere. Anything but 0 is true.
///
/// **Source:** `LogicalOrLayerParams` in NeuralNetwork.proto.
public struct LogicalOrOperator: BroadcastableOperator {
  public static let declaration = OperatorDeclaration(
    "LogicalOr", specification: "logicalOr", summary: "1 where an input is not 0, broadcast")

  public init() {}

  public static var operation: cpw_operation_kind { CPW_OR }
  public static func combine(_ left: Double, _ right: Double) -> Double {
    (left != 0) || (right != 0) ? 1 : 0
  }
  public static var message: Spec.NeuralNetworkLayer.OneOfLayer { .logicalOr(.init()) }
  public static var fill: OperatorSample.Fill { .integers(0...1) }
  public static let answers: [(Double, Double, Double)] = [
    (0, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 1),
  ]
}

/// `y = 1` where exactly one input is true, 0 elsewhere. Anything but 0 is true.
///
/// **Source:** `LogicalXorLayerParams` in NeuralNetwork.proto.
public struct LogicalXorOperator: BroadcastableOperator {
  public static let declaration = OperatorDeclaration(
    "LogicalXor", specification: "logicalXor",
    summary: "1 where exactly one input is not 0, broadcast")

  public init() {}

  public static var operation: cpw_operation_kind { CPW_XOR }
  public static func combine(_ left: Double, _ right: Double) -> Double {
    (left != 0) != (right != 0) ? 1 : 0
  }
  public static var message: Spec.NeuralNetworkLayer.OneOfLayer { .logicalXor(.init()) }
  public static var fill: OperatorSample.Fill { .integers(0...1) }
  public static let answers: [(Double, Double, Double)] = [
    (0, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 0),
  ]
}

/// `y = 1` where x is 0, 0 elsewhere.
///
/// **Source:** `LogicalNotLayerParams` in NeuralNetwork.proto.
public struct LogicalNotOperator: MathOperator {
  public static let declaration = OperatorDeclaration(
    "LogicalNot", specification: "logicalNot", summary: "1 where an element is 0")

  public init() {}

  public static var operation: cpw_operation_kind { CPW_NOT }
  public static func evaluate(_ x: Double) -> Double { x == 0 ? 1 : 0 }
  public static var message: Spec.NeuralNetworkLayer.OneOfLayer { .logicalNot(.init()) }
  public static let answers: [(Double, Double)] = [(0, 1), (1, 0), (-2, 0)]
}
