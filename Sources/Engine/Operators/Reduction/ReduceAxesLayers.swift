import Graph
import ModelFormat

/// `y = Σ x` over some axes, or all.
///
/// **Source:** `ReduceSumLayerParams` in NeuralNetwork.proto.
public struct ReduceSumOperator: AxesReducingOperator {
  public let axes: [Int]
  public let keepsAxes: Bool

  public static let declaration = OperatorDeclaration(
    "ReduceSum", specification: "reduceSum", summary: "the sum over axes")

  public init(axes: [Int], keepsAxes: Bool) {
    self.axes = axes
    self.keepsAxes = keepsAxes
  }

  public static var mode: ReductionMode { .sum }
  public static func parameters(_ message: Spec.NeuralNetworkLayer.OneOfLayer)
    -> AxesParameters?
  {
    guard case .reduceSum(let it) = message else { return nil }
    return AxesParameters(axes: it.axes, keepsAxes: it.keepDims, isAll: it.reduceAll)
  }
  public static func message(_ it: AxesParameters) -> Spec.NeuralNetworkLayer.OneOfLayer {
    var message = Spec.ReduceSumLayerParams()
    (message.axes, message.keepDims, message.reduceAll) = (it.axes, it.keepsAxes, it.isAll)
    return .reduceSum(message)
  }
  public static var answers: (rows: [Double], all: Double) {
    ([6, 15], 21)
  }
}

/// `y = Σ x / n` over some axes, or all.
///
/// **Source:** `ReduceMeanLayerParams` in NeuralNetwork.proto.
public struct ReduceMeanOperator: AxesReducingOperator {
  public let axes: [Int]
  public let keepsAxes: Bool

  public static let declaration = OperatorDeclaration(
    "ReduceMean", specification: "reduceMean", summary: "the mean over axes")

  public init(axes: [Int], keepsAxes: Bool) {
    self.axes = axes
    self.keepsAxes = keepsAxes
  }

  public static var mode: ReductionMode { .mean }
  public static func parameters(_ message: Spec.NeuralNetworkLayer.OneOfLayer)
    -> AxesParameters?
  {
    guard case .reduceMean(let it) = message else { return nil }
    return AxesParameters(axes: it.axes, keepsAxes: it.keepDims, isAll: it.reduceAll)
  }
  public static func message(_ it: AxesParameters) -> Spec.NeuralNetworkLayer.OneOfLayer {
    var message = Spec.ReduceMeanLayerParams()
    (message.axes, message.keepDims, message.reduceAll) = (it.axes, it.keepsAxes, it.isAll)
    return .reduceMean(message)
  }
  public static var answers: (rows: [Double], all: Double) {
    ([2, 5], 3.5)
  }
}

/// `y = Π x` over some axes, or all.
///
/// **Source:** `ReduceProdLayerParams` in NeuralNetwork.proto.
public struct ReduceProdOperator: AxesReducingOperator {
  public let axes: [Int]
  public let keepsAxes: Bool

  public static let declaration = OperatorDeclaration(
    "ReduceProd", specification: "reduceProd", summary: "the product over axes")

  public init(axes: [Int], keepsAxes: Bool) {
    self.axes = axes
    self.keepsAxes = keepsAxes
  }

  public static var mode: ReductionMode { .product }
  public static func parameters(_ message: Spec.NeuralNetworkLayer.OneOfLayer)
    -> AxesParameters?
  {
    guard case .reduceProd(let it) = message else { return nil }
    return AxesParameters(axes: it.axes, keepsAxes: it.keepDims, isAll: it.reduceAll)
  }
  public static func message(_ it: AxesParameters) -> Spec.NeuralNetworkLayer.OneOfLayer {
    var message = Spec.ReduceProdLayerParams()
    (message.axes, message.keepDims, message.reduceAll) = (it.axes, it.keepsAxes, it.isAll)
    return .reduceProd(message)
  }
  public static var answers: (rows: [Double], all: Double) {
    ([6, 120], 720)
  }
}

/// `y = Σ |x|` over some axes, or all.
///
/// **Source:** `ReduceL1LayerParams` in NeuralNetwork.proto.
public struct ReduceL1Operator: AxesReducingOperator {
  public let axes: [Int]
  public let keepsAxes: Bool

  public static let declaration = OperatorDeclaration(
    "ReduceL1", specification: "reduceL1", summary: "the sum of magnitudes over axes")

  public init(axes: [Int], keepsAxes: Bool) {
    self.axes = axes
    self.keepsAxes = keepsAxes
  }

