import Foundation

/// Bytes with one owner that frees them: the pixels of a picture.
///
/// Filled once while they are made, never changed afterwards.
final class PixelBytes: @unchecked Sendable {
  // Sendable: the memory is written only before `init` returns; afterwards it is only read, and
  // freed once by `deinit`.

  private let memory: UnsafeMutableRawPointer
  private let release: (UnsafeMutableRawPointer) -> Void

  /// How many bytes there are.
  let count: Int

  /// Takes over `count` bytes at `memory`; `release` is called with it once, at the end.
  init(
    takingOver memory: UnsafeMutableRawPointer, count: Int,
    release: @escaping @Sendable (UnsafeMutableRawPointer) -> Void
  ) {
    self.memory = memory
    self.count = count
    self.release = release
  }

  /// Allocates `count` bytes and has `fill` write all of them.
  ///
  /// - Throws: `ImagingError` where they are more than is free, or what `fill` throws.
  convenience init(
    count: Int, fill: (UnsafeMutableBufferPointer<UInt8>) throws -> Void
  ) throws {
    try MemoryRoom.require(count, for: "A picture")
    guard let memory = LargeMemory.allocate(count) else {
      throw ImagingError(
        code: .outOfMemory,
        message: "A picture needs \(count) bytes, which this machine does not have at hand now."
          + " Use a smaller picture.")
    }
    self.init(takingOver: memory, count: count, release: { free($0) })
    // Safe: the memory holds `count` bytes and nobody else knows it yet.
    let bytes: UnsafeMutablePointer<UInt8> = memory.bindMemory(to: UInt8.self, capacity: count)
    try fill(UnsafeMutableBufferPointer<UInt8>(start: bytes, count: count))
  }

  deinit { release(memory) }

  /// Lends the bytes for the time of the call.
  func withBytes<Result>(
    _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
  ) rethrows -> Result {
    // Safe: `self` outlives the call and nobody writes.
    let bytes: UnsafePointer<UInt8> = UnsafePointer(memory.assumingMemoryBound(to: UInt8.self))
    return try withExtendedLifetime(self) {
      try body(UnsafeBufferPointer<UInt8>(start: bytes, count: count))
    }
  }
}
