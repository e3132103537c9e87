import Foundation

/// The layout of the pixels of a Core Graphics image.
public struct vImage_CGImageFormat {
  /// The bits of a component.
  public var bitsPerComponent: UInt32
  /// The bits of a pixel.
  public var bitsPerPixel: UInt32
  /// The colour space.
  public var colorSpace: Unmanaged<CGColorSpace>!
  /// The position of alpha and the order of bytes.
  public var bitmapInfo: CGBitmapInfo
  /// The version of the structure: 0.
  public var version: UInt32 = 0
  /// Has no effect.
  public var decode: UnsafePointer<CGFloat>!
  /// Has no effect.
  public var renderingIntent: CGColorRenderingIntent

  /// Makes a format without content. A function that gets it fills it with the format of an image.
  public init() {
    (bitsPerComponent, bitsPerPixel, bitmapInfo) = (0, 0, [])
    (colorSpace, decode, renderingIntent) = (nil, nil, .defaultIntent)
  }

  /// Makes a format.
  public init(
    bitsPerComponent: UInt32, bitsPerPixel: UInt32, colorSpace: Unmanaged<CGColorSpace>!,
    bitmapInfo: CGBitmapInfo, version: UInt32 = 0, decode: UnsafePointer<CGFloat>! = nil,
    renderingIntent: CGColorRenderingIntent = .defaultIntent
  ) {
    (self.bitsPerComponent, self.bitsPerPixel) = (bitsPerComponent, bitsPerPixel)
    (self.colorSpace, self.bitmapInfo, self.version) = (colorSpace, bitmapInfo, version)
    (self.decode, self.renderingIntent) = (decode, renderingIntent)
  }

  /// Makes a format. Returns nil if a number is not positive.
  public init?(
    bitsPerComponent: Int, bitsPerPixel: Int, colorSpace: CGColorSpace, bitmapInfo: CGBitmapInfo,
    renderingIntent: CGColorRenderingIntent = .defaultIntent
  ) {
    guard let component = UInt32(exactly: bitsPerComponent), component > 0,
      let pixel = UInt32(exactly: bitsPerPixel), pixel >= component
    else { return nil }
    // The format holds the colour space for good, because nothing tells when it is no longer used.
    self.init(
      bitsPerComponent: component, bitsPerPixel: pixel,
      colorSpace: Unmanaged.passRetained(colorSpace), bitmapInfo: bitmapInfo,
      renderingIntent: renderingIntent)
  }

  /// Makes the format of an image. Returns nil if the image has no colour space.
  public init?(cgImage: CGImage) {
    guard let space = cgImage.colorSpace else { return nil }
    self.init(
      bitsPerComponent: cgImage.bitsPerComponent, bitsPerPixel: cgImage.bitsPerPixel,
      colorSpace: space, bitmapInfo: cgImage.bitmapInfo)
  }

  /// The number of components of a pixel, alpha included.
  public var componentCount: UInt32 { bitsPerComponent == 0 ? 0 : bitsPerPixel / bitsPerComponent }

  /// Whether nothing is set.
  var isEmpty: Bool { bitsPerPixel == 0 }

  /// Makes an image of pixels in this format. Returns nil for a layout that Core Graphics does not support here.
  func image(_ buffer: vImage_Buffer) -> CGImage? {
    guard let data = buffer.data, let space = colorSpace?.takeUnretainedValue(),
      let provider = CGDataProvider(
        // Safe: the buffer has `height` rows of `rowBytes` bytes.
        data: Data(bytes: data, count: Int(buffer.height) * buffer.rowBytes))
    else { return nil }
    return CGImage(
      width: Int(buffer.width), height: Int(buffer.height), bitsPerComponent: Int(bitsPerComponent),
      bitsPerPixel: Int(bitsPerPixel), bytesPerRow: buffer.rowBytes, space: space,
      bitmapInfo: bitmapInfo, provider: provider, decode: nil, shouldInterpolate: true,
      intent: .defaultIntent)
  }

  /// Writes an image into a buffer of its size, in this format. Returns an error for a layout that Core Graphics does not
  /// support here.
  func write(_ image: CGImage, to buffer: vImage_Buffer) -> vImage_Error {
    guard let data = buffer.data, let space = colorSpace?.takeUnretainedValue() else {
      return kvImageNullPointerArgument
    }
    if bitsPerPixel == image.bitsPerPixel, bitmapInfo == image.bitmapInfo, space == image.colorSpace
    {
      guard let bytes = image.dataProvider?.data,
        bytes.count >= (image.height - 1) * image.bytesPerRow
      else {
        return kvImageInternalError
      }
      bytes.withUnsafeBytes { rows in
        guard let first = rows.baseAddress else { return }
        let count: Int = image.width * image.bitsPerPixel / 8
        for row in 0..<image.height {
          // Safe: the buffer has the image's size, and the image has this many bytes.
          memcpy(data + row * buffer.rowBytes, first + row * image.bytesPerRow, count)
        }
      }
      return kvImageNoError
    }
    if bitsPerPixel == 24, bitmapInfo.alphaInfo == .none, space == CGColorSpaceCreateDeviceRGB(),
      bitmapInfo.isSubset(of: .alphaInfoMask)
    {
      // A context has no such layout. Safe: the buffer has the image's size.
      let isWritten: Void? = try? image.writeColors(to: data, bytesPerRow: buffer.rowBytes)
      return isWritten == nil ? kvImageInternalError : kvImageNoError
    }
    guard
      let context = CGContext(
        data: data, width: image.width, height: image.height,
        bitsPerComponent: Int(bitsPerComponent),
        bytesPerRow: buffer.rowBytes, space: space, bitmapInfo: bitmapInfo.rawValue),
      context.bitsPerPixel == Int(bitsPerPixel)
    else { return kvImageInvalidImageFormat }
    let frame = CGRect(x: 0, y: 0, width: image.width, height: image.height)
    context.clear(frame)
    context.draw(image, in: frame)
    return kvImageNoError
  }
}

