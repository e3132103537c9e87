import Engine

// Without these overloads, a numeric literal would be an `Int` or a `Double`, and tensors have neither of these element
// types. With these overloads, a literal is a `Float`.

extension MLTensor {
  /// Applies the operator to a tensor and a literal, which is a `Float`.
  public static func + (lhs: MLTensor, rhs: Float) -> MLTensor {
    combine(.add, lhs, lhs.scalarTensor(rhs))
  }
  /// Applies the operator to a tensor and a literal, which is a `Float`.
  public static func + (lhs: Float, rhs: MLTensor) -> MLTensor {
    combine(.add, rhs.scalarTensor(lhs), rhs)
  }
  /// Applies the operator to a tensor and a literal, which is a `Float`.
  public static func - (lhs: MLTensor, rhs: Float) -> MLTensor {
    combine(.subtract, lhs, lhs.scalarTensor(rhs))
  }
  /// Applies the operator to a tensor and a literal, which is a `Float`.
  public static func - (lhs: Float, rhs: MLTensor) -> MLTensor {
    combine(.subtract, rhs.scalarTensor(lhs), rhs)
  }
  /// Applies the operator to a tensor and a literal, which is a `Float`.
  public static func * (lhs: MLTensor, rhs: Float) -> MLTensor {
    combine(.multiply, lhs, lhs.scalarTensor(rhs))
  }
  /// Applies the operator to a tensor and a literal, which is a `Float`.
  public static func * (lhs: Float, rhs: MLTensor) -> MLTensor {
    combine(.multiply, rhs.scalarTensor(lhs), rhs)
  }
  /// Applies the operator to a tensor and a literal, which is a `Float`.
  public static func / (lhs: MLTensor, rhs: Float) -> MLTensor {
    combine(.divide, lhs, lhs.scalarTensor(rhs))
  }
  /// Applies the operator to a tensor and a literal, which is a `Float`.
  public static func / (lhs: Float, rhs: MLTensor) -> MLTensor {
    combine(.divide, rhs.scalarTensor(lhs), rhs)
  }
  /// Applies the operator to a tensor and a literal, which is a `Float`.
  public static func % (lhs: MLTensor, rhs: Float) -> MLTensor {
    combine(.modulo, lhs, lhs.scalarTensor(rhs))
  }
  /// Applies the operator to a tensor and a literal, which is a `Float`.
  public static func % (lhs: Float, rhs: MLTensor) -> MLTensor {
    combine(.modulo, rhs.scalarTensor(lhs), rhs)
  }
  /// Compares a tensor with a literal, which is a `Float`.
  public static func .== (lhs: MLTensor, rhs: Float) -> MLTensor {
    compare(.isEqual, lhs, lhs.scalarTensor(rhs))
  }
  /// Compares a tensor with a literal, which is a `Float`.
  public static func .!= (lhs: MLTensor, rhs: Float) -> MLTensor {
    compare(.isNotEqual, lhs, lhs.scalarTensor(rhs))
  }
  /// Compares a tensor with a literal, which is a `Float`.
  public static func .< (lhs: MLTensor, rhs: Float) -> MLTensor {
    compare(.isLess, lhs, lhs.scalarTensor(rhs))
  }
  /// Compares a tensor with a literal, which is a `Float`.
  public static func .<= (lhs: MLTensor, rhs: Float) -> MLTensor {
    compare(.isAtMost, lhs, lhs.scalarTensor(rhs))
  }
  /// Compares a tensor with a literal, which is a `Float`.
  public static func .> (lhs: MLTensor, rhs: Float) -> MLTensor {
    compare(.isGreater, lhs, lhs.scalarTensor(rhs))
  }
  /// Compares a tensor with a literal, which is a `Float`.
  public static func .>= (lhs: MLTensor, rhs: Float) -> MLTensor {
    compare(.isAtLeast, lhs, lhs.scalarTensor(rhs))
  }
}
