import Graph

/// Converts the elements to another type.
///
/// - Input: any tensor. Output: a tensor of the same shape and the requested type.
/// - Rules: a conversion to a floating-point type rounds to nearest, ties to even. A conversion from a floating-point
///   type to an integer type truncates, and clamps to the range of the integer type; NaN becomes 0. A conversion to
///   truth values turns everything except 0 into 1. A conversion between integer types keeps the low bits. See
///   ``ReferenceTensor/converted(to:)``.
///
/// **Source:** `cast` of the ML Program operations.
public struct CastOperator: ElementwiseOperator, IntegerOperator, Hashable {
  /// The type of the output's elements.
  public var element: ElementType

  public static let declaration = OperatorDeclaration(
    "Cast", summary: "each element as one of another type")

  public static var elementTypes: ElementTypes { .all }

  /// Creates a conversion to a type. The type must not be packed, because operators do not compute with packed types.
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

  public func integerReference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    try reference(inputs)
  }
}
