import Graph

/// Gives the elements another type.
///
/// - Input: any tensor. Output: a tensor of that shape, of the type that was asked for.
/// - Rules: types with fractions round to nearest, ties to even; whole numbers cut fractions off towards
///   zero and keep to their range, NaN becomes 0; of truth values everything but 0 is 1. Between
///   types of whole numbers the low bits are kept. See ``ReferenceTensor/converted(to:)``.
///
/// **Source:** `cast` of the ML Program operations.
public struct CastOperator: ElementwiseOperator, WholeNumberOperator, Hashable {
  /// The type of the output's elements.
  public var element: ElementType

  public static let declaration = OperatorDeclaration(
    "Cast", summary: "each element as one of another type")

  public static var elementTypes: ElementTypes { .all }

  /// A conversion to a type, which is one that is computed with.
  public init(to element: ElementType) {
    precondition(!element.isPacked, "\(element) is stored, never computed with")
    self.element = element
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    [TensorType(inputs[0].shape, element)]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    [inputs[0].converted(to: element)]
  }

  public func wholeReference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    try reference(inputs)
  }
}
