extension Picture {
  /// Returns a rectangle of the picture. Its origin is the top left corner.
  ///
  /// - Throws: `ImagingError` if the rectangle is empty or leaves the picture.
  public func cropped(x: Int, y: Int, width: Int, height: Int) throws -> Picture {
    guard width > 0, height > 0, x >= 0, y >= 0, x <= self.width - width,
      y <= self.height - height
    else {
      throw ImagingError(
        code: .invalidGeometry,
        message: "A rectangle of \(width) × \(height) at (\(x), \(y)) is not inside a picture of"
          + " \(self.width) × \(self.height).")
    }
    if width == self.width, height == self.height { return self }
    return Picture(
      width: width, height: height,
      colour: try cut(colour, step: 3, x: x, y: y, width: width, height: height),
      opacity: try opacity.map {
        try cut($0, step: 1, x: x, y: y, width: width, height: height)
      })
  }

  private func cut(
    _ plane: PixelBytes, step: Int, x: Int, y: Int, width: Int, height: Int
  ) throws -> PixelBytes {
    try PixelBytes(count: width * height * step) { (target: UnsafeMutableBufferPointer<UInt8>) in
      plane.withBytes { (source: UnsafeBufferPointer<UInt8>) in
        guard let to = target.baseAddress, let from = source.baseAddress else { return }
        // Safe: the caller has checked that the rectangle is inside the picture.
        for row in 0..<height {
          (to + row * width * step).update(
            from: from + ((y + row) * self.width + x) * step, count: width * step)
        }
      }
    }
  }
}
