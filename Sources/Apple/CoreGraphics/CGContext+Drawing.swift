import Foundation
import Imaging

extension CGContext {
  /// Draws an image, scaled to a rectangle, over the existing content.
  ///
  /// If the current transform only translates, scales or mirrors, the method rounds the rectangle to integer pixels and
  /// scales the image by Lanczos resampling. If the transform rotates or shears, or if the rectangle has more than 2²⁶
  /// pixels, the method samples the image bilinearly and does not smooth the edges of the drawn area. The method draws
  /// nothing if the image's pixels cannot be read or the memory does not suffice.
  public func draw(_ image: CGImage, in rect: CGRect, byTiling: Bool = false) {
    let rect: CGRect = rect.standardized
    guard let picture = try? image.picture, rect.width > 0, rect.height > 0 else { return }
    let placed: PixelBox = box(around: rect)
    let isUpright: Bool = state.transform.b == 0 && state.transform.c == 0
    if isUpright, placed.width > 0, placed.height > 0, placed.width * placed.height <= 1 << 26 {
      guard var scaled = try? picture.scaled(toWidth: placed.width, height: placed.height) else {
        return
      }
      if state.transform.a < 0 { scaled = (try? scaled.oriented(.upMirrored)) ?? scaled }
      if state.transform.d < 0 { scaled = (try? scaled.oriented(.downMirrored)) ?? scaled }
      let visible: PixelBox = placed.clipped(toWidth: width, height: height)
      guard visible.width > 0, visible.height > 0,
        let part = try? scaled.cropped(
          x: visible.left - placed.left, y: visible.top - placed.top, width: visible.width,
          height: visible.height)
      else { return }
      compose(part, at: visible)
    } else {
      drawSampled(picture, in: rect, around: placed.clipped(toWidth: width, height: height))
    }
  }

  /// Draws a rectangle in the fill colour over the existing content. Pixels on its edges are covered in part.
  public func fill(_ rect: CGRect) {
    let mapped: CGRect = rect.standardized.applying(state.transform)
    let isUpright: Bool = state.transform.b == 0 && state.transform.c == 0
    let isAligned: Bool = [mapped.minX, mapped.minY, mapped.maxX, mapped.maxY].allSatisfy {
      $0 == $0.rounded()
    }
    guard isUpright, isAligned else {
      let path = CGMutablePath()
      path.addRect(rect, transform: state.transform)
      return paint(path, state.fillColor, isEvenOdd: false, isStroke: false)
    }
    let visible: PixelBox = box(around: rect.standardized).clipped(toWidth: width, height: height)
    let colour: [UInt8] = state.fillColor.bytes
    guard visible.width > 0, visible.height > 0, colour[3] > 0 else { return }
    let area: Int = visible.width * visible.height
    guard
      var picture = try? Picture(
        width: visible.width, height: visible.height,
        fill: { (pixels: UnsafeMutableBufferPointer<UInt8>) in
          for index in 0..<area {
            pixels[index * 3] = colour[0]
            pixels[index * 3 + 1] = colour[1]
            pixels[index * 3 + 2] = colour[2]
          }
        })
    else { return }
    if colour[3] < 255 {
      let alpha: [UInt8] = [UInt8](repeating: colour[3], count: area)
      guard
        let clear = try? Picture(
          width: picture.width, height: picture.height, pixels: picture.pixels, alpha: alpha)
      else { return }
      picture = clear
    }
    compose(picture, at: visible)
  }

  /// Fills rectangles with the fill colour.
  public func fill(_ rects: [CGRect]) {
    for rect in rects { fill(rect) }
  }

  /// Sets all bytes of a rectangle's pixels to 0.
  public func clear(_ rect: CGRect) {
    let visible: PixelBox = box(around: rect.standardized).clipped(toWidth: width, height: height)
    guard visible.width > 0, visible.height > 0 else { return }
    for row in 0..<visible.height {
      // Safe: the box was clipped to the context's rows and columns.
      memset(address(of: visible) + row * bytesPerRow, 0, visible.width * layout.bytesPerPixel)
    }
  }

