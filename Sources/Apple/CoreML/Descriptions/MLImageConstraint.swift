import CoreVideo
import Foundation

/// What pictures a feature takes or gives.
public final class MLImageConstraint: NSObject, Sendable {
  /// The width that the model declares, in pixels.
  public let pixelsWide: Int

  /// The height that the model declares, in pixels.
  public let pixelsHigh: Int

  /// The pixel format: `kCVPixelFormatType_32BGRA` for colour, `OneComponent8` or
  /// `OneComponent16Half` for grey.
  public let pixelFormatType: OSType

  /// The sizes that are allowed.
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

  /// Format and sizes in words.
  override public var description: String {
    "Image (\(fourCharacterName(of: pixelFormatType)), \(pixelsWide) × \(pixelsHigh))"
  }
}
