import Graph

/// Multiplies all its inputs together, or multiplies its only input by a number: `y = x₁ · x₂ · …`, or `y = alpha · x`.
///
/// - Inputs: one or more, of shapes that broadcast against each other. Output: the shape to which they broadcast.
/// - `alpha` is ignored if there are several inputs.
///
/// **Source:** `MultiplyLayerParams` in NeuralNetwork.proto.
public struct MultiplyOperator: FoldingOperator {
  /// The factor for a single input.
  public var alpha: Float
  /// The number of inputs.
  public var inputCount: Int

  public static let declaration = OperatorDeclaration(
    "Multiply", summary: "the product of the inputs, or of one and a number")

  /// Creates an operator that multiplies its inputs, or its only input by `alpha`.
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
