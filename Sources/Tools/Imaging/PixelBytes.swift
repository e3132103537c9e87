import Foundation

/// Owns the bytes of a picture's pixels and frees them.
///
/// The bytes are written once, in the initialiser, and are immutable afterwards.
final class PixelBytes: @unchecked Sendable {
  // `@unchecked Sendable`: the memory is written only before `init` returns. Afterwards it is only read, and `deinit`
  // frees it once.

  private let memory: UnsafeMutableRawPointer
  private let release: (UnsafeMutableRawPointer) -> Void

  /// The number of bytes.
  let count: Int

  /// Takes ownership of `count` bytes at `memory`. Calls `release` with `memory` once, when this object is deallocated.
  init(
    takingOver memory: UnsafeMutableRawPointer, count: Int,
    release: @escaping @Sendable (UnsafeMutableRawPointer) -> Void
  ) {
    self.memory = memory
    self.count = count
    self.release = release
  }

  /// Allocates `count` bytes and calls `fill`, which must write all of them.
  ///
  /// - Throws: `ImagingError` if fewer bytes are free, or the errors of `fill`.
  convenience init(
    count: Int, fill: (UnsafeMutableBufferPointer<UInt8>) throws -> Void
  ) throws {
    try AvailableMemory.require(count, for: "A picture")
    guard let memory = LargeMemory.allocate(count) else {
      throw ImagingError(
        code: .outOfMemory,
        message: "A picture needs \(count) bytes, but this machine does not have so much free"
          + " memory. Use a smaller picture.")
    }
    self.init(takingOver: memory, count: count, release: { free($0) })
    // Safe: the memory has `count` bytes, and no other code has access to it yet.
    let bytes: UnsafeMutablePointer<UInt8> = memory.bindMemory(to: UInt8.self, capacity: count)
    try fill(UnsafeMutableBufferPointer<UInt8>(start: bytes, count: count))
  }

  deinit { release(memory) }

  /// Calls the closure with the bytes.
  func withBytes<Result>(
    _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
  ) rethrows -> Result {
    // Safe: `self` outlives the call, and the bytes are immutable.
    let bytes: UnsafePointer<UInt8> = UnsafePointer(memory.assumingMemoryBound(to: UInt8.self))
    return try withExtendedLifetime(self) {
      try body(UnsafeBufferPointer<UInt8>(start: bytes, count: count))
    }
  }
}
