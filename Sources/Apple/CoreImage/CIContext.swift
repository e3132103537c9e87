import Foundation
import Imaging

/// Renders images to pixels. A context has no state, so threads can share it.
public final class CIContext: Sendable {
  /// Makes a context. Options have no effect.
  public init(options: [CIContextOption: Any]? = nil) {}

  /// Renders, as a `CGImage`, the part of an image that is inside a rectangle.
  ///
  /// - Returns: Nil if the rectangle and the image have no pixel in common, or if the image has no pixels.
  public func createCGImage(_ image: CIImage, from fromRect: CGRect) -> CGImage? {
    let part: CGRect = fromRect.integral.intersection(image.extent)
    guard !part.isNull, part.width >= 1, part.height >= 1 else { return nil }
    return (try? image.cropped(to: part).picture).map { CGImage($0) }
  }

  /// Renders an image into a pixel buffer. The lower left corner of the buffer is the point (0, 0) of the image's
  /// coordinates.
  ///
  /// The image is clipped to the buffer. Pixels of the buffer outside of the image become black. Does nothing if the
  /// buffer's format is not supported or the image has no pixels.
  public func render(_ image: CIImage, to buffer: CVPixelBuffer) {
    let bounds = CGRect(
      x: 0, y: 0, width: CGFloat(CVPixelBufferGetWidth(buffer)),
      height: CGFloat(CVPixelBufferGetHeight(buffer)))
    render(image, to: buffer, bounds: bounds, colorSpace: nil)
  }

  /// Renders an image as `render(_:to:)` does, but draws only the part of the image inside `bounds`.
  public func render(
    _ image: CIImage, to buffer: CVPixelBuffer, bounds: CGRect, colorSpace: CGColorSpace?
  ) {
    let width: Int = CVPixelBufferGetWidth(buffer)
    let height: Int = CVPixelBufferGetHeight(buffer)
    let canvas = CGRect(x: 0, y: 0, width: CGFloat(width), height: CGFloat(height))
    let part: CGRect = image.extent.integral.intersection(bounds.integral).intersection(canvas)
    guard let full = try? image.picture else { return }
    if part == canvas, full.width == width, full.height == height {
      try? full.write(to: buffer)
      return
    }
    guard
      let drawn = try? Picture(
        width: width, height: height,
        fill: { (target: UnsafeMutableBufferPointer<UInt8>) in
          guard !part.isNull, part.width >= 1, part.height >= 1 else { return }
          let cropped: Picture = try image.cropped(to: part).picture
          let left: Int = Int(part.minX)
          let top: Int = height - Int(part.maxY)
          cropped.withPixels { (source: UnsafeBufferPointer<UInt8>) in
            guard let to = target.baseAddress, let from = source.baseAddress else { return }
            // Safe: the part is an intersection with the canvas, so all its rows are inside the canvas.
            for row in 0..<min(cropped.height, height - top) {
              (to + ((top + row) * width + left) * 3).update(
                from: from + row * cropped.width * 3, count: min(cropped.width, width - left) * 3)
            }
          }
        })
    else { return }
    try? drawn.write(to: buffer)
  }
}

/// An option of a context. No option has an effect.
public struct CIContextOption: RawRepresentable, Hashable, Sendable {
  /// The option's name.
  public let rawValue: String

  /// Makes an option from its name.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// Whether the context renders without a GPU. Here, every context does.
  public static let useSoftwareRenderer: CIContextOption = CIContextOption(
    rawValue: "kCIContextUseSoftwareRenderer")

  /// The colour space of computations. Here, this is always sRGB.
  public static let workingColorSpace: CIContextOption = CIContextOption(
    rawValue: "kCIContextWorkingColorSpace")

  /// The pixel format of computations. Here, a component always has 8 bits.
  public static let workingFormat: CIContextOption = CIContextOption(
    rawValue: "kCIContextWorkingFormat")

  /// The colour space of rendered images. Here, this is always sRGB.
  public static let outputColorSpace: CIContextOption = CIContextOption(
    rawValue: "kCIContextOutputColorSpace")

  /// Whether results are stored for the next rendering. Here, they are not.
  public static let cacheIntermediates: CIContextOption = CIContextOption(
    rawValue: "kCIContextCacheIntermediates")

  /// Whether the context renders slowly beside other work. Has no effect here.
  public static let priorityRequestLow: CIContextOption = CIContextOption(
    rawValue: "kCIContextPriorityRequestLow")

  /// Whether images are scaled down by filters of high quality. Has no effect here.
  public static let highQualityDownsample: CIContextOption = CIContextOption(
    rawValue: "kCIContextHighQualityDownsample")

  /// The name of the context. Has no effect here.
  public static let name: CIContextOption = CIContextOption(rawValue: "kCIContextName")
}