extension vImage_Buffer {
  /// Allocates a buffer with the pixels of an image, in the image's own format. The caller frees it with `free()`.
  public init(cgImage: CGImage, flags: vImage.Options = .noFlags) throws {
    guard let format = vImage_CGImageFormat(cgImage: cgImage) else {
      throw vImage.Error.invalidImageFormat
    }
    try self.init(cgImage: cgImage, format: format, flags: flags)
  }

  /// Allocates a buffer with the pixels of an image, in another format. The caller frees it with `free()`.
  public init(
    cgImage: CGImage, format: vImage_CGImageFormat, flags: vImage.Options = .noFlags
  ) throws {
    try self.init(
      width: cgImage.width, height: cgImage.height, bitsPerPixel: format.bitsPerPixel)
    let error: vImage_Error = format.write(cgImage, to: self)
    guard error == kvImageNoError else {
      free()
      throw vImage.Error(rawValue: error) ?? .internalError
    }
  }

  /// Makes an image of the pixels.
  public func createCGImage(
    format: vImage_CGImageFormat, flags: vImage.Options = .noFlags
  ) throws -> CGImage {
    guard let image = format.image(self) else { throw vImage.Error.invalidImageFormat }
    return image
  }
}

extension vImage.PixelBuffer where Format: SinglePlanePixelFormat {
  /// Makes a buffer with the pixels of an image.
  ///
  /// - Parameter cgImageFormat: The format of the pixels. An empty format is filled with the image's own.
  public init(
    cgImage: CGImage, cgImageFormat: inout vImage_CGImageFormat,
    pixelFormat: Format.Type = Format.self
  ) throws {
    if cgImageFormat.isEmpty {
      guard let own = vImage_CGImageFormat(cgImage: cgImage) else {
        throw vImage.Error.invalidImageFormat
      }
      cgImageFormat = own
    }
    guard cgImageFormat.bitsPerPixel == UInt32(Format.bitCountPerPixel),
      cgImageFormat.bitsPerComponent == UInt32(Format.bitCountPerComponent)
    else { throw vImage.Error.invalidImageFormat }
    self.init(
      Storage([try vImage_Buffer(cgImage: cgImage, format: cgImageFormat)], ownsMemory: true))
  }

  /// Makes an image of the pixels. Returns nil if the format does not fit the buffer.
  public func makeCGImage(cgImageFormat: vImage_CGImageFormat) -> CGImage? {
    guard cgImageFormat.bitsPerPixel == UInt32(Format.bitCountPerPixel) else { return nil }
    return cgImageFormat.image(storage.buffers[0])
  }
}

/// Converts pixels from one format of Core Graphics to another.
public final class vImageConverter {
  let source: vImage_CGImageFormat
  let destination: vImage_CGImageFormat

  init(_ source: vImage_CGImageFormat, _ destination: vImage_CGImageFormat) {
    (self.source, self.destination) = (source, destination)
  }

  /// Makes a converter.
  public static func make(
    sourceFormat: vImage_CGImageFormat, destinationFormat: vImage_CGImageFormat,
    flags: vImage.Options = .noFlags
  ) throws -> vImageConverter {
    guard !sourceFormat.isEmpty, !destinationFormat.isEmpty else {
      throw vImage.Error.invalidImageFormat
    }
    return vImageConverter(sourceFormat, destinationFormat)
  }

  /// Converts a buffer into another one of the same size.
  public func convert(
    source: vImage_Buffer, destination: inout vImage_Buffer, flags: vImage.Options = .noFlags
  ) throws {
    let error: vImage_Error = converted(source, destination)
    guard error == kvImageNoError else {
      throw vImage.Error(rawValue: error) ?? .internalError
    }
  }

  func converted(_ from: vImage_Buffer, _ to: vImage_Buffer) -> vImage_Error {
    guard from.data != nil, to.data != nil else { return kvImageNullPointerArgument }
    guard from.width == to.width, from.height == to.height else {
      return kvImageBufferSizeMismatch
    }
    guard let image = source.image(from) else { return kvImageInvalidImageFormat }
    return destination.write(image, to: to)
  }
}

/// Makes a converter. Returns nil, and sets the error, if a format is empty.
public func vImageConverter_CreateWithCGImageFormat(
  _ srcFormat: UnsafePointer<vImage_CGImageFormat>,
  _ destFormat: UnsafePointer<vImage_CGImageFormat>,
  _ backgroundColor: UnsafePointer<CGFloat>?, _ flags: vImage_Flags,
  _ error: UnsafeMutablePointer<vImage_Error>?
) -> Unmanaged<vImageConverter>? {
  let made = try? vImageConverter.make(
    sourceFormat: srcFormat.pointee, destinationFormat: destFormat.pointee)
  error?.pointee = made == nil ? kvImageInvalidImageFormat : kvImageNoError
  return made.map { Unmanaged.passRetained($0) }
}

/// Converts a buffer into another one of the same size.
@discardableResult
public func vImageConvert_AnyToAny(
  _ converter: vImageConverter, _ srcs: UnsafePointer<vImage_Buffer>,
  _ dests: UnsafePointer<vImage_Buffer>, _ tempBuffer: UnsafeMutableRawPointer?,
  _ flags: vImage_Flags
) -> vImage_Error { converter.converted(srcs.pointee, dests.pointee) }
