import CVision
import CoreGraphics
import Foundation
import Imaging

/// The only revision of ``VNDetectContoursRequest``.
public let VNDetectContourRequestRevision1: Int = 1

/// A request that finds the contours of regions that are darker or lighter than their surroundings. The result is one
/// ``VNContoursObservation``.
///
/// The request compares the luma of each pixel with the pivot, and then follows the borders of the resulting regions,
/// as OpenCV's `findContours` does. Apple has not published the method of its request.
open class VNDetectContoursRequest: VNImageBasedRequest {
  /// Has no effect: a change of contrast around the pivot moves no pixel to the other side of the pivot.
  public var contrastAdjustment: Float = 2

  /// The luma that divides dark from light, 0 to 1. Nil means that Otsu's method chooses it.
  public var contrastPivot: NSNumber? = 0.5

  /// Whether to find dark regions on a light background. If false, finds light regions on a dark background.
  public var detectsDarkOnLight: Bool = true

  /// The maximum length of the image's longer side, in pixels. The request scales larger images down.
  public var maximumImageDimension: Int = 512

  /// The result of the last run; nil before the first run and after an error.
  public var results: [VNContoursObservation]? {
    found?.compactMap { $0 as? VNContoursObservation }
  }

  override func observations(in image: RequestImage) throws -> [VNObservation] {
    try checkCancellation()
    guard maximumImageDimension >= 1 else {
      throw VNError(
        .invalidArgument, "maximumImageDimension is \(maximumImageDimension), expected 1 or more.")
    }
    let picture: Picture = try scaled(image.upright(self))
    let (width, height) = (picture.width, picture.height)
    var pixels = [UInt8](repeating: 0, count: width * height)
    try pixels.withUnsafeMutableBytes { rows in
      guard let memory = rows.baseAddress else { return }
      // Safe: there are `height` rows of `width` bytes.
      try picture.write(to: memory, bytesPerRow: width, layout: .grey8)
    }
    let pivot: Float = contrastPivot.map { $0.floatValue * 255 } ?? Self.otsu(pixels)
    let isDark: Bool = detectsDarkOnLight
    for index in pixels.indices {
      pixels[index] = (Float(pixels[index]) < pivot) == isDark ? 1 : 0
    }
    let borders: [FollowedBorders.Border] = try FollowedBorders.borders(
      in: pixels, width: width, height: height)
    return [VNContoursObservation(Self.tree(borders, width: width, height: height))]
  }

  private func scaled(_ picture: Picture) throws -> Picture {
    let longest: Int = max(picture.width, picture.height)
    guard longest > maximumImageDimension else { return picture }
    let scale: Double = Double(maximumImageDimension) / Double(longest)
    do {
      return try picture.scaled(
        toWidth: max(1, Int((Double(picture.width) * scale).rounded())),
        height: max(1, Int((Double(picture.height) * scale).rounded())))
    } catch let error as ImagingError {
      throw VNError(.invalidImage, error.message)
    }
  }

  /// Returns the threshold that makes the two classes of pixels differ most.
  ///
  /// **Source:** Otsu, “A threshold selection method from gray-level histograms”, 1979.
  private static func otsu(_ pixels: [UInt8]) -> Float {
    var counts = [Double](repeating: 0, count: 256)
    for pixel in pixels { counts[Int(pixel)] += 1 }
    let total: Double = counts.enumerated().reduce(0) { $0 + Double($1.offset) * $1.element }
    var (best, threshold, below, sum): (Double, Int, Double, Double) = (-1, 128, 0, 0)
    for level in 0..<255 {
      below += counts[level]
      sum += Double(level) * counts[level]
      let above: Double = Double(pixels.count) - below
      guard below > 0, above > 0 else { continue }
      let difference: Double = sum / below - (total - sum) / above
      let variance: Double = below * above * difference * difference
      if variance > best { (best, threshold) = (variance, level + 1) }
    }
    return Float(threshold)
  }

  /// Builds the tree of contours. `borders` lists each border after the border around it.
  private static func tree(
    _ borders: [FollowedBorders.Border], width: Int, height: Int
  ) -> [VNContour] {
    var children = [[Int]](repeating: [], count: borders.count)
    var top: [Int] = []
    var paths: [IndexPath] = []
    for (index, border) in borders.enumerated() {
      if border.parent < 0 {
        paths.append(IndexPath(index: top.count))
        top.append(index)
      } else {
        paths.append(paths[border.parent].appending(children[border.parent].count))
        children[border.parent].append(index)
      }
    }
    var made = [VNContour?](repeating: nil, count: borders.count)
    let size = SIMD2(Float(width), Float(height))
    for index in borders.indices.reversed() {
      made[index] = VNContour(
        borders[index].points.map { point in
          let fraction: SIMD2<Float> = (SIMD2<Float>(point) + 0.5) / size
          return SIMD2(fraction.x, 1 - fraction.y)
        }, at: paths[index], children: children[index].compactMap { made[$0] },
        aspectRatio: size.x / size.y)
    }
    return top.compactMap { made[$0] }
  }
}

/// The borders of regions in a binary picture.
final class FollowedBorders {
  struct Border {
    /// The index of the border around this border, or −1.
    let parent: Int
    /// The pixels as column and row.
    let points: [SIMD2<Int32>]
  }

  private var borders: [Border] = []

  static func borders(in binary: [UInt8], width: Int, height: Int) throws -> [Border] {
    let found = FollowedBorders()
    // Safe: the object lives until the call returns, and the call uses the object only until then.
    let isDone: Bool = cvision_contours(
      binary, Int32(width), Int32(height), Unmanaged.passUnretained(found).toOpaque()
    ) { context, parent, points, count in
      guard let context, let points else { return }
      let numbers = UnsafeBufferPointer(start: points, count: 2 * count)
      Unmanaged<FollowedBorders>.fromOpaque(context).takeUnretainedValue().borders.append(
        Border(
          parent: Int(parent),
          points: (0..<count).map { SIMD2(numbers[2 * $0], numbers[2 * $0 + 1]) }))
    }
    guard isDone else {
      throw VNError(.outOfMemory, "There is no memory for the contours. Use a smaller picture.")
    }
    return found.borders
  }
}
