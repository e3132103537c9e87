import CoreVideo
import Imaging

extension Picture {
  /// Makes a picture from a buffer with planes of luma and chroma.
  init(planesOf buffer: CVPixelBuffer) throws {
    CVPixelBufferLockBaseAddress(buffer, .readOnly)
    defer { CVPixelBufferUnlockBaseAddress(buffer, .readOnly) }
    let (width, height) = (CVPixelBufferGetWidth(buffer), CVPixelBufferGetHeight(buffer))
    let planes: [(start: UnsafePointer<UInt8>, bytesPerRow: Int)] =
      (0..<CVPixelBufferGetPlaneCount(buffer)).compactMap { index in
        CVPixelBufferGetBaseAddressOfPlane(buffer, index).map {
          (
            UnsafePointer($0.assumingMemoryBound(to: UInt8.self)),
            CVPixelBufferGetBytesPerRowOfPlane(buffer, index)
          )
        }
      }
    let conversion = LumaChroma(buffer)
    // The second of two planes interleaves blue and red chroma. With three planes, each has its own.
    let step: Int = planes.count == 2 ? 2 : 1
    try self.init(width: width, height: height) { pixels in
      // Safe: each plane has a sample for each pixel or for each 2 × 2 pixels, and exists during this call.
      for y in 0..<height {
        let luma = planes[0].start + y * planes[0].bytesPerRow
        let blue = planes[1].start + y / 2 * planes[1].bytesPerRow
        let red = step == 2 ? blue + 1 : planes[2].start + y / 2 * planes[2].bytesPerRow
        var target = y * width * 3
        for x in 0..<width {
          let (r, g, b) = conversion.colour(
            luma: luma[x], blue: blue[x / 2 * step], red: red[x / 2 * step])
          pixels[target] = r
          pixels[target + 1] = g
          pixels[target + 2] = b
          target += 3
        }
      }
    }
  }
}

/// The conversion from luma and chroma to red, green and blue, with 16 binary digits after the point.
struct LumaChroma {
  private let black: Int32
  private let luma, redOfRed, greenOfBlue, greenOfRed, blueOfBlue: Int32

  /// Chooses the matrix and the range of a buffer.
  init(_ buffer: CVPixelBuffer) {
    let matrix = CVBufferCopyAttachment(buffer, kCVImageBufferYCbCrMatrixKey, nil) as? String
    let format: OSType = CVPixelBufferGetPixelFormatType(buffer)
    self.init(
      matrix: matrix,
      isFullRange: format == kCVPixelFormatType_420YpCbCr8BiPlanarFullRange
        || format == kCVPixelFormatType_420YpCbCr8PlanarFullRange)
  }

  /// - Parameter matrix: A value of `kCVImageBufferYCbCrMatrixKey`. BT.601 if it is nil or unknown.
  init(matrix: String?, isFullRange: Bool) {
    // The shares of red and blue in luma, from the standards.
    let (red, blue): (Double, Double) =
      switch matrix {
      case kCVImageBufferYCbCrMatrix_ITU_R_709_2: (0.2126, 0.0722)
      case kCVImageBufferYCbCrMatrix_ITU_R_2020: (0.2627, 0.0593)
      case kCVImageBufferYCbCrMatrix_SMPTE_240M_1995: (0.212, 0.087)
      default: (0.299, 0.114)
      }
    let green: Double = 1 - red - blue
    let chroma: Double = isFullRange ? 1 : 255 / 224
    func fixed(_ value: Double) -> Int32 { Int32((value * 65536).rounded()) }
    black = isFullRange ? 0 : 16
    luma = fixed(isFullRange ? 1 : 255.0 / 219)
    redOfRed = fixed(2 * (1 - red) * chroma)
    blueOfBlue = fixed(2 * (1 - blue) * chroma)
    greenOfBlue = fixed(2 * (1 - blue) * blue / green * chroma)
    greenOfRed = fixed(2 * (1 - red) * red / green * chroma)
  }

  @inline(__always)
  func colour(luma y: UInt8, blue cb: UInt8, red cr: UInt8) -> (UInt8, UInt8, UInt8) {
    // All terms stay below 2²⁶.
    let base: Int32 = (Int32(y) &- black) &* luma &+ 0x8000
    let (blue, red) = (Int32(cb) &- 128, Int32(cr) &- 128)
    return (
      UInt8(clamping: (base &+ red &* redOfRed) >> 16),
      UInt8(clamping: (base &- blue &* greenOfBlue &- red &* greenOfRed) >> 16),
      UInt8(clamping: (base &+ blue &* blueOfBlue) >> 16)
    )
  }
}
