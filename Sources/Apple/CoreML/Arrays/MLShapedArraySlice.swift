/// A part of a shaped array; itself an array, whose indices start at 0.
public struct MLShapedArraySlice<Scalar: MLShapedArrayScalar>: MLShapedArrayProtocol {
  /// A range of elements with their indices kept, as collections have it.
  public typealias SubSequence = Slice<MLShapedArraySlice<Scalar>>

  public var _storage: _ShapedStorage<Scalar>

  public init(_storage: _ShapedStorage<Scalar>) {
    self._storage = _storage
  }
}

extension MLShapedArraySlice: ExpressibleByIntegerLiteral
where Scalar: ExpressibleByIntegerLiteral {
  /// Makes a slice without axes, so that `[[1, 2], [3, 4]]` is a shaped array.
  public init(integerLiteral value: Scalar.IntegerLiteralType) {
    self.init(scalar: Scalar(integerLiteral: value))
  }
}

extension MLShapedArraySlice: ExpressibleByFloatLiteral where Scalar: ExpressibleByFloatLiteral {
  /// Makes a slice without axes, so that `[[0.5, 1.5], [2, 3]]` is a shaped array.
  public init(floatLiteral value: Scalar.FloatLiteralType) {
    self.init(scalar: Scalar(floatLiteral: value))
  }
}
