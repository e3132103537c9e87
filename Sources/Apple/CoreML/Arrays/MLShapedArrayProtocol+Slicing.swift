extension MLShapedArrayProtocol {
  /// The index of the first slice along the first axis: 0.
  public var startIndex: Int { 0 }

  /// The length of the first axis; 0 for an array without axes.
  public var endIndex: Int { shape.first ?? 0 }

  /// The slice at an index of the first axis.
  public subscript(position: Int) -> MLShapedArraySlice<Scalar> {
    get { MLShapedArraySlice(_storage: _storage.slice(at: CollectionOfOne(position))) }
    set { replace(with: newValue) { $0.slice(at: CollectionOfOne(position)) } }
  }

  /// The slice at the given indices of the leading axes. The slice does not have those axes.
  public subscript<C: Collection>(indices: C) -> MLShapedArraySlice<Scalar>
  where C.Element == Int {
    get { MLShapedArraySlice(_storage: _storage.slice(at: indices)) }
    set { replace(with: newValue) { $0.slice(at: indices) } }
  }

  /// The slice at the given indices of the leading axes. The slice does not have those axes.
  public subscript(indices: Int...) -> MLShapedArraySlice<Scalar> {
    get { self[indices] }
    set { self[indices] = newValue }
  }

  /// The slice within ranges of the leading axes. The slice keeps all axes.
  public subscript<C: Collection>(sliceRanges: C) -> MLShapedArraySlice<Scalar>
  where C.Element == Range<Int> {
    get { MLShapedArraySlice(_storage: _storage.slice(in: sliceRanges)) }
    set { replace(with: newValue) { $0.slice(in: sliceRanges) } }
  }

  /// The slice within ranges of the leading axes. The slice keeps all axes.
  public subscript(
    ranges: any MLShapedArrayRangeExpression...
  ) -> MLShapedArraySlice<Scalar> {
    get { self[resolved(ranges)] }
    set { self[resolved(ranges)] = newValue }
  }

  /// The slice within a range of the first axis.
  public subscript(range: Range<Int>) -> MLShapedArraySlice<Scalar> {
    get { self[resolved([range])] }
    set { self[resolved([range])] = newValue }
  }

  /// The slice within a range of the first axis.
  public subscript(range: ClosedRange<Int>) -> MLShapedArraySlice<Scalar> {
    get { self[resolved([range])] }
    set { self[resolved([range])] = newValue }
  }

  /// The slice within a range of the first axis.
  public subscript(range: PartialRangeFrom<Int>) -> MLShapedArraySlice<Scalar> {
    get { self[resolved([range])] }
    set { self[resolved([range])] = newValue }
  }

  /// The slice within a range of the first axis.
  public subscript(range: PartialRangeUpTo<Int>) -> MLShapedArraySlice<Scalar> {
    get { self[resolved([range])] }
    set { self[resolved([range])] = newValue }
  }

  /// The slice within a range of the first axis.
  public subscript(range: PartialRangeThrough<Int>) -> MLShapedArraySlice<Scalar> {
    get { self[resolved([range])] }
    set { self[resolved([range])] = newValue }
  }

  private func resolved(_ expressions: [any MLShapedArrayRangeExpression]) -> [Range<Int>] {
    precondition(
      expressions.count <= shape.count,
      "\(expressions.count) ranges were used on a shaped array with \(shape.count) axes.")
    return expressions.enumerated().map { axis, expression in
      expression.relative(toShapedArrayAxis: 0..<shape[axis])
    }
  }

  private mutating func replace(
    with part: MLShapedArraySlice<Scalar>,
    at place: (_ShapedStorage<Scalar>) -> _ShapedStorage<Scalar>
  ) {
    _storage.makeUnique()
    let target: _ShapedStorage<Scalar> = place(_storage)
    precondition(
      target.layout.shape == part.shape,
      "A part of shape \(target.layout.shape) cannot be replaced by one of shape \(part.shape).")
    target.assign(from: part._storage)
  }
}
