import CoreVideo
import Platform
import Foundation

/// The memory of an array, and the function that frees this memory.
///
/// `@unchecked Sendable`: the pointer changes only in ``detach()``, which replaces memory that a caller lends for one
/// call. Only the sole owner writes through the pointer. A shaped array checks unique ownership before every write, and
/// a multi-array is not sendable.
final class ArrayMemory: @unchecked Sendable {
  // The attribute turns Swift's exclusivity checks off for speed, because every access to an element reads this
  // property.
  @exclusivity(unchecked)
  private(set) var start: UnsafeMutableRawPointer
  let byteCount: Int
  /// The pixel buffer that owns the memory, or nil. While this object exists, the buffer's base address stays locked.
  let pixelBuffer: CVPixelBuffer?
  /// False for memory that a caller lends for reading only.
  let isWritable: Bool
  /// Frees the memory when this object is released. The argument is the address. Nil if nothing must be freed.
  private var release: ((UnsafeMutableRawPointer) -> Void)?

  /// Allocates uninitialised memory. The address is a multiple of 64 bytes, which makes vector loads fast.
  init(byteCount: Int) {
    start = UnsafeMutableRawPointer.allocate(byteCount: max(byteCount, 1), alignment: 64)
    self.byteCount = byteCount
    pixelBuffer = nil
    isWritable = true
    release = { (pointer: UnsafeMutableRawPointer) in pointer.deallocate() }
  }

  /// Allocates uninitialised memory of a size that comes from a caller or a file and may be too large.
  ///
  /// - Throws: ``MLModelError`` when the machine has less free memory than `byteCount`.
  init(claiming byteCount: Int) throws {
    var address: UnsafeMutableRawPointer?
    guard SystemMemory.has(byteCount), posix_memalign(&address, 64, max(byteCount, 64)) == 0,
      let address
    else {
      throw MLModelError(
        .generic,
        "A multi-array of \(byteCount / 1_048_576) MB does not fit into the free memory; use a "
          + "smaller shape.")
    }
    start = address
    self.byteCount = byteCount
    pixelBuffer = nil
    isWritable = true
    release = { (pointer: UnsafeMutableRawPointer) in free(pointer) }
  }

  /// Uses the caller's memory. Calls `release` once, when the last array that uses the memory is released.
  init(
    start: UnsafeMutableRawPointer, byteCount: Int, isWritable: Bool = true,
    release: ((UnsafeMutableRawPointer) -> Void)?
  ) {
    self.start = start
    self.byteCount = byteCount
    self.isWritable = isWritable
    pixelBuffer = nil
    self.release = release
  }

  /// Uses the memory of a pixel buffer. Returns nil if the buffer has no base address.
  init?(pixelBuffer: CVPixelBuffer) {
    CVPixelBufferLockBaseAddress(pixelBuffer, [])
    guard let base = CVPixelBufferGetBaseAddress(pixelBuffer) else {
      CVPixelBufferUnlockBaseAddress(pixelBuffer, [])
      return nil
    }
    start = base
    byteCount = CVPixelBufferGetBytesPerRow(pixelBuffer) * CVPixelBufferGetHeight(pixelBuffer)
    self.pixelBuffer = pixelBuffer
    isWritable = true
    release = nil
  }

  /// Replaces memory that a caller lends for one call with a copy that this object owns. An array that outlives the
  /// call needs this copy.
  func detach() {
    let own = UnsafeMutableRawPointer.allocate(byteCount: max(byteCount, 1), alignment: 64)
    own.copyMemory(from: start, byteCount: byteCount)
    release?(start)
    start = own
    release = { (pointer: UnsafeMutableRawPointer) in pointer.deallocate() }
  }

  deinit {
    if let pixelBuffer {
      CVPixelBufferUnlockBaseAddress(pixelBuffer, [])
    }
    release?(start)
  }
}
