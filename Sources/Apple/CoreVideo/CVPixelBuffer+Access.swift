import Foundation

/// Options for locking a buffer.
public struct CVPixelBufferLockFlags: OptionSet, Sendable {
  /// The bits of the flags.
  public let rawValue: UInt64

  /// Makes flags from their bits.
  public init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  /// The caller only reads the pixels while it holds the lock.
  public static let readOnly: CVPixelBufferLockFlags = CVPixelBufferLockFlags(rawValue: 1)
}

/// Marks the pixels as in use. Calls can be nested. Each call needs one call of
/// ``CVPixelBufferUnlockBaseAddress(_:_:)`` with the same flags.
///
/// - Returns: `kCVReturnSuccess`. Locking cannot fail, because the memory is always accessible.
@discardableResult
public func CVPixelBufferLockBaseAddress(
  _ pixelBuffer: CVPixelBuffer, _ lockFlags: CVPixelBufferLockFlags
) -> CVReturn {
  pixelBuffer.lock()
  return kCVReturnSuccess
}

/// Ends a use of the pixels that ``CVPixelBufferLockBaseAddress(_:_:)`` began.
///
/// - Returns: `kCVReturnSuccess`, or `kCVReturnError` if the buffer is not locked.
@discardableResult
public func CVPixelBufferUnlockBaseAddress(
  _ pixelBuffer: CVPixelBuffer, _ unlockFlags: CVPixelBufferLockFlags
) -> CVReturn {
  pixelBuffer.unlock() ? kCVReturnSuccess : kCVReturnError
}

/// Returns the address of the first row. The address never changes. Nil for a planar buffer, whose planes have
/// addresses (``CVPixelBufferGetBaseAddressOfPlane(_:_:)``).
public func CVPixelBufferGetBaseAddress(
  _ pixelBuffer: CVPixelBuffer
) -> UnsafeMutableRawPointer? {
  pixelBuffer.planes.isEmpty ? pixelBuffer.baseAddress : nil
}

/// Returns the bytes per row, including padding. For a planar buffer, the height times this number is at least the
/// size of all planes.
public func CVPixelBufferGetBytesPerRow(_ pixelBuffer: CVPixelBuffer) -> Int {
  pixelBuffer.bytesPerRow
}

/// Returns the width in pixels.
public func CVPixelBufferGetWidth(_ pixelBuffer: CVPixelBuffer) -> Int {
  pixelBuffer.width
}

/// Returns the height in pixels.
public func CVPixelBufferGetHeight(_ pixelBuffer: CVPixelBuffer) -> Int {
  pixelBuffer.height
}

/// Returns the pixel format: one of the `kCVPixelFormatType` constants.
public func CVPixelBufferGetPixelFormatType(_ pixelBuffer: CVPixelBuffer) -> OSType {
  pixelBuffer.pixelFormat
}

/// Returns the size of all rows in bytes, including padding.
public func CVPixelBufferGetDataSize(_ pixelBuffer: CVPixelBuffer) -> Int {
  pixelBuffer.byteCount
}

/// Returns whether the buffer has a planar format.
public func CVPixelBufferIsPlanar(_ pixelBuffer: CVPixelBuffer) -> Bool {
  !pixelBuffer.planes.isEmpty
}

/// Returns the number of planes: 2 or 3, or 0 for a buffer that is not planar.
public func CVPixelBufferGetPlaneCount(_ pixelBuffer: CVPixelBuffer) -> Int {
  pixelBuffer.planes.count
}

/// Returns the address of a plane. Nil if the plane does not exist. Plane 0 of a buffer that is not planar is the whole
/// buffer.
public func CVPixelBufferGetBaseAddressOfPlane(
  _ pixelBuffer: CVPixelBuffer, _ planeIndex: Int
) -> UnsafeMutableRawPointer? {
  pixelBuffer.plane(planeIndex)?.baseAddress
}

/// Returns the bytes per row of a plane. 0 if the plane does not exist.
public func CVPixelBufferGetBytesPerRowOfPlane(
  _ pixelBuffer: CVPixelBuffer, _ planeIndex: Int
) -> Int {
  pixelBuffer.plane(planeIndex)?.bytesPerRow ?? 0
}

/// Returns the width of a plane in samples. 0 if the plane does not exist.
public func CVPixelBufferGetWidthOfPlane(_ pixelBuffer: CVPixelBuffer, _ planeIndex: Int) -> Int {
  pixelBuffer.plane(planeIndex)?.width ?? 0
}

/// Returns the height of a plane in samples. 0 if the plane does not exist.
public func CVPixelBufferGetHeightOfPlane(_ pixelBuffer: CVPixelBuffer, _ planeIndex: Int) -> Int {
  pixelBuffer.plane(planeIndex)?.height ?? 0
}

extension CVPixelBuffer {
  /// Returns a plane. Plane 0 of a buffer that is not planar is the whole buffer.
  fileprivate func plane(_ index: Int) -> Plane? {
    guard planes.isEmpty else { return planes.indices.contains(index) ? planes[index] : nil }
    return index == 0
      ? Plane(width: width, height: height, bytesPerRow: bytesPerRow, baseAddress: baseAddress)
      : nil
  }
}

/// Returns the size of the encoded image, in pixels.
public func CVImageBufferGetEncodedSize(_ imageBuffer: CVImageBuffer) -> CGSize {
  CGSize(width: imageBuffer.width, height: imageBuffer.height)
}

/// Returns the size at which the image is displayed, in pixels.
public func CVImageBufferGetDisplaySize(_ imageBuffer: CVImageBuffer) -> CGSize {
  CVImageBufferGetEncodedSize(imageBuffer)
}

/// Returns the visible part of the image: all of it.
public func CVImageBufferGetCleanRect(_ imageBuffer: CVImageBuffer) -> CGRect {
  CGRect(origin: CGPoint(), size: CVImageBufferGetEncodedSize(imageBuffer))
}
