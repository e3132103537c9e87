import Graph

/// An operator that computes each element of its output from the elements of its inputs at the same index. Inputs are
/// broadcast against each other as in NumPy.
///
/// A conforming type states its formula twice: in `Double` for the reference implementation, and as a program for fast
/// kernels.
public protocol PointwiseOperator: ElementwiseOperator {
  /// Computes one element of the output in `Double`, from one operand per input.
  func evaluate(_ operands: [Double]) -> Double
  /// The formula as a sequence of vectorised operations. Passes also use this program to fuse adjacent operators.
  var program: PointwiseProgram { get }
}

extension PointwiseOperator {
  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    try broadcastType(inputs)
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    [broadcastReference(inputs, evaluate)]
  }
}
