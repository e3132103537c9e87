import CoreGraphics
import CoreVideo
import Foundation
import ImageIO
import Imaging

/// The initialisers for images. The options say how an initialiser fits the image to the requested size. By default, an
/// initialiser stretches the whole image (`scaleFill`). If the caller gives no orientation, an initialiser for a file
/// applies the file's EXIF orientation. The initialisers throw ``MLModelError``.
extension MLFeatureValue {
  /// Makes a value from an image file, with the size and format of a constraint.
  public convenience init(
    imageAt url: URL, constraint: MLImageConstraint, options: [ImageOption: Any]? = nil
  ) throws {
    try self.init(
      picture: readPicture(url, orientation: nil), orientation: .up, target: Target(constraint),
      options: options)
  }

  /// Makes a value from an image file in a given orientation, with the size and format of a constraint.
  public convenience init(
    imageAt url: URL, orientation: CGImagePropertyOrientation, constraint: MLImageConstraint,
    options: [ImageOption: Any]? = nil
  ) throws {
    try self.init(
      picture: readPicture(url, orientation: orientation), orientation: orientation,
      target: Target(constraint), options: options)
  }

  /// Makes a value from an image file, with a size in pixels and a pixel format.
  public convenience init(
    imageAt url: URL, pixelsWide: Int, pixelsHigh: Int, pixelFormatType: OSType,
    options: [ImageOption: Any]? = nil
  ) throws {
    try self.init(
      picture: readPicture(url, orientation: nil), orientation: .up,
      target: Target(width: pixelsWide, height: pixelsHigh, format: pixelFormatType),
      options: options)
  }

  /// Makes a value from an image file in a given orientation, with a size in pixels and a pixel format.
  public convenience init(
    imageAt url: URL, orientation: CGImagePropertyOrientation, pixelsWide: Int, pixelsHigh: Int,
    pixelFormatType: OSType, options: [ImageOption: Any]? = nil
  ) throws {
    try self.init(
      picture: readPicture(url, orientation: orientation), orientation: orientation,
      target: Target(width: pixelsWide, height: pixelsHigh, format: pixelFormatType),
      options: options)
  }

  /// Makes a value from an image, with the size and format of a constraint.
  public convenience init(
    cgImage: CGImage, constraint: MLImageConstraint, options: [ImageOption: Any]? = nil
  ) throws {
    try self.init(
      picture: pictureOf(cgImage), orientation: .up, target: Target(constraint), options: options)
  }

  /// Makes a value from an image in a given orientation, with the size and format of a constraint.
  public convenience init(
    cgImage: CGImage, orientation: CGImagePropertyOrientation, constraint: MLImageConstraint,
    options: [ImageOption: Any]? = nil
  ) throws {
    try self.init(
      picture: pictureOf(cgImage), orientation: orientation, target: Target(constraint),
      options: options)
  }

  /// Makes a value from an image, with a size in pixels and a pixel format.
  public convenience init(
    cgImage: CGImage, pixelsWide: Int, pixelsHigh: Int, pixelFormatType: OSType,
    options: [ImageOption: Any]? = nil
  ) throws {
    try self.init(
      picture: pictureOf(cgImage), orientation: .up,
      target: Target(width: pixelsWide, height: pixelsHigh, format: pixelFormatType),
      options: options)
  }

  /// Makes a value from an image in a given orientation, with a size in pixels and a pixel format.
  public convenience init(
    cgImage: CGImage, orientation: CGImagePropertyOrientation, pixelsWide: Int, pixelsHigh: Int,
    pixelFormatType: OSType, options: [ImageOption: Any]? = nil
  ) throws {
    try self.init(
      picture: pictureOf(cgImage), orientation: orientation,
      target: Target(width: pixelsWide, height: pixelsHigh, format: pixelFormatType),
      options: options)
  }

  /// The size and the pixel format of the feature value.
  private struct Target {
    let width: Int
    let height: Int
    let format: OSType