  public static var mode: ReductionMode { .l1 }
  public static func parameters(_ message: Spec.NeuralNetworkLayer.OneOfLayer)
    -> AxesParameters?
  {
    guard case .reduceL1(let it) = message else { return nil }
    return AxesParameters(axes: it.axes, keepsAxes: it.keepDims, isAll: it.reduceAll)
  }
  public static func message(_ it: AxesParameters) -> Spec.NeuralNetworkLayer.OneOfLayer {
    var message = Spec.ReduceL1LayerParams()
    (message.axes, message.keepDims, message.reduceAll) = (it.axes, it.keepsAxes, it.isAll)
    return .reduceL1(message)
  }
  public static var answers: (rows: [Double], all: Double) {
    ([6, 15], 21)
  }
}

/// `y = √Σ x²` over some axes, or all.
///
/// **Source:** `ReduceL2LayerParams` in NeuralNetwork.proto.
public struct ReduceL2Operator: AxesReducingOperator {
  public let axes: [Int]
  public let keepsAxes: Bool

  public static let declaration = OperatorDeclaration(
    "ReduceL2", specification: "reduceL2", summary: "the Euclidean length over axes")

  public init(axes: [Int], keepsAxes: Bool) {
    self.axes = axes
    self.keepsAxes = keepsAxes
  }

  public static var mode: ReductionMode { .l2 }
  public static func parameters(_ message: Spec.NeuralNetworkLayer.OneOfLayer)
    -> AxesParameters?
  {
    guard case .reduceL2(let it) = message else { return nil }
    return AxesParameters(axes: it.axes, keepsAxes: it.keepDims, isAll: it.reduceAll)
  }
  public static func message(_ it: AxesParameters) -> Spec.NeuralNetworkLayer.OneOfLayer {
    var message = Spec.ReduceL2LayerParams()
    (message.axes, message.keepDims, message.reduceAll) = (it.axes, it.keepsAxes, it.isAll)
    return .reduceL2(message)
  }
  public static var answers: (rows: [Double], all: Double) {
    ([3.7416573867739413, 8.774964387392123], 9.539392014169456)
  }
}

/// `y = max x` over some axes, or all.
///
/// **Source:** `ReduceMaxLayerParams` in NeuralNetwork.proto.
public struct ReduceMaxOperator: AxesReducingOperator {
  public let axes: [Int]
  public let keepsAxes: Bool

  public static let declaration = OperatorDeclaration(
    "ReduceMax", specification: "reduceMax", summary: "the largest value over axes")

  public init(axes: [Int], keepsAxes: Bool) {
    self.axes = axes
    self.keepsAxes = keepsAxes
  }

  public static var mode: ReductionMode { .maximum }
  public static func parameters(_ message: Spec.NeuralNetworkLayer.OneOfLayer)
    -> AxesParameters?
  {
    guard case .reduceMax(let it) = message else { return nil }
    return AxesParameters(axes: it.axes, keepsAxes: it.keepDims, isAll: it.reduceAll)
  }
  public static func message(_ it: AxesParameters) -> Spec.NeuralNetworkLayer.OneOfLayer {
    var message = Spec.ReduceMaxLayerParams()
    (message.axes, message.keepDims, message.reduceAll) = (it.axes, it.keepsAxes, it.isAll)
    return .reduceMax(message)
  }
  public static var answers: (rows: [Double], all: Double) {
    ([3, 6], 6)
  }
}

/// `y = min x` over some axes, or all.
///
/// **Source:** `ReduceMinLayerParams` in NeuralNetwork.proto.
public struct ReduceMinOperator: AxesReducingOperator {
  public let axes: [Int]
  public let keepsAxes: Bool

  public static let declaration = OperatorDeclaration(
    "ReduceMin", specification: "reduceMin", summary: "the smallest value over axes")

  public init(axes: [Int], keepsAxes: Bool) {
    self.axes = axes
    self.keepsAxes = keepsAxes
  }

  public static var mode: ReductionMode { .minimum }
  public static func parameters(_ message: Spec.NeuralNetworkLayer.OneOfLayer)
    -> AxesParameters?
  {
    guard case .reduceMin(let it) = message else { return nil }
    return AxesParameters(axes: it.axes, keepsAxes: it.keepDims, isAll: it.reduceAll)
  }
  public static func message(_ it: AxesParameters) -> Spec.NeuralNetworkLayer.OneOfLayer {
    var message = Spec.ReduceMinLayerParams()
    (message.axes, message.keepDims, message.reduceAll) = (it.axes, it.keepsAxes, it.isAll)
    return .reduceMin(message)
  }
  public static var answers: (rows: [Double], all: Double) {
    ([1, 4], 1)
  }
}

