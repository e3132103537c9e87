import Platform

/// The memory of an image: rows of pixels, or planes of luma and chroma, in one of the `kCVPixelFormatType` formats.
///
/// `CVPixelBufferCreate` and `CVPixelBufferCreateWithBytes` make buffers. Read and write pixels between
/// `CVPixelBufferLockBaseAddress` and `CVPixelBufferUnlockBaseAddress`. The base address and the bytes per row of
/// buffers from `CVPixelBufferCreate` are multiples of 64 bytes.
///
/// As in Apple's framework, locking only marks the buffer as in use and does not exclude other threads. Callers that
/// share a buffer between threads must make sure that nobody writes while another thread reads.
public final class CVPixelBuffer: @unchecked Sendable {
  // Sendable: all stored properties are constants or protected by `Locked`. The type does not protect the pixels:
  // callers must do so, as the comment above says.

  let width: Int
  let height: Int
  let pixelFormat: OSType
  let bytesPerRow: Int
  let baseAddress: UnsafeMutableRawPointer
  /// The planes of a planar format. Empty for another format.
  let planes: [Plane]
  /// The size of all rows of all planes, with padding.
  let byteCount: Int
  private let release: () -> Void
  private let lockCount: Locked<Int> = Locked(0)
  /// The attachments with their modes.
  let attachments = Locked<[String: CVAttachment]>([:])

  /// A plane of a planar format.
  struct Plane: @unchecked Sendable {
    // Sendable: as for the buffer, callers protect the pixels.
    let width: Int
    let height: Int
    let bytesPerRow: Int
    let baseAddress: UnsafeMutableRawPointer
  }

  /// Uses memory with `height` rows of `bytesPerRow` bytes, or with planes.
  ///
  /// - Parameter release: The closure that is called once, when the buffer is released.
  init(
    width: Int, height: Int, pixelFormat: OSType, bytesPerRow: Int,
    baseAddress: UnsafeMutableRawPointer, planes: [Plane] = [], byteCount: Int,
    release: @escaping () -> Void
  ) {
    self.width = width
    self.height = height
    self.pixelFormat = pixelFormat
    self.bytesPerRow = bytesPerRow
    self.baseAddress = baseAddress
    self.planes = planes
    self.byteCount = byteCount
    self.release = release
  }

  deinit { release() }

  func lock() {
    lockCount.withLock { $0 += 1 }
  }

  /// Unlocks the buffer once. Returns false if the buffer was not locked.
  func unlock() -> Bool {
    lockCount.withLock { (count: inout Int) -> Bool in
      guard count > 0 else { return false }
      count -= 1
      return true
    }
  }
}

/// An image buffer. Pixel buffers are the only kind here.
public typealias CVImageBuffer = CVPixelBuffer

/// A buffer. Pixel buffers are the only kind here.
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
  /// The size, the format and the bytes per row as text.
  public var description: String {
    "CVPixelBuffer \(width)×\(height) \(fourCharacterName(of: pixelFormat)),"
      + " \(bytesPerRow) bytes per row"
  }
}
