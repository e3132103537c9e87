/// A part of a shaped array. The indices of the slice start at 0.
public struct MLShapedArraySlice<Scalar: MLShapedArrayScalar>: MLShapedArrayProtocol {
  /// Consecutive slices along the first axis. The slices keep the indices that they have in the array.
  public typealias SubSequence = Slice<MLShapedArraySlice<Scalar>>

  public var _storage: _ShapedStorage<Scalar>

  public init(_storage: _ShapedStorage<Scalar>) {
    self._storage = _storage
  }
}

extension MLShapedArraySlice: ExpressibleByIntegerLiteral
where Scalar: ExpressibleByIntegerLiteral {
  /// Makes a slice without axes from an integer. In the literal `[[1, 2], [3, 4]]`, each integer is such a slice.
  public init(integerLiteral value: Scalar.IntegerLiteralType) {
    self.init(scalar: Scalar(integerLiteral: value))
  }
}

extension MLShapedArraySlice: ExpressibleByFloatLiteral where Scalar: ExpressibleByFloatLiteral {
  /// Makes a slice without axes from a number. In the literal `[[0.5, 1.5], [2, 3]]`, each number is such a slice.
  public init(floatLiteral value: Scalar.FloatLiteralType) {
    self.init(scalar: Scalar(floatLiteral: value))
  }
}
