import Foundation

extension CGContext {
  /// Limits drawing to a mask that is scaled to a rectangle, too. Nothing is drawn outside of the rectangle.
  ///
  /// - Parameter mask: A mask, which hides what is drawn where its samples are 255, or a grey image, which hides it where
  ///   it is black.
  public func clip(to rect: CGRect, mask: CGImage) {
    var shown = [UInt8](repeating: 0, count: width * height)
    defer {
      if let old = state.clip {
        for index in shown.indices { shown[index] = scaled(shown[index], by: old[index]) }
      }
      state.clip = shown
    }
    // Draws a white rectangle with the mask's alpha, and takes the alpha of each pixel.
    let bits: UInt32 = CGImageAlphaInfo.premultipliedLast.rawValue
    guard
      let white = CGContext(
        data: nil, width: mask.width, height: mask.height, bitsPerComponent: 8, bytesPerRow: 0,
        space: CGColorSpaceCreateDeviceRGB(), bitmapInfo: bits),
      let canvas = CGContext(
        data: nil, width: width, height: height, bitsPerComponent: 8, bytesPerRow: 0,
        space: CGColorSpaceCreateDeviceRGB(), bitmapInfo: bits)
    else { return }
    white.setFillColor(gray: 1, alpha: 1)
    white.fill(CGRect(x: 0, y: 0, width: mask.width, height: mask.height))
    guard let stencil = white.makeImage()?.masking(mask) else { return }
    canvas.state.transform = state.transform
    canvas.draw(stencil, in: rect)
    for row in 0..<height {
      // Safe: the canvas has `height` rows of at least four bytes per pixel.
      let from = canvas.memory + row * canvas.bytesPerRow
      for column in 0..<width {
        shown[row * width + column] = from.load(fromByteOffset: 4 * column + 3, as: UInt8.self)
      }
    }
  }
}
