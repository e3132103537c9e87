import Engine

extension MLTensor {
  /// Where elements are equal.
  public static func .== (lhs: MLTensor, rhs: MLTensor) -> MLTensor { compare(.isEqual, lhs, rhs) }
  /// Where elements equal a number.
  public static func .== (lhs: MLTensor, rhs: some MLTensorScalar & Numeric) -> MLTensor {
    compare(.isEqual, lhs, lhs.beside(rhs))
  }
  /// Where elements differ.
  public static func .!= (lhs: MLTensor, rhs: MLTensor) -> MLTensor {
    compare(.isNotEqual, lhs, rhs)
  }
  /// Where elements differ from a number.
  public static func .!= (lhs: MLTensor, rhs: some MLTensorScalar & Numeric) -> MLTensor {
    compare(.isNotEqual, lhs, lhs.beside(rhs))
  }
  /// Where elements are less.
  public static func .< (lhs: MLTensor, rhs: MLTensor) -> MLTensor { compare(.isLess, lhs, rhs) }
  /// Where elements are less than a number.
  public static func .< (lhs: MLTensor, rhs: some MLTensorScalar & Numeric) -> MLTensor {
    compare(.isLess, lhs, lhs.beside(rhs))
  }
  /// Where elements are less or equal.
  public static func .<= (lhs: MLTensor, rhs: MLTensor) -> MLTensor { compare(.isAtMost, lhs, rhs) }
  /// Where elements are at most a number.
  public static func .<= (lhs: MLTensor, rhs: some MLTensorScalar & Numeric) -> MLTensor {
    compare(.isAtMost, lhs, lhs.beside(rhs))
  }
  /// Where elements are greater.
  public static func .> (lhs: MLTensor, rhs: MLTensor) -> MLTensor { compare(.isGreater, lhs, rhs) }
  /// Where elements are greater than a number.
  public static func .> (lhs: MLTensor, rhs: some MLTensorScalar & Numeric) -> MLTensor {
    compare(.isGreater, lhs, lhs.beside(rhs))
  }
  /// Where elements are greater or equal.
  public static func .>= (lhs: MLTensor, rhs: MLTensor) -> MLTensor {
    compare(.isAtLeast, lhs, rhs)
  }
  /// Where elements are at least a number.
  public static func .>= (lhs: MLTensor, rhs: some MLTensorScalar & Numeric) -> MLTensor {
    compare(.isAtLeast, lhs, lhs.beside(rhs))
  }

  /// Where both are true.
  public static func .& (lhs: MLTensor, rhs: MLTensor) -> MLTensor {
    compare(.logicalAnd, lhs, rhs)
  }
  /// Where one is true, or both.
  public static func .| (lhs: MLTensor, rhs: MLTensor) -> MLTensor {
    compare(.logicalOr, lhs, rhs)
  }
  /// Where one is true and the other is not.
  public static func .^ (lhs: MLTensor, rhs: MLTensor) -> MLTensor {
    compare(.logicalXor, lhs, rhs)
  }
  /// Where it is not true.
  public static prefix func .! (rhs: MLTensor) -> MLTensor {
    compare(.isEqual, rhs, rhs.beside(Int32(0)))
  }

  /// This tensor's elements, and the other's where the mask is true.
  public func replacing(with replacement: MLTensor, where mask: MLTensor) -> MLTensor {
    let shapes: [MLTensor] = [mask.cast(to: .bool), replacement.cast(to: element), self]
    return .make(WhereBroadcastableOperator(), of: shapes, element: element, isExact: true)
  }

  /// This tensor's elements, and one value where the mask is true.
  public func replacing(with replacement: some MLTensorScalar, where mask: MLTensor) -> MLTensor {
    replacing(with: MLTensor(replacement), where: mask)
  }
}
