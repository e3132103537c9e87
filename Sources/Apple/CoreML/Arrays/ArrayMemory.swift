import CoreVideo
import Platform
import Foundation

/// One block of memory that an array lives in, with the one way of giving it back.
///
/// `@unchecked Sendable`: the pointer is fixed for the life of the object, but for memory that was lent for one call,
/// which ``becomeOwn()`` ends. Who writes through it owns it alone: a shaped array checks unique ownership
/// before every write, and a multi-array is not sendable.
final class ArrayMemory: @unchecked Sendable {
  // Unchecked: every access to an element reads it.
  @exclusivity(unchecked)
  private(set) var start: UnsafeMutableRawPointer
  let byteCount: Int
  /// The pixel buffer that the memory belongs to, its base address locked while this lives.
  let pixelBuffer: CVPixelBuffer?
  /// False for memory lent by a caller without the right to write.
  let isWritable: Bool
  private var release: ((UnsafeMutableRawPointer) -> Void)?

  /// New memory, aligned for vector loads. Not cleared.
  init(byteCount: Int) {
    start = UnsafeMutableRawPointer.allocate(byteCount: max(byteCount, 1), alignment: 64)
    self.byteCount = byteCount
    pixelBuffer = nil
    isWritable = true
    release = { (pointer: UnsafeMutableRawPointer) in pointer.deallocate() }
  }

  /// New memory of a size that a caller or a file asks for. Not cleared.
  ///
  /// - Throws: ``MLModelError`` where the machine does not have it.
  init(claiming byteCount: Int) throws {
    var address: UnsafeMutableRawPointer?
    guard SystemMemory.has(byteCount), posix_memalign(&address, 64, max(byteCount, 64)) == 0,
      let address
    else {
      throw MLModelError(
        .generic,
        "A multi-array of \(byteCount / 1_048_576) MB does not fit the memory that is free; use a "
          + "smaller shape.")
    }
    start = address
    self.byteCount = byteCount
    pixelBuffer = nil
    isWritable = true
    release = { (pointer: UnsafeMutableRawPointer) in free(pointer) }
  }

  /// Memory of somebody else's; `release` is called once when the last array is gone.
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

  /// The memory of a pixel buffer; nil when the buffer gives no address.
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

  /// Moves what lies in lent memory to memory of this object, for an array that is kept longer than the loan.
  func becomeOwn() {
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
