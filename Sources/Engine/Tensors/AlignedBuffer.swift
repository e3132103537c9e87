import Glibc
import Platform

/// Memory aligned to cache lines. The memory is freed together with the buffer object.
///
/// `@unchecked Sendable`: the pointer never changes, and a caller that writes must have exclusive access to the memory.
public final class AlignedBuffer: @unchecked Sendable {
  /// The first byte, aligned to 64 bytes.
  public let pointer: UnsafeMutableRawPointer
  /// The size of the memory, in bytes.
  public let byteCount: Int

  /// Allocates uninitialised memory. Throws `outOfMemory` if the system does not provide the memory.
  public init(byteCount: Int) throws {
    self.byteCount = byteCount
    var address: UnsafeMutableRawPointer?
    let isLarge: Bool = byteCount >= LargePages.byteCount
    guard
      posix_memalign(&address, isLarge ? LargePages.byteCount : 64, max(byteCount, 64)) == 0,
      let address
    else {
      throw EngineError(
        .outOfMemory,
        "The system did not give \(byteCount / 1_048_576) MB of memory; use a smaller image.")
    }
    if isLarge {
      LargePages.advise(address, byteCount)
      // Core dumps must not contain large buffers, because these may hold packed weights of an encrypted model.
      _ = madvise(address, byteCount, MADV_DONTDUMP)
    }
    pointer = address
  }

  /// Copies the floats of an array to aligned memory.
  public convenience init(_ values: [Float]) throws {
    try self.init(byteCount: values.count * 4)
    values.withUnsafeBytes { source in
      // Safe: the buffer is as large as the array.
      if let base = source.baseAddress { pointer.copyMemory(from: base, byteCount: source.count) }
    }
  }

  deinit {
    // The allocator may reuse the memory for other data. Core dumps may contain that data.
    if byteCount >= LargePages.byteCount { _ = madvise(pointer, byteCount, MADV_DODUMP) }
    free(pointer)
  }

  /// The memory as floats.
  public var floats: UnsafeMutablePointer<Float> { pointer.assumingMemoryBound(to: Float.self) }
}
