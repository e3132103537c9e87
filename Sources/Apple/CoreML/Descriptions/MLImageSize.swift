import Foundation

/// A width and a height in pixels.
public final class MLImageSize: NSObject, Sendable {
  /// The width in pixels.
  public let pixelsWide: Int

  /// The height in pixels.
  public let pixelsHigh: Int

  init(pixelsWide: Int, pixelsHigh: Int) {
    self.pixelsWide = pixelsWide
    self.pixelsHigh = pixelsHigh
  }

  /// Sizes are equal when their widths and heights are equal.
  override public func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? MLImageSize else { return false }
    return pixelsWide == other.pixelsWide && pixelsHigh == other.pixelsHigh
  }

  /// A hash of width and height.
  override public var hash: Int { pixelsWide &* 31 &+ pixelsHigh }

  /// The width and the height, as `640 × 480`.
  override public var description: String { "\(pixelsWide) × \(pixelsHigh)" }
}
