import Graph

/// Computes the mean of the inputs, element by element: `y = (x₁ + … + xₙ) / n`.
///
/// - Inputs: one or more, of shapes that broadcast against each other. Output: the shape to which they broadcast.
///
/// **Source:** `AverageLayerParams` in NeuralNetwork.proto.
public struct AverageOperator: FoldingOperator {
  /// The number of inputs.
  public var inputCount: Int

  public static let declaration = OperatorDeclaration(
    "Average", summary: "the mean of the inputs")

  /// Creates an operator that averages this many inputs.
  public init(inputCount: Int) { self.inputCount = inputCount }

  public static var function: BinaryFunction { .add }
  public var isPlain: Bool { false }
  public func finish(_ value: Double) -> Double { value / Double(inputCount) }
  public func finish(_ program: inout PointwiseProgram) {
    program.append(
      .affine, inputCount == 1 ? 0 : program.result, alpha: 1 / Float(inputCount))
  }
}
