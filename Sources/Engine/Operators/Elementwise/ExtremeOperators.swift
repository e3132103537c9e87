import Graph

/// Takes the largest of the inputs, element by element. If one input element is NaN, the result is NaN.
///
/// - Inputs: one or more, of shapes that broadcast against each other. Output: the shape to which they broadcast.
///
/// **Source:** `MaxLayerParams` in NeuralNetwork.proto.
public struct MaxOperator: FoldingOperator {
  /// The number of inputs.
  public var inputCount: Int

  public static let declaration = OperatorDeclaration("Max", summary: "the largest of the inputs")

  /// Creates an operator that takes the largest of this many inputs.
  public init(inputCount: Int) { self.inputCount = inputCount }

  public static var function: BinaryFunction { .maximum }
}

/// Takes the smallest of the inputs, element by element. If one input element is NaN, the result is NaN.
///
/// - Inputs: one or more, of shapes that broadcast against each other. Output: the shape to which they broadcast.
///
/// **Source:** `MinLayerParams` in NeuralNetwork.proto.
public struct MinOperator: FoldingOperator {
  /// The number of inputs.
  public var inputCount: Int

  public static let declaration = OperatorDeclaration("Min", summary: "the smallest of the inputs")

  /// Creates an operator that takes the smallest of this many inputs.
  public init(inputCount: Int) { self.inputCount = inputCount }

  public static var function: BinaryFunction { .minimum }
}
