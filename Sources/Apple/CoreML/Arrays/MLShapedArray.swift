/// A dense array of numbers with any number of axes and the semantics of a value.
public struct MLShapedArray<Scalar: MLShapedArrayScalar>: MLShapedArrayProtocol {
  /// A range of elements with their indices kept, as collections have it.
  public typealias SubSequence = Slice<MLShapedArray<Scalar>>

  public var _storage: _ShapedStorage<Scalar>

  public init(_storage: _ShapedStorage<Scalar>) {
    self._storage = _storage
  }
}
