import Platform

/// The memory of a picture: rows of pixels in one of the `kCVPixelFormatType` formats.
///
/// Made by `CVPixelBufferCreate` or `CVPixelBufferCreateWithBytes`; read and written between
/// `CVPixelBufferLockBaseAddress` and `CVPixelBufferUnlockBaseAddress`. Buffers that are created
/// here start at an address, and have rows of a length, that are multiples of 64 bytes.
///
/// Apple's contract holds: the lock marks use, it does not keep other threads out. Whoever shares a
/// buffer between threads sees to it that nobody writes while another reads.
public final class CVPixelBuffer: @unchecked Sendable {
  // Sendable: all stored properties are constants or guarded by `Locked`, and Apple's contract,
  // stated above, leaves it to the callers that share a buffer to order the access to its pixels.

  let width: Int
  let height: Int
  let pixelFormat: OSType
  let bytesPerRow: Int
  let baseAddress: UnsafeMutableRawPointer
  private let release: () -> Void
  private let lockCount: Locked<Int> = Locked(0)

  /// Takes over memory that holds `height` rows of `bytesPerRow` bytes.
  ///
  /// `release` is called once, when the last reference to the buffer is gone.
  init(
    width: Int, height: Int, pixelFormat: OSType, bytesPerRow: Int,
    baseAddress: UnsafeMutableRawPointer, release: @escaping () -> Void
  ) {
    self.width = width
    self.height = height
    self.pixelFormat = pixelFormat
    self.bytesPerRow = bytesPerRow
    self.baseAddress = baseAddress
    self.release = release
  }

  deinit { release() }

  func lock() {
    lockCount.withLock { $0 += 1 }
  }

  /// False where the buffer was not locked.
  func unlock() -> Bool {
    lockCount.withLock { (count: inout Int) -> Bool in
      guard count > 0 else { return false }
      count -= 1
      return true
    }
  }
}

/// A buffer that holds a picture. Pixel buffers are the only ones here.
public typealias CVImageBuffer = CVPixelBuffer

/// A buffer. Pixel buffers are the only ones here.
public typealias CVBuffer = CVPixelBuffer

extension CVPixelBuffer: Hashable {
  /// Buffers are equal when they are the same buffer.
  public static func == (left: CVPixelBuffer, right: CVPixelBuffer) -> Bool {
    left === right
  }

  /// Hashes the buffer's identity.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(self))
  }
}

extension CVPixelBuffer: CustomStringConvertible {
  /// The size and the format, for people.
  public var description: String {
    "CVPixelBuffer \(width)×\(height) \(fourCharacterName(of: pixelFormat)),"
      + " \(bytesPerRow) bytes per row"
  }
}
