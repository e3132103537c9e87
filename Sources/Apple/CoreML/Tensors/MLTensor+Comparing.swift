import Engine

extension MLTensor {
  /// Compares element by element: true where the elements are equal.
  public static func .== (lhs: MLTensor, rhs: MLTensor) -> MLTensor { compare(.isEqual, lhs, rhs) }
  /// Compares with a number: true where the element equals the number.
  public static func .== (lhs: MLTensor, rhs: some MLTensorScalar & Numeric) -> MLTensor {
    compare(.isEqual, lhs, lhs.scalarTensor(rhs))
  }
  /// Compares element by element: true where the elements differ.
  public static func .!= (lhs: MLTensor, rhs: MLTensor) -> MLTensor {
    compare(.isNotEqual, lhs, rhs)
  }
  /// Compares with a number: true where the element differs from the number.
  public static func .!= (lhs: MLTensor, rhs: some MLTensorScalar & Numeric) -> MLTensor {
    compare(.isNotEqual, lhs, lhs.scalarTensor(rhs))
  }
  /// Compares element by element: true where the left element is less than the right element.
  public static func .< (lhs: MLTensor, rhs: MLTensor) -> MLTensor { compare(.isLess, lhs, rhs) }
  /// Compares with a number: true where the element is less than the number.
  public static func .< (lhs: MLTensor, rhs: some MLTensorScalar & Numeric) -> MLTensor {
    compare(.isLess, lhs, lhs.scalarTensor(rhs))
  }
  /// Compares element by element: true where the left element is less than or equal to the right element.
  public static func .<= (lhs: MLTensor, rhs: MLTensor) -> MLTensor { compare(.isAtMost, lhs, rhs) }
  /// Compares with a number: true where the element is less than or equal to the number.
  public static func .<= (lhs: MLTensor, rhs: some MLTensorScalar & Numeric) -> MLTensor {
    compare(.isAtMost, lhs, lhs.scalarTensor(rhs))
  }
  /// Compares element by element: true where the left element is greater than the right element.
  public static func .> (lhs: MLTensor, rhs: MLTensor) -> MLTensor { compare(.isGreater, lhs, rhs) }
  /// Compares with a number: true where the element is greater than the number.
  public static func .> (lhs: MLTensor, rhs: some MLTensorScalar & Numeric) -> MLTensor {
    compare(.isGreater, lhs, lhs.scalarTensor(rhs))
  }
  /// Compares element by element: true where the left element is greater than or equal to the right element.
  public static func .>= (lhs: MLTensor, rhs: MLTensor) -> MLTensor {
    compare(.isAtLeast, lhs, rhs)
  }
  /// Compares with a number: true where the element is greater than or equal to the number.
  public static func .>= (lhs: MLTensor, rhs: some MLTensorScalar & Numeric) -> MLTensor {
    compare(.isAtLeast, lhs, lhs.scalarTensor(rhs))
  }

  /// Returns the element-by-element logical and.
  public static func .& (lhs: MLTensor, rhs: MLTensor) -> MLTensor {
    compare(.logicalAnd, lhs, rhs)
  }
  /// Returns the element-by-element logical or.
  public static func .| (lhs: MLTensor, rhs: MLTensor) -> MLTensor {
    compare(.logicalOr, lhs, rhs)
  }
  /// Returns the element-by-element exclusive or.
  public static func .^ (lhs: MLTensor, rhs: MLTensor) -> MLTensor {
    compare(.logicalXor, lhs, rhs)
  }
  /// Returns the element-by-element logical negation.
  public static prefix func .! (rhs: MLTensor) -> MLTensor {
    compare(.isEqual, rhs, rhs.scalarTensor(Int32(0)))
  }

  /// Where the mask is true, replaces the element with the corresponding element of `replacement`.
  public func replacing(with replacement: MLTensor, where mask: MLTensor) -> MLTensor {
    let shapes: [MLTensor] = [mask.cast(to: .bool), replacement.cast(to: element), self]
    return .make(WhereBroadcastableOperator(), of: shapes, element: element, isExact: true)
  }

  /// Where the mask is true, replaces the element with one value. Swift passes a literal such as `0.5` as a `Float`.
  public func replacing(with replacement: Float, where mask: MLTensor) -> MLTensor {
    replacing(with: MLTensor(replacement), where: mask)
  }

  /// Where the mask is true, replaces the element with one value.
  public func replacing(with replacement: some MLTensorScalar, where mask: MLTensor) -> MLTensor {
    replacing(with: MLTensor(replacement), where: mask)
  }
}
