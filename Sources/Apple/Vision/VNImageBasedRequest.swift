import Foundation
import Imaging

/// A request that analyses a part of an image.
open class VNImageBasedRequest: VNRequest {
  /// The part of the image to analyse. Coordinates go from 0 to 1, with the origin at the lower left of the upright
  /// image.
  public var regionOfInterest = CGRect(x: 0, y: 0, width: 1, height: 1)

  /// Returns the part of the image to analyse, in integer pixels with the origin at the top left. Returns nil for the
  /// whole image.
  func pixelRegion(width: Int, height: Int) throws -> PixelRegion? {
    let unitSquare = CGRect(x: 0, y: 0, width: 1, height: 1)
    let part: CGRect = regionOfInterest
    if part == unitSquare { return nil }
    guard unitSquare.contains(part), part.width > 0, part.height > 0 else {
      throw VNError(
        .outOfBoundsError,
        "The region of interest is \(part); it must lie inside 0 to 1 and not be empty.")
    }
    let left = Int((part.minX * CGFloat(width)).rounded())
    let right = Int((part.maxX * CGFloat(width)).rounded())
    let top = Int(((1 - part.maxY) * CGFloat(height)).rounded())
    let bottom = Int(((1 - part.minY) * CGFloat(height)).rounded())
    let x: Int = min(left, width - 1)
    let y: Int = min(top, height - 1)
    return PixelRegion(x: x, y: y, width: max(1, right - x), height: max(1, bottom - y))
  }
}
