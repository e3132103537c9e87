import Foundation
import Platform

/// A callback that frees the caller's memory when the buffer over that memory is released. The arguments are the
/// context that the caller gave and the address of the memory.
public typealias CVPixelBufferReleaseBytesCallback =
  @convention(c) (_ releaseRefCon: UnsafeMutableRawPointer?, _ baseAddress: UnsafeRawPointer?) ->
  Void

/// The maximum width and height in pixels. Creating a larger buffer fails.
private let longestSide = 1 << 20

/// Creates a buffer of `width` × `height` pixels, filled with zeros.
///
/// Each row is aligned to 64 bytes. If the attribute `kCVPixelBufferBytesPerRowAlignmentKey` is larger than 64, each
/// row is aligned to the attribute's number of bytes instead.
///
/// - Returns: `kCVReturnSuccess`, or `kCVReturnAllocationFailed` if memory does not suffice. `kCVReturnInvalidSize` for
///   a width or height outside of 1…1,048,576. `kCVReturnInvalidPixelFormat` for an unsupported format.
///   `kCVReturnInvalidPixelBufferAttributes` for an alignment that is not a power of two from 1 to 4096.
///   `pixelBufferOut` is set only on success.
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
    let requested = integer(attributes[kCVPixelBufferBytesPerRowAlignmentKey])
  {
    guard requested > 0, requested <= 4096, requested & (requested - 1) == 0 else {
      return kCVReturnInvalidPixelBufferAttributes
    }
    alignment = max(alignment, requested)
  }
  let bytesPerRow: Int = (width * bytesPerPixel + alignment - 1) & ~(alignment - 1)
  let byteCount: Int = bytesPerRow * height
  // Linux lets a process allocate more memory than the machine has, and kills the process when it writes to that
  // memory. The code below writes to all of the buffer, so this check comes first.
  guard byteCount <= sysconf(Int32(_SC_PHYS_PAGES)) * sysconf(Int32(_SC_PAGESIZE)) else {
    return kCVReturnAllocationFailed
  }
  // Large buffers use 2 MiB pages. With 4 KiB pages, the page faults of new memory take longer than filling the memory.
  let isLarge: Bool = byteCount >= 2 * LargePages.byteCount
  var memory: UnsafeMutableRawPointer?
  guard posix_memalign(&memory, isLarge ? LargePages.byteCount : alignment, byteCount) == 0,
    let memory
  else {
    return kCVReturnAllocationFailed
  }
  if isLarge { LargePages.advise(memory, byteCount) }
  memset(memory, 0, byteCount)
  // Safe: the closure owns the memory and frees it once, when the buffer is released.
  nonisolated(unsafe) let owned: UnsafeMutableRawPointer = memory
  pixelBufferOut.pointee = CVPixelBuffer(
    width: width, height: height, pixelFormat: pixelFormatType, bytesPerRow: bytesPerRow,
    baseAddress: memory, release: { free(owned) })
  return kCVReturnSuccess
}

/// Creates a buffer over the caller's memory. The memory must stay valid until `releaseCallback` is called.
///
/// - Parameters:
///   - baseAddress: `height` rows of `bytesPerRow` bytes.
///   - releaseCallback: The function that is called once, when the buffer is released; nil for none.
/// - Returns: `kCVReturnSuccess`, or an error. `kCVReturnInvalidPixelFormat` for an unsupported format.
///   `kCVReturnInvalidSize` for a size out of range, and for rows that are too short for the width.
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

/// Returns an attribute as an integer, or nil if the attribute is not a number.
func integer(_ value: Any?) -> Int? {
  switch value {
  case let number as Int: return number
  case let number as NSNumber: return number.intValue
  case let number as any BinaryInteger: return Int(exactly: number)
  default: return nil
  }
}
