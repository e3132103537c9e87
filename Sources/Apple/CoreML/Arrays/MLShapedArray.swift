/// A multidimensional array of numbers with value semantics.
public struct MLShapedArray<Scalar: MLShapedArrayScalar>: MLShapedArrayProtocol {
  /// Consecutive slices along the first axis. The slices keep the indices that they have in the array.
  public typealias SubSequence = Slice<MLShapedArray<Scalar>>

  public var _storage: _ShapedStorage<Scalar>

  public init(_storage: _ShapedStorage<Scalar>) {
    self._storage = _storage
  }
}