  /// Composes a picture over the existing content.
  ///
  /// - Parameter box: The pixels of the context that the picture covers. The box has the picture's size.
  func compose(_ picture: Picture, at box: PixelBox) {
    guard let picture = limited(picture, at: box) else { return }
    var result: Picture = picture
    if picture.hasAlpha {
      // Safe: the box was clipped to the context's rows and columns.
      guard
        let below = try? Picture(
          width: box.width, height: box.height, layout: layout, rows: address(of: box),
          bytesPerRow: bytesPerRow),
        let blended = try? picture.over(below)
      else { return }
      result = blended
    }
    // Safe: the box is inside the context. The rows are long enough, so the call does not throw.
    try? result.write(to: address(of: box), bytesPerRow: bytesPerRow, layout: layout)
  }

  /// Returns a picture whose alpha is multiplied by the clipping mask and by the context's alpha.
  private func limited(_ picture: Picture, at box: PixelBox) -> Picture? {
    let opacity = UInt8((state.alpha * 255).rounded())
    guard state.clip != nil || opacity < 255 else { return picture }
    var alpha: [UInt8] =
      picture.alpha ?? [UInt8](repeating: 255, count: picture.width * picture.height)
    if opacity < 255 {
      for index in alpha.indices { alpha[index] = scaled(alpha[index], by: opacity) }
    }
    if let clip = state.clip {
      for row in 0..<box.height {
        let start: Int = (box.top + row) * width + box.left
        for column in 0..<box.width {
          let index: Int = row * box.width + column
          alpha[index] = scaled(alpha[index], by: clip[start + column])
        }
      }
    }
    return try? Picture(
      width: picture.width, height: picture.height, pixels: picture.pixels, alpha: alpha)
  }

  private func address(of box: PixelBox) -> UnsafeMutableRawPointer {
    memory + box.top * bytesPerRow + box.left * layout.bytesPerPixel
  }

  /// Transforms a rectangle from user space to pixels and rounds the result to integers. The result may lie outside of
  /// the context.
  private func box(around rect: CGRect) -> PixelBox {
    let mapped: CGRect = rect.applying(state.transform)
    func pixel(_ value: CGFloat) -> Int {
      value.isNaN ? 0 : Int(min(1_000_000, max(-1_000_000, value.rounded())))
    }
    let left: Int = pixel(mapped.minX)
    let top: Int = height - pixel(mapped.maxY)
    return PixelBox(
      left: left, top: top, width: pixel(mapped.maxX) - left,
      height: height - pixel(mapped.minY) - top)
  }

  /// Draws by inverse mapping: for each pixel of the context, samples the picture at the position that the inverse
  /// transform gives.
  private func drawSampled(_ picture: Picture, in rect: CGRect, around box: PixelBox) {
    guard box.width > 0, box.height > 0 else { return }
    let inverse: CGAffineTransform = state.transform.inverted()
    let across: CGFloat = CGFloat(picture.width) / rect.width
    let down: CGFloat = CGFloat(picture.height) / rect.height
    var pixels: [UInt8] = [UInt8](repeating: 0, count: box.width * box.height * 3)
    var alpha: [UInt8] = [UInt8](repeating: 0, count: box.width * box.height)
    picture.withPixels { (colours: UnsafeBufferPointer<UInt8>) in
      picture.withAlpha { (opacity: UnsafeBufferPointer<UInt8>?) in
        for y in 0..<box.height {
          for x in 0..<box.width {
            let device = CGPoint(
              x: CGFloat(box.left + x) + 0.5, y: CGFloat(height - box.top - y) - 0.5)
            let user: CGPoint = device.applying(inverse)
            let u: CGFloat = (user.x - rect.minX) * across
            let v: CGFloat = (rect.maxY - user.y) * down
            guard u >= 0, v >= 0, u <= CGFloat(picture.width), v <= CGFloat(picture.height) else {
              continue
            }
            let sample = Sample(u: u, v: v, width: picture.width, height: picture.height)
            let index: Int = y * box.width + x
            for component in 0..<3 {
              pixels[index * 3 + component] = sample.value(colours, 3, component)
            }
            alpha[index] = opacity.map { sample.value($0, 1, 0) } ?? 255
          }
        }
      }
    }
    guard
      let drawn = try? Picture(
        width: box.width, height: box.height, pixels: pixels, alpha: alpha)
    else { return }
    compose(drawn, at: box)
  }
}

