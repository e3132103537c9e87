import Foundation

/// A callback that frees the caller's memory when the buffer over that memory is released. The arguments are the
/// context that the caller gave and the address of the memory.
public typealias CVPixelBufferReleaseBytesCallback =
  @convention(c) (_ releaseRefCon: UnsafeMutableRawPointer?, _ baseAddress: UnsafeRawPointer?) ->
  Void

/// Creates a buffer of `width` × `height` pixels, filled with zeros.
///
/// Each row, also of each plane, is aligned to 64 bytes. If the attribute `kCVPixelBufferBytesPerRowAlignmentKey` is larger than 64, each
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
  do throws(PixelBufferFailure) {
    let layout = try PixelBufferLayout(
      width: width, height: height, pixelFormat: pixelFormatType, attributes: pixelBufferAttributes)
    // Safe: the closure owns the memory and frees it once, when the buffer is released.
    nonisolated(unsafe) let memory: UnsafeMutableRawPointer = try layout.allocate()
    pixelBufferOut.pointee = layout.buffer(over: memory) { free(memory) }
    return kCVReturnSuccess
  } catch { return error.status }
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
  guard width > 0, height > 0, width <= PixelBufferLayout.longestSide,
    height <= PixelBufferLayout.longestSide, bytesPerRow >= width * bytesPerPixel,
    bytesPerRow <= Int(Int32.max)
  else { return kCVReturnInvalidSize }
  pixelBufferOut.pointee = CVPixelBuffer(
    width: width, height: height, pixelFormat: pixelFormatType, bytesPerRow: bytesPerRow,
    baseAddress: baseAddress, byteCount: bytesPerRow * height,
    release: { releaseCallback?(releaseRefCon, UnsafeRawPointer(baseAddress)) })
  return kCVReturnSuccess
}

/// A callback that frees the caller's planes when the buffer over them is released. The arguments are the context that
/// the caller gave, the memory of all planes, its size, the number of planes, and their addresses.
public typealias CVPixelBufferReleasePlanarBytesCallback =
  @convention(c) (
    _ releaseRefCon: UnsafeMutableRawPointer?, _ dataPtr: UnsafeRawPointer?, _ dataSize: Int,
    _ numberOfPlanes: Int, _ planeAddresses: UnsafeMutablePointer<UnsafeRawPointer?>?
  ) -> Void

/// Creates a buffer over the caller's planes. The memory must stay valid until `releaseCallback` is called.
///
/// - Returns: `kCVReturnSuccess`, or an error. `kCVReturnInvalidPixelFormat` for a format that is not planar.
///   `kCVReturnInvalidArgument` for another number of planes than the format's, or a missing address.
///   `kCVReturnInvalidSize` for planes that are too small.
@discardableResult
public func CVPixelBufferCreateWithPlanarBytes(
  _ allocator: CFAllocator?, _ width: Int, _ height: Int, _ pixelFormatType: OSType,
  _ dataPtr: UnsafeMutableRawPointer?, _ dataSize: Int, _ numberOfPlanes: Int,
  _ planeBaseAddress: UnsafeMutablePointer<UnsafeMutableRawPointer?>,
  _ planeWidth: UnsafeMutablePointer<Int>, _ planeHeight: UnsafeMutablePointer<Int>,
  _ planeBytesPerRow: UnsafeMutablePointer<Int>,
  _ releaseCallback: CVPixelBufferReleasePlanarBytesCallback?,
  _ releaseRefCon: UnsafeMutableRawPointer?, _ pixelBufferAttributes: CFDictionary?,
  _ pixelBufferOut: UnsafeMutablePointer<CVPixelBuffer?>
) -> CVReturn {
  let samples: [SamplePlane] = samplePlanes(of: pixelFormatType)
  guard !samples.isEmpty else { return kCVReturnInvalidPixelFormat }
  guard width > 0, height > 0, width <= PixelBufferLayout.longestSide,
    height <= PixelBufferLayout.longestSide
  else { return kCVReturnInvalidSize }
  guard numberOfPlanes == samples.count else { return kCVReturnInvalidArgument }
  var planes: [CVPixelBuffer.Plane] = []
  for (index, plane) in samples.enumerated() {
    // Safe: the caller gives values for `numberOfPlanes` planes.
    guard let address = planeBaseAddress[index] else { return kCVReturnInvalidArgument }
    let (columns, rows) = (plane.count(of: width), plane.count(of: height))
    let bytesPerRow: Int = planeBytesPerRow[index]
    guard planeWidth[index] >= columns, planeHeight[index] >= rows,
      bytesPerRow >= columns * plane.bytes, bytesPerRow <= Int(Int32.max)
    else { return kCVReturnInvalidSize }
    planes.append(
      CVPixelBuffer.Plane(
        width: columns, height: rows, bytesPerRow: bytesPerRow, baseAddress: address))
  }
  let byteCount: Int = planes.reduce(0) { $0 + $1.bytesPerRow * $1.height }
  let addresses: [UnsafeMutableRawPointer] = planes.map(\.baseAddress)
  pixelBufferOut.pointee = CVPixelBuffer(
    width: width, height: height, pixelFormat: pixelFormatType,
    bytesPerRow: (byteCount + height - 1) / height, baseAddress: dataPtr ?? addresses[0],
    planes: planes, byteCount: byteCount,
    release: {
      var released: [UnsafeRawPointer?] = addresses.map { UnsafeRawPointer($0) }
      releaseCallback?(
        releaseRefCon, dataPtr.map { UnsafeRawPointer($0) }, dataSize, released.count, &released)
    })
  return kCVReturnSuccess
}
