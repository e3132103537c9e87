import Graph

/// Adds all its inputs together, or adds a number to its only input: `y = x₁ + x₂ + …`, or `y = x + alpha`.
///
/// - Inputs: one or more, of shapes that broadcast against each other. Output: the shape to which they broadcast.
/// - `alpha` is ignored if there are several inputs.
///
/// **Source:** `AddLayerParams` in NeuralNetwork.proto.
public struct AddOperator: FoldingOperator {
  /// The number added to a single input.
  public var alpha: Float
  /// The number of inputs.
  public var inputCount: Int

  public static let declaration = OperatorDeclaration(
    "Add", summary: "the sum of the inputs, or of one and a number")

  /// Creates an operator that adds its inputs, or `alpha` to its only input.
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
