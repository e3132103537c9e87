import Graph

/// Multiplies its inputs, or its only input by a number: `y = x₁ · x₂ · …`, or `y = alpha · x`.
///
/// - Inputs: one or more, of shapes that broadcast against each other. Output: the joint shape.
/// - alpha is ignored where there are several inputs.
///
/// **Source:** `MultiplyLayerParams` in NeuralNetwork.proto.
public struct MultiplyOperator: FoldingOperator {
  /// What a single input is multiplied by.
  public var alpha: Float
  /// The number of inputs.
  public var inputCount: Int

  public static let declaration = OperatorDeclaration(
    "Multiply", summary: "the product of the inputs, or of one and a number")

  /// A product of inputs, or of one input and a number.
  public init(inputCount: Int, alpha: Float = 0) {
    self.inputCount = inputCount
    self.alpha = alpha
  }

  public static var function: BinaryFunction { .multiply }
  public var isPlain: Bool { inputCount > 1 }
  public func finish(_ value: Double) -> Double { inputCount == 1 ? value * Double(alpha) : value }
  public func finish(_ program: inout PointwiseProgram) {
    if inputCount == 1 { program.append(.affine, 0, alpha: alpha) }
  }
}
