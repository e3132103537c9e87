import Foundation
import Platform

/// Allocates memory for complete planes of pixels.
enum LargeMemory {
  /// Allocates uninitialised memory, which the caller releases with `free`. Returns nil if too little memory is free.
  ///
  /// Large blocks use pages of 2 MiB. With pages of 4 KiB, the first access to 36 MB of new memory would take longer
  /// than filling it.
  static func allocate(_ count: Int) -> UnsafeMutableRawPointer? {
    guard count >= 2 * LargePages.byteCount else { return malloc(max(count, 1)) }
    var memory: UnsafeMutableRawPointer?
    guard posix_memalign(&memory, LargePages.byteCount, count) == 0, let memory else { return nil }
    LargePages.advise(memory, count)
    return memory
  }
}
