import Foundation

/// How a buffer is locked.
public struct CVPixelBufferLockFlags: OptionSet, Sendable {
  /// The bits.
  public let rawValue: UInt64

  /// Flags from their bits.
  public init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  /// The pixels are read and not written while the lock is held.
  public static let readOnly: CVPixelBufferLockFlags = CVPixelBufferLockFlags(rawValue: 1)
}

/// Marks the pixels as in use. Calls nest; each needs its unlock with the same flags.
///
/// - Returns: `kCVReturnSuccess`. The memory is always at hand, so locking cannot fail.
@discardableResult
public func CVPixelBufferLockBaseAddress(
  _ pixelBuffer: CVPixelBuffer, _ lockFlags: CVPixelBufferLockFlags
) -> CVReturn {
  pixelBuffer.lock()
  return kCVReturnSuccess
}

/// Ends the use that a lock began.
///
/// - Returns: `kCVReturnSuccess`, or `kCVReturnError` where the buffer is not locked.
@discardableResult
public func CVPixelBufferUnlockBaseAddress(
  _ pixelBuffer: CVPixelBuffer, _ unlockFlags: CVPixelBufferLockFlags
) -> CVReturn {
  pixelBuffer.unlock() ? kCVReturnSuccess : kCVReturnError
}

/// The first byte of the first row. It stays the same for the life of the buffer.
public func CVPixelBufferGetBaseAddress(
  _ pixelBuffer: CVPixelBuffer
) -> UnsafeMutableRawPointer? {
  pixelBuffer.baseAddress
}

/// The bytes from the start of one row to the start of the next.
public func CVPixelBufferGetBytesPerRow(_ pixelBuffer: CVPixelBuffer) -> Int {
  pixelBuffer.bytesPerRow
}

/// The width in pixels.
public func CVPixelBufferGetWidth(_ pixelBuffer: CVPixelBuffer) -> Int {
  pixelBuffer.width
}

/// The height in pixels.
public func CVPixelBufferGetHeight(_ pixelBuffer: CVPixelBuffer) -> Int {
  pixelBuffer.height
}

/// The pixel format: one of the `kCVPixelFormatType` constants.
public func CVPixelBufferGetPixelFormatType(_ pixelBuffer: CVPixelBuffer) -> OSType {
  pixelBuffer.pixelFormat
}

/// The bytes of all rows together, padding included.
public func CVPixelBufferGetDataSize(_ pixelBuffer: CVPixelBuffer) -> Int {
  pixelBuffer.bytesPerRow * pixelBuffer.height
}

/// Whether the pixels lie in several planes. Never here.
public func CVPixelBufferIsPlanar(_ pixelBuffer: CVPixelBuffer) -> Bool {
  false
}

/// The planes of a planar buffer: 0, as no buffer here is planar.
public func CVPixelBufferGetPlaneCount(_ pixelBuffer: CVPixelBuffer) -> Int {
  0
}

/// The first byte of a plane. Without planes, plane 0 is the buffer itself.
public func CVPixelBufferGetBaseAddressOfPlane(
  _ pixelBuffer: CVPixelBuffer, _ planeIndex: Int
) -> UnsafeMutableRawPointer? {
  planeIndex == 0 ? pixelBuffer.baseAddress : nil
}

/// The row length of a plane. Without planes, plane 0 is the buffer itself.
public func CVPixelBufferGetBytesPerRowOfPlane(
  _ pixelBuffer: CVPixelBuffer, _ planeIndex: Int
) -> Int {
  planeIndex == 0 ? pixelBuffer.bytesPerRow : 0
}

/// The width of a plane in pixels. Without planes, plane 0 is the buffer itself.
public func CVPixelBufferGetWidthOfPlane(_ pixelBuffer: CVPixelBuffer, _ planeIndex: Int) -> Int {
  planeIndex == 0 ? pixelBuffer.width : 0
}

/// The height of a plane in pixels. Without planes, plane 0 is the buffer itself.
public func CVPixelBufferGetHeightOfPlane(_ pixelBuffer: CVPixelBuffer, _ planeIndex: Int) -> Int {
  planeIndex == 0 ? pixelBuffer.height : 0
}

/// The size of the coded picture, in pixels.
public func CVImageBufferGetEncodedSize(_ imageBuffer: CVImageBuffer) -> CGSize {
  CGSize(width: imageBuffer.width, height: imageBuffer.height)
}

/// The size to show the picture at, in pixels.
public func CVImageBufferGetDisplaySize(_ imageBuffer: CVImageBuffer) -> CGSize {
  CVImageBufferGetEncodedSize(imageBuffer)
}

/// The part of the picture that is meant to be seen: all of it.
public func CVImageBufferGetCleanRect(_ imageBuffer: CVImageBuffer) -> CGRect {
  CGRect(origin: CGPoint(), size: CVImageBufferGetEncodedSize(imageBuffer))
}
