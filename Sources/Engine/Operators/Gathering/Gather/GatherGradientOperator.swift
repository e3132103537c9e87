import Graph

/// The gradient of ``GatherOperator``: adds the gradient of each gathered slice to a tensor of zeros, at the slice's
/// index. Slices with equal indices are added in their order.
///
/// - Inputs: the gradient of the gather's output, and the indices.
/// - Output: the shape of the gather's data.
/// - Errors: the gradient does not have the shape of the gather's output; an index out of range, unless the gather's
///   rule allows it.
///
/// A ``ScatterOperator`` needs the zeros as an input, which takes as much memory as the output.
///
/// Only differentiation adds this operator to a graph. No model file contains it.
public struct GatherGradientOperator: Operator {
  public static let declaration = OperatorDeclaration(
    "GatherGradient", summary: "the gradients of slices, added to zeros at their indices")

  /// The axis of the gather; a negative axis counts from the end.
  public let axis: Int
  /// The rule that decides which indices are valid and what happens for an invalid index.
  public let rule: IndexRule
  /// The shape of the gather's data.
  public let shape: Shape

  /// Creates the gradient of a gather along an axis, from data of this shape.
  public init(axis: Int, rule: IndexRule = .fromEnd, of shape: Shape) {
    self.axis = axis
    self.rule = rule
    self.shape = shape
  }

  /// The same sum, as a scatter into a tensor of zeros.
  private var scatter: ScatterOperator { ScatterOperator(axis: axis, mode: .add, rule: rule) }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    guard inputs.count == 2 else {
      throw EngineError(.invalidModel, "the layer has \(inputs.count) inputs, expected 2.")
    }
    let type = TensorType(shape, inputs[0].type.element)
    return try scatter.outputTypes(for: [OperatorInput(type), inputs[1], inputs[0]])
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    try scatter.reference([ReferenceTensor(shape), inputs[1], inputs[0]])
  }
}
