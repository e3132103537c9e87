/// How the elements of a shaped array follow each other in memory.
public enum MLShapedArrayBufferLayout: Sendable, Hashable {
  /// The last axis is fastest, without gaps (C order).
  case firstMajorContiguous
  /// The first axis is fastest, without gaps (Fortran order).
  case lastMajorContiguous
  /// The distance between neighbours along each axis, in elements.
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