    init(width: Int, height: Int, format: OSType) {
      self.width = width
      self.height = height
      // Apple's sample code passes the packing of a CGImage, which is 0, and gets colours.
      self.format = format == 0 ? kCVPixelFormatType_32BGRA : format
    }

    init(_ constraint: MLImageConstraint) {
      self.init(
        width: constraint.pixelsWide, height: constraint.pixelsHigh,
        format: constraint.pixelFormatType)
    }
  }

  private convenience init(
    picture: Picture, orientation: CGImagePropertyOrientation, target: Target,
    options: [ImageOption: Any]?
  ) throws {
    let rotation: Orientation = orientation.pictureOrientation
    let shownWidth: Int = rotation.swapsSides ? picture.height : picture.width
    let shownHeight: Int = rotation.swapsSides ? picture.width : picture.height
    let region: PixelRegion? = try cropRegion(
      options?[.cropRect], width: shownWidth, height: shownHeight)
    let mode: CropAndScale = try cropAndScale(options?[.cropAndScale])
    do {
      self.init(
        pixelBuffer: try picture.pixelBuffer(
          format: target.format, fittedToWidth: target.width, height: target.height, mode: mode,
          region: region, orientation: rotation))
    } catch let error as ImagingError {
      throw MLModelError(.generic, error.message, cause: error)
    }
  }
}

private func readPicture(_ url: URL, orientation: CGImagePropertyOrientation?) throws -> Picture {
  do {
    return try Picture(contentsOf: url, orientation: orientation == nil ? .applied : .ignored)
  } catch let error as ImagingError {
    throw MLModelError(.io, error.message, cause: error)
  }
}

private func pictureOf(_ image: CGImage) throws -> Picture {
  do {
    return try image.picture
  } catch let error as ImagingError {
    throw MLModelError(.generic, error.message, cause: error)
  }
}

/// Returns the rectangle of pixels that the option `cropRect` selects in an image. Returns nil if the caller does not
/// give the option. The option's coordinates go from 0 to 1, with the origin at the lower left corner as in Vision.
private func cropRegion(_ option: Any?, width: Int, height: Int) throws -> PixelRegion? {
  guard let option else { return nil }
  let requested: CGRect? = option as? CGRect ?? (option as? NSValue)?.rectValue
  let unitSquare = CGRect(x: 0, y: 0, width: 1, height: 1)
  guard let rect = requested, unitSquare.contains(rect), rect.width > 0, rect.height > 0 else {
    throw MLModelError(
      .parameters,
      "The option cropRect must be a CGRect inside 0 to 1 that is not empty, but it is \(option).")
  }
  let left = Int((rect.minX * CGFloat(width)).rounded())
  let right = Int((rect.maxX * CGFloat(width)).rounded())
  let top = Int(((1 - rect.maxY) * CGFloat(height)).rounded())
  let bottom = Int(((1 - rect.minY) * CGFloat(height)).rounded())
  let x: Int = min(left, width - 1)
  let y: Int = min(top, height - 1)
  return PixelRegion(x: x, y: y, width: max(1, right - x), height: max(1, bottom - y))
}

/// Returns the scaling that the option `cropAndScale` selects. The option is a `VNImageCropAndScaleOption` or its raw
/// value.
private func cropAndScale(_ option: Any?) throws -> CropAndScale {
  guard let option else { return .scaleFill }
  var raw: Any = option
  if let value = option as? any RawRepresentable { raw = value.rawValue }
  let number: Int? =
    (raw as? NSNumber)?.intValue ?? (raw as? any BinaryInteger).flatMap { Int(exactly: $0) }
  switch number {
  case 0: return .centerCrop
  case 1: return .scaleFit
  case 2: return .scaleFill
  case 0x101: return .scaleFitRotate90CCW
  case 0x102: return .scaleFillRotate90CCW
  default:
    throw MLModelError(
      .parameters,
      "The option cropAndScale must be a VNImageCropAndScaleOption or its raw value, but it is "
        + "\(option).")
  }
}
