import Operators

extension Int {
  /// The next multiple of the 64 bytes of a cache line.
  package var roundedToLine: Int { (self + 63) / 64 * 64 }
}
