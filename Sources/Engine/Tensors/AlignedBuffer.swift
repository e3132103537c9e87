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
    guard posix_memalign(&address, 64, max(byteCount, 64)) == 0, let address else {
      throw EngineError(
        .outOfMemory,
        "\(byteCount / 1_048_576) MB of memory could not be had; a smaller picture needs less.")
    }
    pointer = address
  }

  /// The floats of an array in aligned memory.
  public convenience init(_ values: [Float]) throws {
    try self.init(byteCount: values.count * 4)
    values.withUnsafeBytes { source in
      // Safe: the buffer was made as large as the array.
      if let base = source.baseAddress { pointer.copyMemory(from: base, byteCount: source.count) }
    }
  }

  deinit { free(pointer) }

  /// The memory as floats.
  public var floats: UnsafeMutablePointer<Float> { pointer.assumingMemoryBound(to: Float.self) }
}
