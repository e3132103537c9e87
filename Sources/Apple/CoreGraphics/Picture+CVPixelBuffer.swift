import CoreVideo
import Imaging

extension Picture {
  /// Makes a picture from a copy of a pixel buffer.
  ///
  /// Ignores alpha, because models do not set alpha in the buffers that they write. Grey pixels of the types float16
  /// and float32 have the range 0…1. Luma and chroma are converted by the matrix that the attachment
  /// `kCVImageBufferYCbCrMatrixKey` names, or by BT.601; all pixels of 2 × 2 get the same chroma.
  ///
  /// - Throws: `ImagingError` for an unsupported pixel format.
  public init(_ pixelBuffer: CVPixelBuffer) throws {
    if CVPixelBufferIsPlanar(pixelBuffer) {
      try self.init(planesOf: pixelBuffer)
      return
    }
    let layout: PixelLayout = try pixelBuffer.pixelLayout
    CVPixelBufferLockBaseAddress(pixelBuffer, .readOnly)
    defer { CVPixelBufferUnlockBaseAddress(pixelBuffer, .readOnly) }
    guard let rows = CVPixelBufferGetBaseAddress(pixelBuffer) else {
      throw ImagingError(code: .unsupportedPixels, message: "\(pixelBuffer) has no memory.")
    }
    // Safe: the buffer holds `height` rows and exists during this call.
    try self.init(
      width: CVPixelBufferGetWidth(pixelBuffer), height: CVPixelBufferGetHeight(pixelBuffer),
      layout: layout, rows: rows, bytesPerRow: CVPixelBufferGetBytesPerRow(pixelBuffer))
  }

  /// Makes a pixel buffer with the picture's colours. Sets alpha to 255 in every pixel.
  ///
  /// - Throws: `ImagingError` for an unsupported pixel format, or if the memory does not suffice.
  public func pixelBuffer(
    format: OSType = kCVPixelFormatType_32BGRA
  ) throws -> CVPixelBuffer {
    guard let layout = PixelLayout(pixelFormat: format) else {
      throw ImagingError.noLayout(for: format)
    }
    try Picture.requireMemory(
      width * height * layout.bytesPerPixel, for: "A pixel buffer of \(width) × \(height)")
    var created: CVPixelBuffer?
    let status: CVReturn = CVPixelBufferCreate(
      kCFAllocatorDefault, width, height, format, nil, &created)
    guard status == kCVReturnSuccess, let created else {
      throw ImagingError(
        code: .outOfMemory,
        message: "A pixel buffer of \(width) × \(height) \(fourCharacterName(of: format))"
          + " could not be created (CoreVideo status \(status)).")
    }
    try write(to: created)
    return created
  }

  /// Makes a pixel buffer with the size of a model's input, and fits the picture to that size.
  ///
  /// - Throws: `ImagingError` in the cases in which ``requireMemory(forInputOf:height:)`` or `fitted` throws.
  public func pixelBuffer(
    format: OSType, fittedToWidth width: Int, height: Int, mode: CropAndScale,
    region: PixelRegion? = nil, orientation: Orientation = .up
  ) throws -> CVPixelBuffer {
    try Picture.requireMemory(forInputOf: width, height: height)
    return try fitted(
      toWidth: width, height: height, mode: mode, region: region, orientation: orientation
    ).pixelBuffer(format: format)
  }

  /// Throws if there is not enough free memory for a model's input. An input needs memory for the fitted picture, the
  /// pixel buffer and the float32 tensor. A model file can declare any size, so call this method before the allocation.
  public static func requireMemory(forInputOf width: Int, height: Int) throws {
    let (area, overflow) = width.multipliedReportingOverflow(by: height)
    let (bytes, isTooMuch) = area.multipliedReportingOverflow(by: 3 + 4 + 12)
    try requireMemory(
      overflow || isTooMuch ? .max : bytes, for: "A model's input of \(width) × \(height) pixels")
  }

  /// Writes the picture's colours into a buffer of the picture's size. Sets alpha to 255 in every pixel.
  ///
  /// - Throws: `ImagingError` if the buffer's size differs from the picture's, or if its format is not supported.
  public func write(to pixelBuffer: CVPixelBuffer) throws {
    let layout: PixelLayout = try pixelBuffer.pixelLayout
    let bufferWidth: Int = CVPixelBufferGetWidth(pixelBuffer)
    let bufferHeight: Int = CVPixelBufferGetHeight(pixelBuffer)
    guard bufferWidth == width, bufferHeight == height else {
      throw ImagingError(
        code: .invalidGeometry,
        message: "A picture of \(width) × \(height) does not fit a pixel buffer of"
          + " \(bufferWidth) × \(bufferHeight). Scale the picture first.")
    }
    CVPixelBufferLockBaseAddress(pixelBuffer, [])
    defer { CVPixelBufferUnlockBaseAddress(pixelBuffer, []) }
    guard let rows = CVPixelBufferGetBaseAddress(pixelBuffer) else {
      throw ImagingError(code: .unsupportedPixels, message: "\(pixelBuffer) has no memory.")
    }
    // Safe: the buffer holds `height` rows, and the sizes were compared above.
    try write(
      to: rows, bytesPerRow: CVPixelBufferGetBytesPerRow(pixelBuffer), layout: layout)
  }
}

extension PixelLayout {
  /// Makes the layout of a CoreVideo pixel format. Returns nil if `Picture` does not support the format.
  public init?(pixelFormat: OSType) {
    switch pixelFormat {
    case kCVPixelFormatType_32BGRA: self = .bgra(.skipped)
    case kCVPixelFormatType_32ARGB: self = .argb(.skipped)
    case kCVPixelFormatType_32RGBA: self = .rgba(.skipped)
    case kCVPixelFormatType_32ABGR: self = .abgr(.skipped)
    case kCVPixelFormatType_24RGB: self = .rgb
    case kCVPixelFormatType_24BGR: self = .bgr
    case kCVPixelFormatType_OneComponent8: self = .grey8
    case kCVPixelFormatType_OneComponent16Half: self = .greyHalf
    case kCVPixelFormatType_OneComponent32Float: self = .greyFloat
    default: return nil
    }
  }
}

extension CVPixelBuffer {
  fileprivate var pixelLayout: PixelLayout {
    get throws {
      let format: OSType = CVPixelBufferGetPixelFormatType(self)
      guard let layout = PixelLayout(pixelFormat: format) else {
        throw ImagingError.noLayout(for: format)
      }
      return layout
    }
  }
}

extension ImagingError {
  fileprivate static func noLayout(for format: OSType) -> ImagingError {
    ImagingError(
      code: .unsupportedPixels,
      message: "Pixel format '\(fourCharacterName(of: format))' is not supported for pictures:"
        + " expected 32BGRA, 32ARGB, 32RGBA, 32ABGR, 24RGB, 24BGR, OneComponent8,"
        + " OneComponent16Half or OneComponent32Float.")
  }
}
