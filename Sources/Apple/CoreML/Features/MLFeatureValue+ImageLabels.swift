import CoreGraphics
import Foundation
import ImageIO

/// The initialisers for images with the argument labels `imageAtURL` and `CGImage`. Apple's documentation uses these
/// labels besides `imageAt` and `cgImage`.
extension MLFeatureValue {
  /// Same as ``init(imageAt:constraint:options:)``.
  public convenience init(
    imageAtURL url: URL, constraint: MLImageConstraint, options: [ImageOption: Any]? = nil
  ) throws {
    try self.init(imageAt: url, constraint: constraint, options: options)
  }

  /// Same as ``init(imageAt:orientation:constraint:options:)``.
  public convenience init(
    imageAtURL url: URL, orientation: CGImagePropertyOrientation, constraint: MLImageConstraint,
    options: [ImageOption: Any]? = nil
  ) throws {
    try self.init(
      imageAt: url, orientation: orientation, constraint: constraint, options: options)
  }

  /// Same as ``init(imageAt:pixelsWide:pixelsHigh:pixelFormatType:options:)``.
  public convenience init(
    imageAtURL url: URL, pixelsWide: Int, pixelsHigh: Int, pixelFormatType: OSType,
    options: [ImageOption: Any]? = nil
  ) throws {
    try self.init(
      imageAt: url, pixelsWide: pixelsWide, pixelsHigh: pixelsHigh,
      pixelFormatType: pixelFormatType, options: options)
  }

  /// Same as ``init(imageAt:orientation:pixelsWide:pixelsHigh:pixelFormatType:options:)``.
  public convenience init(
    imageAtURL url: URL, orientation: CGImagePropertyOrientation, pixelsWide: Int,
    pixelsHigh: Int, pixelFormatType: OSType, options: [ImageOption: Any]? = nil
  ) throws {
    try self.init(
      imageAt: url, orientation: orientation, pixelsWide: pixelsWide, pixelsHigh: pixelsHigh,
      pixelFormatType: pixelFormatType, options: options)
  }

  /// Same as ``init(cgImage:constraint:options:)``.
  public convenience init(
    CGImage cgImage: CGImage, constraint: MLImageConstraint, options: [ImageOption: Any]? = nil
  ) throws {
    try self.init(cgImage: cgImage, constraint: constraint, options: options)
  }

  /// Same as ``init(cgImage:orientation:constraint:options:)``.
  public convenience init(
    CGImage cgImage: CGImage, orientation: CGImagePropertyOrientation,
    constraint: MLImageConstraint, options: [ImageOption: Any]? = nil
  ) throws {
    try self.init(
      cgImage: cgImage, orientation: orientation, constraint: constraint, options: options)
  }

  /// Same as ``init(cgImage:pixelsWide:pixelsHigh:pixelFormatType:options:)``.
  public convenience init(
    CGImage cgImage: CGImage, pixelsWide: Int, pixelsHigh: Int, pixelFormatType: OSType,
    options: [ImageOption: Any]? = nil
  ) throws {
    try self.init(
      cgImage: cgImage, pixelsWide: pixelsWide, pixelsHigh: pixelsHigh,
      pixelFormatType: pixelFormatType, options: options)
  }

  /// Same as ``init(cgImage:orientation:pixelsWide:pixelsHigh:pixelFormatType:options:)``.
  public convenience init(
    CGImage cgImage: CGImage, orientation: CGImagePropertyOrientation, pixelsWide: Int,
    pixelsHigh: Int, pixelFormatType: OSType, options: [ImageOption: Any]? = nil
  ) throws {
    try self.init(
      cgImage: cgImage, orientation: orientation, pixelsWide: pixelsWide, pixelsHigh: pixelsHigh,
      pixelFormatType: pixelFormatType, options: options)
  }
}
