import Foundation
import Imaging

/// Turns images into pixels. It holds nothing; one may be shared by all threads.
public final class CIContext: Sendable {
  /// A context. Options are accepted and ignored: there is one way to compute.
  public init(options: [CIContextOption: Any]? = nil) {}

  /// The part of an image inside a rectangle as a `CGImage`.
  ///
  /// - Returns: `nil` where rectangle and image share no pixel, or the image has none.
  public func createCGImage(_ image: CIImage, from fromRect: CGRect) -> CGImage? {
    let part: CGRect = fromRect.integral.intersection(image.extent)
    guard !part.isNull, part.width >= 1, part.height >= 1 else { return nil }
    return (try? image.cropped(to: part).picture).map { CGImage($0) }
  }

  /// Draws an image into a pixel buffer, whose lower left corner is the plane's origin.
  ///
  /// The part of the image beyond the buffer is cut; pixels of the buffer beyond the image become
  /// black. A buffer of a format that pictures cannot be made from stays as it is, and so does any
  /// buffer when the image has no pixels.
  public func render(_ image: CIImage, to buffer: CVPixelBuffer) {
    let bounds = CGRect(
      x: 0, y: 0, width: CGFloat(CVPixelBufferGetWidth(buffer)),
      height: CGFloat(CVPixelBufferGetHeight(buffer)))
    render(image, to: buffer, bounds: bounds, colorSpace: nil)
  }

  /// Draws an image into the part of a pixel buffer inside `bounds`. See `render(_:to:)`.
  public func render(
    _ image: CIImage, to buffer: CVPixelBuffer, bounds: CGRect, colorSpace: CGColorSpace?
  ) {
    let width: Int = CVPixelBufferGetWidth(buffer)
    let height: Int = CVPixelBufferGetHeight(buffer)
    let canvas = CGRect(x: 0, y: 0, width: CGFloat(width), height: CGFloat(height))
    let part: CGRect = image.extent.integral.intersection(bounds.integral).intersection(canvas)
    guard let whole = try? image.picture else { return }
    if part == canvas, whole.width == width, whole.height == height {
      try? whole.write(to: buffer)
      return
    }
    guard
      let drawn = try? Picture(
        width: width, height: height,
        fill: { (target: UnsafeMutableBufferPointer<UInt8>) in
          guard !part.isNull, part.width >= 1, part.height >= 1 else { return }
          let cut: Picture = try image.cropped(to: part).picture
          let left: Int = Int(part.minX)
          let top: Int = height - Int(part.maxY)
          cut.withPixels { (source: UnsafeBufferPointer<UInt8>) in
            guard let to = target.baseAddress, let from = source.baseAddress else { return }
            // Safe: the part lies inside the canvas, being an intersection with it.
            for row in 0..<min(cut.height, height - top) {
              (to + ((top + row) * width + left) * 3).update(
                from: from + row * cut.width * 3, count: min(cut.width, width - left) * 3)
            }
          }
        })
    else { return }
    try? drawn.write(to: buffer)
  }
}

/// Keys of the options that contexts are made with. All are ignored.
public struct CIContextOption: RawRepresentable, Hashable, Sendable {
  /// The name.
  public let rawValue: String

  /// A key from its name.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// Whether rendering stays off the GPU. It always does.
  public static let useSoftwareRenderer: CIContextOption = CIContextOption(
    rawValue: "kCIContextUseSoftwareRenderer")

  /// The space that is computed in. It is always sRGB.
  public static let workingColorSpace: CIContextOption = CIContextOption(
    rawValue: "kCIContextWorkingColorSpace")
}
