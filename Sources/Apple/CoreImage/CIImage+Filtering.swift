import CFilters
import Imaging

extension CIImage {
  /// Returns the image with colours that a kernel computes from its colours. Alpha does not change.
  ///
  /// - Parameter kernel: The function that computes the pixels. Its arguments are source, target, width and height. It
  ///   returns 0, or another number if the memory does not suffice.
  func filtered(
    _ kernel: (UnsafePointer<UInt8>, UnsafeMutablePointer<UInt8>, Int32, Int32) -> Int32
  ) -> CIImage {
    CIImage(
      Result { () throws -> Picture in
        let image: Picture = try picture
        let made = try Picture(width: image.width, height: image.height) { target in
          let status: Int32 = image.withPixels { source in
            guard let from = source.baseAddress, let to = target.baseAddress else { return 0 }
            // Safe: source and target have width · height · 3 bytes. A side of a picture fits 32 bits.
            return kernel(from, to, Int32(clamping: image.width), Int32(clamping: image.height))
          }
          guard status == 0 else {
            throw ImagingError(
              code: .outOfMemory,
              message: "A filter on \(image.width) × \(image.height) pixels got no memory, expected"
                + " 30 bytes a pixel. Scale the image down first.")
          }
        }
        return try made.withAlpha(of: image)
      }, extent: extent)
  }

  /// Returns the image with each pixel multiplied by a matrix of three rows of four numbers.
  func multiplied(by matrix: [Double]) -> CIImage {
    filtered { source, target, width, height in
      cfl_color_matrix(source, target, Int64(width) * Int64(height), matrix)
      return 0
    }
  }

  /// Mixes two images by the luminance of `mask`, or by the alpha of `top` if `mask` is nil. The extent of the result
  /// contains both extents.
  static func mixed(_ top: CIImage, _ bottom: CIImage, opacity mask: CIImage?) -> CIImage {
    let extent: CGRect = top.extent.union(bottom.extent)
    return CIImage(
      Result { () throws -> Picture in
        let front: Canvas = try Canvas(top, in: extent)
        let back: Canvas = try Canvas(bottom, in: extent)
        var opacity: [UInt8] = front.alpha
        if let mask {
          let mixing: Canvas = try Canvas(mask, in: extent)
          mixing.pixels.withUnsafeBufferPointer { source in
            guard let from = source.baseAddress else { return }
            // Safe: the canvas has three bytes for each byte of the opacity.
            cfl_luminance(from, &opacity, Int64(opacity.count))
          }
        }
        let count = Int64(opacity.count)
        var pixels = [UInt8](repeating: 0, count: front.pixels.count)
        // Safe: all canvases have the size of the extent.
        cfl_blend(front.pixels, back.pixels, opacity, &pixels, count)
        let isOpaque: Bool = !front.alpha.contains { $0 < 255 } || !back.alpha.contains { $0 < 255 }
        let alpha: [UInt8]? =
          isOpaque ? nil : zip(front.alpha, back.alpha).map { max($0.0, $0.1) }
        return try Picture(
          width: front.width, height: front.height, pixels: pixels, alpha: alpha)
      }, extent: extent)
  }
}

/// The pixels of an image inside a rectangle that contains it. Other pixels are black and transparent.
private struct Canvas {
  let width: Int
  let height: Int
  private(set) var pixels: [UInt8]
  private(set) var alpha: [UInt8]

  init(_ image: CIImage, in extent: CGRect) throws {
    let picture: Picture = try image.picture
    width = max(1, Int(min(extent.width.rounded(), 2_097_152)))
    height = max(1, Int(min(extent.height.rounded(), 2_097_152)))
    pixels = [UInt8](repeating: 0, count: width * height * 3)
    alpha = [UInt8](repeating: 0, count: width * height)
    let left = Int((image.extent.minX - extent.minX).rounded())
    let top = Int((extent.maxY - image.extent.maxY).rounded())
    let source: [UInt8] = picture.pixels
    let opacity: [UInt8]? = picture.alpha
    let columns: Int = min(picture.width, width - left)
    for row in 0..<max(0, min(picture.height, height - top)) where columns > 0 {
      let to: Int = (top + row) * width + left
      let from: Int = row * picture.width
      pixels.replaceSubrange(
        to * 3..<(to + columns) * 3, with: source[from * 3..<(from + columns) * 3])
      if let opacity {
        alpha.replaceSubrange(to..<to + columns, with: opacity[from..<from + columns])
      } else {
        alpha.replaceSubrange(to..<to + columns, with: repeatElement(255, count: columns))
      }
    }
  }
}
