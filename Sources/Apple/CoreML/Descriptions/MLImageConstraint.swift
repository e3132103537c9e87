import CoreVideo
import Foundation

/// The images that a feature allows.
public final class MLImageConstraint: NSObject, Sendable {
  /// The width that the model declares, in pixels.
  public let pixelsWide: Int

  /// The height that the model declares, in pixels.
  public let pixelsHigh: Int

  /// The pixel format: `kCVPixelFormatType_32BGRA` for colour, `kCVPixelFormatType_OneComponent8` or
  /// `kCVPixelFormatType_OneComponent16Half` for grey.
  public let pixelFormatType: OSType

  /// The allowed sizes.
  public let sizeConstraint: MLImageSizeConstraint

  init(
    pixelsWide: Int, pixelsHigh: Int, pixelFormatType: OSType,
    sizeConstraint: MLImageSizeConstraint
  ) {
    self.pixelsWide = pixelsWide
    self.pixelsHigh = pixelsHigh
    self.pixelFormatType = pixelFormatType
    self.sizeConstraint = sizeConstraint
  }

  /// The pixel format and the declared size.
  override public var description: String {
    "Image (\(fourCharacterName(of: pixelFormatType)), \(pixelsWide) × \(pixelsHigh))"
  }
}