/// A rectangle of pixels, with the origin at the top left.
struct PixelBox {
  var left: Int
  var top: Int
  var width: Int
  var height: Int

  func clipped(toWidth canvasWidth: Int, height canvasHeight: Int) -> PixelBox {
    let right: Int = min(left + width, canvasWidth)
    let bottom: Int = min(top + height, canvasHeight)
    let newLeft: Int = max(left, 0)
    let newTop: Int = max(top, 0)
    return PixelBox(left: newLeft, top: newTop, width: right - newLeft, height: bottom - newTop)
  }
}

/// The four neighbours of a position in a picture and their bilinear weights.
private struct Sample {
  private let corners: (Int, Int, Int, Int)
  private let weights: (CGFloat, CGFloat, CGFloat, CGFloat)

  init(u: CGFloat, v: CGFloat, width: Int, height: Int) {
    let x: CGFloat = min(max(u - 0.5, 0), CGFloat(width - 1))
    let y: CGFloat = min(max(v - 0.5, 0), CGFloat(height - 1))
    let left: Int = Int(x)
    let top: Int = Int(y)
    let right: Int = min(left + 1, width - 1)
    let bottom: Int = min(top + 1, height - 1)
    let fx: CGFloat = x - CGFloat(left)
    let fy: CGFloat = y - CGFloat(top)
    corners = (
      top * width + left, top * width + right, bottom * width + left, bottom * width + right
    )
    weights = ((1 - fx) * (1 - fy), fx * (1 - fy), (1 - fx) * fy, fx * fy)
  }

  func value(_ plane: UnsafeBufferPointer<UInt8>, _ step: Int, _ component: Int) -> UInt8 {
    let upper: CGFloat =
      CGFloat(plane[corners.0 * step + component]) * weights.0
      + CGFloat(plane[corners.1 * step + component]) * weights.1
    let lower: CGFloat =
      CGFloat(plane[corners.2 * step + component]) * weights.2
      + CGFloat(plane[corners.3 * step + component]) * weights.3
    return UInt8(min(255, (upper + lower).rounded()))
  }
}

extension Picture {
  /// Composes this picture over another picture of the same size. The alpha of both pictures is straight: the colours
  /// are not premultiplied.
  fileprivate func over(_ below: Picture) throws -> Picture {
    let area: Int = width * height
    var colours: [UInt8] = [UInt8](repeating: 0, count: area * 3)
    var alphas: [UInt8]? = below.hasAlpha ? [UInt8](repeating: 0, count: area) : nil
    let upper: [UInt8] = pixels
    let lower: [UInt8] = below.pixels
    let upperAlpha: [UInt8] = alpha ?? [UInt8](repeating: 255, count: area)
    let lowerAlpha: [UInt8] = below.alpha ?? [UInt8](repeating: 255, count: area)
    for index in 0..<area {
      // The weights of the upper and the lower picture, in units of 1/255².
      let upperWeight: Int = Int(upperAlpha[index]) * 255
      let lowerWeight: Int = Int(lowerAlpha[index]) * (255 - Int(upperAlpha[index]))
      let sum: Int = upperWeight + lowerWeight
      guard sum > 0 else { continue }
      for component in (index * 3)..<(index * 3 + 3) {
        let mixed: Int =
          Int(upper[component]) * upperWeight + Int(lower[component]) * lowerWeight
        colours[component] = UInt8((mixed + sum / 2) / sum)
      }
      alphas?[index] = UInt8((sum + 127) / 255)
    }
    return try Picture(width: width, height: height, pixels: colours, alpha: alphas)
  }
}
