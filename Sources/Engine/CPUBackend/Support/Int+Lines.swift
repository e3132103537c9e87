import Operators

extension Int {
  /// The next multiple of a cache line's 64 bytes.
  package var roundedToLine: Int { (self + 63) / 64 * 64 }
}
