import Foundation

/// Memory for whole planes of pixels.
enum LargeMemory {
  /// From this size on, memory is asked for in pages of 2 MiB: touching 36 MB of new memory for
  /// the first time costs more than filling it, if that happens in pages of 4 KiB.
  private static let largePage: Int = 2 << 20

  /// `MADV_HUGEPAGE`, which is advice only: where the system does not take it, memory is as good.
  private static let hugePageAdvice: CInt = 14

  /// Memory to be given back with `free`; `nil` where there is none. What it holds is undefined.
  static func allocate(_ count: Int) -> UnsafeMutableRawPointer? {
    guard count >= 2 * largePage else { return malloc(max(count, 1)) }
    var memory: UnsafeMutableRawPointer?
    guard posix_memalign(&memory, largePage, count) == 0 else { return nil }
    _ = madvise(memory, count, hugePageAdvice)
    return memory
  }
}
