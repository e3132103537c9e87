import Graph

/// The slice of one axis, in Python's notation: `begin:end:stride`.
public struct AxisSlice: Sendable, Hashable {
  /// The first index; a negative one counts from the end. Nil means an open begin: the slice starts at the first
  /// element of the axis, or at the last element if the stride is negative.
  public var begin: Int?
  /// The exclusive end; a negative one counts from the end. Nil means an open end: the slice runs to the last element
  /// of the axis, or to the first element if the stride is negative.
  public var end: Int?
  /// The difference between neighbouring indices of the slice. A negative stride gives descending indices. Zero is
  /// invalid.
  public var stride: Int
  /// Whether the slice takes only the index ``begin`` and removes the axis.
  public var isSqueezed: Bool

  /// Creates a slice of one axis.
  public init(begin: Int? = nil, end: Int? = nil, stride: Int = 1, isSqueezed: Bool = false) {
    self.begin = begin
    self.end = end
    self.stride = stride
    self.isSqueezed = isSqueezed
  }

  /// Returns the error for a stride of zero on this axis.
  package static func withoutStride(_ axis: Int) -> EngineError {
    EngineError(.invalidInput, "the stride of axis \(axis) is 0, expected another number.")
  }

  /// Returns the indices that the slice takes from an axis of this extent. Throws if the slice is squeezed and the axis
  /// has no element at the index that the slice takes.
  package func range(_ extent: Int, axis: Int) throws -> SliceRange {
    guard isSqueezed else {
      return SliceRange(begin: begin, end: end, stride: stride, extent: extent)
    }
    let index: Int = begin ?? (stride < 0 ? -1 : 0)
    let resolved: Int = index < 0 ? index + extent : index
    guard (0..<extent).contains(resolved) else {
      throw EngineError(
        .invalidInput, "index \(index) of axis \(axis) does not exist; the axis has \(extent).")
    }
    return SliceRange(begin: resolved, end: resolved + 1, stride: 1, extent: extent)
  }
}
