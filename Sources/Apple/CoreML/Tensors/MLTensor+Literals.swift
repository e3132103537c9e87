import Engine

// Literals have no type of their own that a tensor may have: these give them one.

extension MLTensor {
  /// The operation with a literal, which is a `Float`.
  public static func + (lhs: MLTensor, rhs: Float) -> MLTensor {
    combine(.add, lhs, lhs.beside(rhs))
  }
  /// The operation with a literal, which is a `Float`.
  public static func + (lhs: Float, rhs: MLTensor) -> MLTensor {
    combine(.add, rhs.beside(lhs), rhs)
  }
  /// The operation with a literal, which is a `Float`.
  public static func - (lhs: MLTensor, rhs: Float) -> MLTensor {
    combine(.subtract, lhs, lhs.beside(rhs))
  }
  /// The operation with a literal, which is a `Float`.
  public static func - (lhs: Float, rhs: MLTensor) -> MLTensor {
    combine(.subtract, rhs.beside(lhs), rhs)
  }
  /// The operation with a literal, which is a `Float`.
  public static func * (lhs: MLTensor, rhs: Float) -> MLTensor {
    combine(.multiply, lhs, lhs.beside(rhs))
  }
  /// The operation with a literal, which is a `Float`.
  public static func * (lhs: Float, rhs: MLTensor) -> MLTensor {
    combine(.multiply, rhs.beside(lhs), rhs)
  }
  /// The operation with a literal, which is a `Float`.
  public static func / (lhs: MLTensor, rhs: Float) -> MLTensor {
    combine(.divide, lhs, lhs.beside(rhs))
  }
  /// The operation with a literal, which is a `Float`.
  public static func / (lhs: Float, rhs: MLTensor) -> MLTensor {
    combine(.divide, rhs.beside(lhs), rhs)
  }
  /// The operation with a literal, which is a `Float`.
  public static func % (lhs: MLTensor, rhs: Float) -> MLTensor {
    combine(.modulo, lhs, lhs.beside(rhs))
  }
  /// The operation with a literal, which is a `Float`.
  public static func % (lhs: Float, rhs: MLTensor) -> MLTensor {
    combine(.modulo, rhs.beside(lhs), rhs)
  }
  /// The comparison with a literal, which is a `Float`.
  public static func .== (lhs: MLTensor, rhs: Float) -> MLTensor {
    compare(.isEqual, lhs, lhs.beside(rhs))
  }
  /// The comparison with a literal, which is a `Float`.
  public static func .!= (lhs: MLTensor, rhs: Float) -> MLTensor {
    compare(.isNotEqual, lhs, lhs.beside(rhs))
  }
  /// The comparison with a literal, which is a `Float`.
  public static func .< (lhs: MLTensor, rhs: Float) -> MLTensor {
    compare(.isLess, lhs, lhs.beside(rhs))
  }
  /// The comparison with a literal, which is a `Float`.
  public static func .<= (lhs: MLTensor, rhs: Float) -> MLTensor {
    compare(.isAtMost, lhs, lhs.beside(rhs))
  }
  /// The comparison with a literal, which is a `Float`.
  public static func .> (lhs: MLTensor, rhs: Float) -> MLTensor {
    compare(.isGreater, lhs, lhs.beside(rhs))
  }
  /// The comparison with a literal, which is a `Float`.
  public static func .>= (lhs: MLTensor, rhs: Float) -> MLTensor {
    compare(.isAtLeast, lhs, lhs.beside(rhs))
  }
}
