import Graph

/// The largest of its inputs, element by element; NaN where one of them is NaN.
///
/// - Inputs: one or more, of shapes that broadcast against each other. Output: the joint shape.
///
/// **Source:** `MaxLayerParams` in NeuralNetwork.proto.
public struct MaxOperator: FoldingOperator {
  /// The number of inputs.
  public var inputCount: Int

  public static let declaration = OperatorDeclaration("Max", summary: "the largest of the inputs")

  /// The largest of that many inputs.
  public init(inputCount: Int) { self.inputCount = inputCount }

  public static var function: BinaryFunction { .maximum }
}

/// The smallest of its inputs, element by element; NaN where one of them is NaN.
///
/// - Inputs: one or more, of shapes that broadcast against each other. Output: the joint shape.
///
/// **Source:** `MinLayerParams` in NeuralNetwork.proto.
public struct MinOperator: FoldingOperator {
  /// The number of inputs.
  public var inputCount: Int

  public static let declaration = OperatorDeclaration("Min", summary: "the smallest of the inputs")

  /// The smallest of that many inputs.
  public init(inputCount: Int) { self.inputCount = inputCount }

  public static var function: BinaryFunction { .minimum }
}
