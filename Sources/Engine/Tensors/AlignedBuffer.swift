import Glibc

/// Memory aligned to a cache line, freed with its owner.
///
/// `@unchecked Sendable`: the pointer never changes; who writes through it must be alone.
public final class AlignedBuffer: @unchecked Sendable {
  /// The first byte, at a multiple of 64.
  public let pointer: UnsafeMutableRawPointer
  /// The size in bytes.
  public let byteCount: Int

  /// Uninitialised memory; throws `outOfMemory` when the system has none.
  public init(byteCount: Int) throws {
    self.byteCount = byteCount
    var address: UnsafeMutableRawPointer?
    let isLarge: Bool = byteCount >= Self.largePage
    guard
      posix_memalign(&address, isLarge ? Self.largePage : 64, max(byteCount, 64)) == 0, let address
    else {
      throw EngineError(
        .outOfMemory,
        "\(byteCount / 1_048_576) MB of memory could not be had; a smaller picture needs less.")
    }
    if isLarge {
      _ = madvise(address, byteCount, Self.hugePageAdvice)
      // What is packed may come from an encrypted model: it is left out of core dumps.
      _ = madvise(address, byteCount, MADV_DONTDUMP)
    }
    pointer = address
  }

  /// From this size on, memory is asked for in pages of 2 MiB: weights that are read once a prediction are
  /// read faster.
  private static let largePage: Int = 2 << 20

  /// `MADV_HUGEPAGE`, which is advice only: where the system does not take it, memory is as good.
  private static let hugePageAdvice: CInt = 14

  /// The floats of an array in aligned memory.
  public convenience init(_ values: [Float]) throws {
    try self.init(byteCount: values.count * 4)
    values.withUnsafeBytes { source in
      // Safe: the buffer was made as large as the array.
      if let base = source.baseAddress { pointer.copyMemory(from: base, byteCount: source.count) }
    }
  }

  deinit {
    // The allocator may use the memory for something else next.
    if byteCount >= Self.largePage { _ = madvise(pointer, byteCount, MADV_DODUMP) }
    free(pointer)
  }

  /// The memory as floats.
  public var floats: UnsafeMutablePointer<Float> { pointer.assumingMemoryBound(to: Float.self) }
}
