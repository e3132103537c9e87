import Foundation
import Platform

/// How the pixels of a buffer lie in its memory.
struct PixelBufferLayout {
  /// A plane: rows of samples of one or two components.
  struct Plane {
    let width: Int
    let height: Int
    let bytesPerRow: Int
    /// The position of the first row in the buffer's memory, in bytes.
    let offset: Int
  }

  let width: Int
  let height: Int
  let pixelFormat: OSType
  let alignment: Int
  /// The bytes per row. In a planar format the mean of all planes, rounded up, so that all rows of the buffer's height
  /// hold all planes.
  let bytesPerRow: Int
  let byteCount: Int
  /// The planes. Empty for a format with one plane.
  let planes: [Plane]

  /// The maximum width and height in pixels.
  static let longestSide = 1 << 20

  /// Checks the arguments of a new buffer and divides its memory.
  ///
  /// - Throws: The status that the function that creates the buffer returns.
  init(
    width: Int, height: Int, pixelFormat: OSType, attributes: CFDictionary?
  ) throws(PixelBufferFailure) {
    let samples: [SamplePlane] =
      bytesPerPixel(of: pixelFormat).map { [SamplePlane(bytes: $0, divisor: 1)] }
      ?? samplePlanes(of: pixelFormat)
    guard !samples.isEmpty else { throw PixelBufferFailure(kCVReturnInvalidPixelFormat) }
    guard width > 0, height > 0, width <= Self.longestSide, height <= Self.longestSide else {
      throw PixelBufferFailure(kCVReturnInvalidSize)
    }
    var alignment: Int = 64
    if let requested = integer(attributes?[kCVPixelBufferBytesPerRowAlignmentKey]) {
      guard requested > 0, requested <= 4096, requested & (requested - 1) == 0 else {
        throw PixelBufferFailure(kCVReturnInvalidPixelBufferAttributes)
      }
      alignment = max(alignment, requested)
    }
    var planes: [Plane] = []
    var end: Int = 0
    for plane in samples {
      let (columns, rows) = (plane.count(of: width), plane.count(of: height))
      let bytesPerRow: Int = (columns * plane.bytes + alignment - 1) & ~(alignment - 1)
      planes.append(
        Plane(width: columns, height: rows, bytesPerRow: bytesPerRow, offset: end))
      end += bytesPerRow * rows
    }
    self.width = width
    self.height = height
    self.pixelFormat = pixelFormat
    self.alignment = alignment
    byteCount = end
    bytesPerRow = (end + height - 1) / height
    self.planes = planes.count > 1 ? planes : []
  }

  /// Allocates the memory of a buffer, which the caller releases with `free`, and fills it with zeros.
  func allocate() throws(PixelBufferFailure) -> UnsafeMutableRawPointer {
    // Linux lets a process allocate more memory than the machine has, and kills the process when it writes to that
    // memory. The code below writes to all of the buffer, so this check comes first.
    guard byteCount <= sysconf(Int32(_SC_PHYS_PAGES)) * sysconf(Int32(_SC_PAGESIZE)) else {
      throw PixelBufferFailure(kCVReturnAllocationFailed)
    }
    // Large buffers use 2 MiB pages. With 4 KiB pages, the page faults of new memory take longer than filling the
    // memory.
    let isLarge: Bool = byteCount >= 2 * LargePages.byteCount
    var memory: UnsafeMutableRawPointer?
    guard posix_memalign(&memory, isLarge ? LargePages.byteCount : alignment, byteCount) == 0,
      let memory
    else { throw PixelBufferFailure(kCVReturnAllocationFailed) }
    if isLarge { LargePages.advise(memory, byteCount) }
    memset(memory, 0, byteCount)
    return memory
  }

  /// Makes a buffer over memory of this layout.
  func buffer(
    over memory: UnsafeMutableRawPointer, release: @escaping () -> Void
  ) -> CVPixelBuffer {
    CVPixelBuffer(
      width: width, height: height, pixelFormat: pixelFormat, bytesPerRow: bytesPerRow,
      baseAddress: memory,
      planes: planes.map {
        CVPixelBuffer.Plane(
          width: $0.width, height: $0.height, bytesPerRow: $0.bytesPerRow,
          baseAddress: memory + $0.offset)
      }, byteCount: byteCount, release: release)
  }
}

/// The status that a function of CoreVideo returns instead of a buffer.
struct PixelBufferFailure: Error {
  let status: CVReturn

  init(_ status: CVReturn) { self.status = status }
}

/// The samples of a plane.
struct SamplePlane {
  /// The bytes per sample.
  let bytes: Int
  /// How many columns, and how many rows, of pixels share a sample.
  let divisor: Int

  /// The number of samples along a side of the image.
  func count(of side: Int) -> Int { (side + divisor - 1) / divisor }
}

/// Returns the planes of a planar pixel format. Empty for another format.
func samplePlanes(of pixelFormat: OSType) -> [SamplePlane] {
  switch pixelFormat {
  case kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange,
    kCVPixelFormatType_420YpCbCr8BiPlanarFullRange:
    [SamplePlane(bytes: 1, divisor: 1), SamplePlane(bytes: 2, divisor: 2)]
  case kCVPixelFormatType_420YpCbCr8Planar, kCVPixelFormatType_420YpCbCr8PlanarFullRange:
    [1, 2, 2].map { SamplePlane(bytes: 1, divisor: $0) }
  default: []
  }
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
