import CoreVideo
import Imaging

extension Picture {
  /// The picture in a pixel buffer, copied.
  ///
  /// Alpha is not read: buffers that models write leave it undefined. Half and float grey is
  /// taken as 0…1.
  ///
  /// - Throws: `ImagingError` for a pixel format without a layout.
  public init(_ pixelBuffer: CVPixelBuffer) throws {
    let layout: PixelLayout = try pixelBuffer.pixelLayout
    CVPixelBufferLockBaseAddress(pixelBuffer, .readOnly)
    defer { CVPixelBufferUnlockBaseAddress(pixelBuffer, .readOnly) }
    guard let rows = CVPixelBufferGetBaseAddress(pixelBuffer) else {
      throw ImagingError(code: .unsupportedPixels, message: "\(pixelBuffer) has no memory.")
    }
    // Safe: the buffer holds its height of rows while it lives, which is longer than this call.
    try self.init(
      width: CVPixelBufferGetWidth(pixelBuffer), height: CVPixelBufferGetHeight(pixelBuffer),
      layout: layout, rows: rows, bytesPerRow: CVPixelBufferGetBytesPerRow(pixelBuffer))
  }

  /// A new pixel buffer with the picture's pixels, alpha 255.
  ///
  /// - Throws: `ImagingError` for a pixel format without a layout, or where memory is short.
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
          + " could not be made (CoreVideo says \(status)).")
    }
    try write(to: created)
    return created
  }

  /// The picture as a model's input: fitted to its size, in a new pixel buffer.
  ///
  /// - Throws: `ImagingError` as ``requireMemory(forInputOf:height:)`` and `fitted` do.
  public func pixelBuffer(
    format: OSType, fittedToWidth width: Int, height: Int, mode: CropAndScale,
    region: PixelRegion? = nil, orientation: Orientation = .up
  ) throws -> CVPixelBuffer {
    try Picture.requireMemory(forInputOf: width, height: height)
    return try fitted(
      toWidth: width, height: height, mode: mode, region: region, orientation: orientation
    ).pixelBuffer(format: format)
  }

  /// Throws where the memory for a model's input is not free now: the picture of its size, the pixel
  /// buffer and the tensor of floats. A model may claim any size, so it is asked before one is filled.
  public static func requireMemory(forInputOf width: Int, height: Int) throws {
    let (area, overflow) = width.multipliedReportingOverflow(by: height)
    let (bytes, isTooMuch) = area.multipliedReportingOverflow(by: 3 + 4 + 12)
    try requireMemory(
      overflow || isTooMuch ? .max : bytes, for: "A model's input of \(width) × \(height) pixels")
  }

  /// Writes the picture's pixels into a buffer of the same size, alpha 255.
  ///
  /// - Throws: `ImagingError` where the size differs or the format has no layout.
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
    // Safe: the buffer holds its height of rows; sizes were compared above.
    try write(
      to: rows, bytesPerRow: CVPixelBufferGetBytesPerRow(pixelBuffer), layout: layout)
  }
}

extension PixelLayout {
  /// The layout of a CoreVideo pixel format, or `nil` where pictures have no such.
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
      message: "Pixel format '\(fourCharacterName(of: format))' does not hold a picture:"
        + " expected 32BGRA, 32ARGB, 32RGBA, 32ABGR, 24RGB, 24BGR, OneComponent8,"
        + " OneComponent16Half or OneComponent32Float.")
  }
}
