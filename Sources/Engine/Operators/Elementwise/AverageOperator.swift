import Graph

/// The mean of its inputs, element by element: `y = (x₁ + … + xₙ) / n`.
///
/// - Inputs: one or more, of shapes that broadcast against each other. Output: the joint shape.
///
/// **Source:** `AverageLayerParams` in NeuralNetwork.proto.
public struct AverageOperator: FoldingOperator {
  /// The number of inputs.
  public var inputCount: Int

  public static let declaration = OperatorDeclaration(
    "Average", summary: "the mean of the inputs")

  /// A mean of that many inputs.
  public init(inputCount: Int) { self.inputCount = inputCount }

  public static var function: BinaryFunction { .add }
  public var isPlain: Bool { false }
  public func finish(_ value: Double) -> Double { value / Double(inputCount) }
  public func finish(_ program: inout PointwiseProgram) {
    program.append(
      .affine, inputCount == 1 ? 0 : program.result, alpha: 1 / Float(inputCount))
  }
}
