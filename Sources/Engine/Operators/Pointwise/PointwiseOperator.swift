import Graph

/// An operator that computes each element of its output from the elements at the same place in its
/// inputs, which are broadcast against each other as NumPy does.
///
/// Conformers give the formula twice: in `Double` as the definition, and as a program for fast
/// kernels.
public protocol PointwiseOperator: ElementwiseOperator {
  /// The definition: one operand an input.
  func evaluate(_ operands: [Double]) -> Double
  /// The same as a chain of vectorised operations; also for passes that join neighbours.
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