/// `y = log Σ x` over some axes, or all.
///
/// **Source:** `ReduceLogSumLayerParams` in NeuralNetwork.proto.
public struct ReduceLogSumOperator: AxesReducingOperator {
  public let axes: [Int]
  public let keepsAxes: Bool

  public static let declaration = OperatorDeclaration(
    "ReduceLogSum", specification: "reduceLogSum", summary: "the logarithm of the sum over axes")

  public init(axes: [Int], keepsAxes: Bool) {
    self.axes = axes
    self.keepsAxes = keepsAxes
  }

  public static var mode: ReductionMode { .logOfSum }
  public static func parameters(_ message: Spec.NeuralNetworkLayer.OneOfLayer)
    -> AxesParameters?
  {
    guard case .reduceLogSum(let it) = message else { return nil }
    return AxesParameters(axes: it.axes, keepsAxes: it.keepDims, isAll: it.reduceAll)
  }
  public static func message(_ it: AxesParameters) -> Spec.NeuralNetworkLayer.OneOfLayer {
    var message = Spec.ReduceLogSumLayerParams()
    (message.axes, message.keepDims, message.reduceAll) = (it.axes, it.keepsAxes, it.isAll)
    return .reduceLogSum(message)
  }
  public static var answers: (rows: [Double], all: Double) {
    ([1.791759469228055, 2.70805020110221], 3.044522437723423)
  }
}

/// `y = Σ x²` over some axes, or all.
///
/// **Source:** `ReduceSumSquareLayerParams` in NeuralNetwork.proto.
public struct ReduceSumSquareOperator: AxesReducingOperator {
  public let axes: [Int]
  public let keepsAxes: Bool

  public static let declaration = OperatorDeclaration(
    "ReduceSumSquare", specification: "reduceSumSquare", summary: "the sum of squares over axes")

  public init(axes: [Int], keepsAxes: Bool) {
    self.axes = axes
    self.keepsAxes = keepsAxes
  }

  public static var mode: ReductionMode { .sumOfSquares }
  public static func parameters(_ message: Spec.NeuralNetworkLayer.OneOfLayer)
    -> AxesParameters?
  {
    guard case .reduceSumSquare(let it) = message else { return nil }
    return AxesParameters(axes: it.axes, keepsAxes: it.keepDims, isAll: it.reduceAll)
  }
  public static func message(_ it: AxesParameters) -> Spec.NeuralNetworkLayer.OneOfLayer {
    var message = Spec.ReduceSumSquareLayerParams()
    (message.axes, message.keepDims, message.reduceAll) = (it.axes, it.keepsAxes, it.isAll)
    return .reduceSumSquare(message)
  }
  public static var answers: (rows: [Double], all: Double) {
    ([14, 77], 91)
  }
}

/// `y = log Σ e^x` over some axes, or all.
///
/// **Source:** `ReduceLogSumExpLayerParams` in NeuralNetwork.proto.
public struct ReduceLogSumExpOperator: AxesReducingOperator {
  public let axes: [Int]
  public let keepsAxes: Bool

  public static let declaration = OperatorDeclaration(
    "ReduceLogSumExp", specification: "reduceLogSumExp",
    summary: "the logarithm of the sum of exponentials over axes")

  public init(axes: [Int], keepsAxes: Bool) {
    self.axes = axes
    self.keepsAxes = keepsAxes
  }

  public static var mode: ReductionMode { .logOfSumOfExponentials }
  public static func parameters(_ message: Spec.NeuralNetworkLayer.OneOfLayer)
    -> AxesParameters?
  {
    guard case .reduceLogSumExp(let it) = message else { return nil }
    return AxesParameters(axes: it.axes, keepsAxes: it.keepDims, isAll: it.reduceAll)
  }
  public static func message(_ it: AxesParameters) -> Spec.NeuralNetworkLayer.OneOfLayer {
    var message = Spec.ReduceLogSumExpLayerParams()
    (message.axes, message.keepDims, message.reduceAll) = (it.axes, it.keepsAxes, it.isAll)
    return .reduceLogSumExp(message)
  }
  public static var answers: (rows: [Double], all: Double) {
    ([3.40760596444438, 6.407605964444381], 6.456193316018123)
  }
}
