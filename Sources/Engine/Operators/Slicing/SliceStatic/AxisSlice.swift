import Graph

/// What a slice takes of each axis, as Python writes it: `begin:end:stride`.
public struct AxisSlice: Sendable, Hashable {
  /// The first index; negative counts from the end. Nil is open: where the stride starts from.
  public var begin: Int?
  /// The index before which to stop; negative counts from the end. Nil is open.
  public var end: Int?
  /// From one index to the next; negative runs backwards, never zero.
  public var stride: Int
  /// Whether only the first index is taken and the axis removed.
  public var isSqueezed: Bool

  /// A slice of one axis.
  public init(begin: Int? = nil, end: Int? = nil, stride: Int = 1, isSqueezed: Bool = false) {
    self.begin = begin
    self.end = end
    self.stride = stride
    self.isSqueezed = isSqueezed
  }

  /// The error for a stride of zero.
  package static func withoutStride(_ axis: Int) -> EngineError {
    EngineError(.invalidInput, "the stride of axis \(axis) is 0, expected another number.")
  }

  /// The indices that are taken; throws where a single one does not exist.
  package func range(_ extent: Int, axis: Int) throws -> SliceRange {
    guard isSqueezed else {
      return SliceRange(begin: begin, end: end, stride: stride, extent: extent)
    }
    let index: Int = begin ?? (stride < 0 ? -1 : 0)
    let place: Int = index < 0 ? index + extent : index
    guard (0..<extent).contains(place) else {
      throw EngineError(
        .invalidInput, "index \(index) of axis \(axis) does not exist; the axis has \(extent).")
    }
    return SliceRange(begin: place, end: place + 1, stride: 1, extent: extent)
  }
}
