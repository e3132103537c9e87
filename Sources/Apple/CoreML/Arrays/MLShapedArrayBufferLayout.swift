/// The order of a shaped array's elements in memory.
public enum MLShapedArrayBufferLayout: Sendable, Hashable {
  /// Elements that are neighbours along the last axis are adjacent in memory, without gaps (row-major or C order).
  case firstMajorContiguous
  /// Elements that are neighbours along the first axis are adjacent in memory, without gaps (column-major or Fortran
  /// order).
  case lastMajorContiguous
  /// Any layout. The numbers are the distances in elements between neighbours along each axis.
  case strides([Int])

  func strides(of shape: [Int]) -> [Int] {
    switch self {
    case .firstMajorContiguous:
      return ArrayLayout.contiguousStrides(of: shape)
    case .lastMajorContiguous:
      return ArrayLayout.contiguousStrides(of: shape.reversed()).reversed()
    case .strides(let strides):
      return strides
    }
  }
}
