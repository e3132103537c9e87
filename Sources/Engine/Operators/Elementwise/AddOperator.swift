import Graph

/// Adds its inputs, or a number to its only input: `y = x₁ + x₂ + …`, or `y = x + alpha`.
///
/// - Inputs: one or more, of shapes that broadcast against each other. Output: the joint shape.
/// - alpha is ignored where there are several inputs.
///
/// **Source:** `AddLayerParams` in NeuralNetwork.proto.
public struct AddOperator: FoldingOperator {
  /// What is added to a single input.
  public var alpha: Float
  /// The number of inputs.
  public var inputCount: Int

  public static let declaration = OperatorDeclaration(
    "Add", summary: "the sum of the inputs, or of one and a number")

  /// A sum of inputs, or of one input and a number.
  public init(inputCount: Int, alpha: Float = 0) {
    self.inputCount = inputCount
    self.alpha = alpha
  }

  public static var function: BinaryFunction { .add }
  public var isPlain: Bool { inputCount > 1 }
  public func finish(_ value: Double) -> Double { inputCount == 1 ? value + Double(alpha) : value }
  public func finish(_ program: inout PointwiseProgram) {
    if inputCount == 1 { program.append(.affine, 0, alpha: 1, beta: alpha) }
  }
}
