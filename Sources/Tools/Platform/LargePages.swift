import Glibc

/// Memory in pages of 2 MiB, if the system has such pages. The first access to a large block of memory, and later reads
/// of the block, take less time than with pages of 4 KiB.
package enum LargePages {
  /// The size of a large page, in bytes.
  package static let byteCount: Int = 2 << 20

  /// `MADV_HUGEPAGE` of Linux, which Glibc's module does not export.
  private static let hugePageAdvice: CInt = 14

  /// Asks the system to use large pages for a block of memory. The system may ignore this advice.
  package static func advise(_ memory: UnsafeMutableRawPointer, _ byteCount: Int) {
    _ = madvise(memory, byteCount, hugePageAdvice)
  }
}
