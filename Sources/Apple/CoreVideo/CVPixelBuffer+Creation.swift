import Foundation

/// Called when a buffer over foreign memory is gone; gets the context and the memory.
public typealias CVPixelBufferReleaseBytesCallback =
  @convention(c) (_ releaseRefCon: UnsafeMutableRawPointer?, _ baseAddress: UnsafeRawPointer?) ->
  Void

/// No side of a picture is longer: a size beyond is taken for a mistake.
private let longestSide = 1 << 20

private let largePage = 2 << 20

/// `MADV_HUGEPAGE`, which is advice only: where the system does not take it, memory is as good.
private let hugePageAdvice: CInt = 14

/// Makes a buffer of `width` × `height` pixels, all bytes zero.
///
/// Rows start at multiples of 64 bytes, or of `kCVPixelBufferBytesPerRowAlignmentKey` where
/// that is larger.
///
/// - Returns: `kCVReturnSuccess`, `kCVReturnInvalidSize` for a side that is not positive or beyond
///   1 048 576, `kCVReturnInvalidPixelFormat` for a format that is not among the constants here,
///   `kCVReturnInvalidPixelBufferAttributes` for an alignment that is not a power of two, or
///   `kCVReturnAllocationFailed`. `pixelBufferOut` is set only by a success.
@discardableResult
public func CVPixelBufferCreate(
  _ allocator: CFAllocator?, _ width: Int, _ height: Int, _ pixelFormatType: OSType,
  _ pixelBufferAttributes: CFDictionary?, _ pixelBufferOut: UnsafeMutablePointer<CVPixelBuffer?>
) -> CVReturn {
  guard let bytesPerPixel: Int = bytesPerPixel(of: pixelFormatType) else {
    return kCVReturnInvalidPixelFormat
  }
  guard width > 0, height > 0, width <= longestSide, height <= longestSide else {
    return kCVReturnInvalidSize
  }
  var alignment: Int = 64
  if let attributes = pixelBufferAttributes,
    let wanted = integer(attributes[kCVPixelBufferBytesPerRowAlignmentKey])
  {
    guard wanted > 0, wanted <= 4096, wanted & (wanted - 1) == 0 else {
      return kCVReturnInvalidPixelBufferAttributes
    }
    alignment = max(alignment, wanted)
  }
  let bytesPerRow: Int = (width * bytesPerPixel + alignment - 1) & ~(alignment - 1)
  let byteCount: Int = bytesPerRow * height
  // The memory is filled below, and a system that promises more than it has would end the process.
  guard byteCount <= sysconf(Int32(_SC_PHYS_PAGES)) * sysconf(Int32(_SC_PAGESIZE)) else {
    return kCVReturnAllocationFailed
  }
  // Large buffers ask for pages of 2 MiB: touching new memory for the first time costs more than
  // filling it, if that happens in pages of 4 KiB.
  let isLarge: Bool = byteCount >= 2 * largePage
  var memory: UnsafeMutableRawPointer?
  guard posix_memalign(&memory, isLarge ? largePage : alignment, byteCount) == 0, let memory else {
    return kCVReturnAllocationFailed
  }
  if isLarge { _ = madvise(memory, byteCount, hugePageAdvice) }
  memset(memory, 0, byteCount)
  // Safe: the closure owns the memory and frees it once, when the buffer goes.
  nonisolated(unsafe) let owned: UnsafeMutableRawPointer = memory
  pixelBufferOut.pointee = CVPixelBuffer(
    width: width, height: height, pixelFormat: pixelFormatType, bytesPerRow: bytesPerRow,
    baseAddress: memory, release: { free(owned) })
  return kCVReturnSuccess
}

/// Makes a buffer over memory of the caller, which stays the caller's until `releaseCallback` is
/// called with it.
///
/// - Parameters:
///   - baseAddress: `height` rows of `bytesPerRow` bytes.
///   - releaseCallback: Called once when the buffer is gone; `nil` where nobody needs to know.
/// - Returns: `kCVReturnSuccess`, `kCVReturnInvalidPixelFormat`, or `kCVReturnInvalidSize` for a
///   size out of range or rows too short for the width.
@discardableResult
public func CVPixelBufferCreateWithBytes(
  _ allocator: CFAllocator?, _ width: Int, _ height: Int, _ pixelFormatType: OSType,
  _ baseAddress: UnsafeMutableRawPointer, _ bytesPerRow: Int,
  _ releaseCallback: CVPixelBufferReleaseBytesCallback?,
  _ releaseRefCon: UnsafeMutableRawPointer?,
  _ pixelBufferAttributes: CFDictionary?, _ pixelBufferOut: UnsafeMutablePointer<CVPixelBuffer?>
) -> CVReturn {
  guard let bytesPerPixel: Int = bytesPerPixel(of: pixelFormatType) else {
    return kCVReturnInvalidPixelFormat
  }
  guard width > 0, height > 0, width <= longestSide, height <= longestSide,
    bytesPerRow >= width * bytesPerPixel, bytesPerRow <= Int(Int32.max)
  else { return kCVReturnInvalidSize }
  pixelBufferOut.pointee = CVPixelBuffer(
    width: width, height: height, pixelFormat: pixelFormatType, bytesPerRow: bytesPerRow,
    baseAddress: baseAddress,
    release: { releaseCallback?(releaseRefCon, UnsafeRawPointer(baseAddress)) })
  return kCVReturnSuccess
}

/// A whole number out of an attribute, whatever number type it was written as.
func integer(_ value: Any?) -> Int? {
  switch value {
  case let number as Int: return number
  case let number as NSNumber: return number.intValue
  case let number as any BinaryInteger: return Int(exactly: number)
  default: return nil
  }
}
