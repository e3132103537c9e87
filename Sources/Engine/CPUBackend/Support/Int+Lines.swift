import Operators

extension Int {
  /// This number of bytes, rounded up to cache lines of 64 bytes.
  package var roundedToLine: Int { (self + 63) / 64 * 64 }
}
