extension Picture {
  /// Scales the picture to another size with the Lanczos kernel of three lobes.
  ///
  /// Each axis is resampled separately. See `LanczosWeights`.
  ///
  /// - Throws: `ImagingError` for a size that is not positive.
  public func scaled(toWidth width: Int, height: Int) throws -> Picture {
    try scaled(
      PixelRegion(x: 0, y: 0, width: self.width, height: self.height), toWidth: width,
      height: height)
  }

  /// Scales a region of the picture to another size.
  func scaled(_ region: PixelRegion, toWidth width: Int, height: Int) throws -> Picture {
    _ = try Picture.checkedArea(width: width, height: height)
    guard region.width != width || region.height != height else {
      return try cropped(
        x: region.x, y: region.y, width: region.width, height: region.height)
    }
    return Picture(
      width: width, height: height,
      colour: try resample(
        colour, planeWidth: self.width, region: region, components: 3, toWidth: width,
        height: height),
      opacity: try opacity.map {
        try resample(
          $0, planeWidth: self.width, region: region, components: 1, toWidth: width,
          height: height)
      })
  }

  /// Crops and scales the picture to a size.
  ///
  /// The result equals these steps: rotate the stored pixels according to `orientation`, crop them to `region`, then
  /// rotate, crop and scale them according to `mode`.
  ///
  /// - Parameters:
  ///   - width: The number of columns of the result.
  ///   - height: The number of rows of the result.
  ///   - mode: How the picture is fitted if the aspect ratios differ.
  ///   - region: The part to use, in pixels of the picture as shown. Nil for the complete picture.
  ///   - orientation: The orientation of this picture's pixels.
  /// - Throws: `ImagingError` for a size that is not positive or a region outside the picture.
  public func fitted(
    toWidth width: Int, height: Int, mode: CropAndScale, region: PixelRegion? = nil,
    orientation: Orientation = .up
  ) throws -> Picture {
    _ = try Picture.checkedArea(width: width, height: height)
    let shownWidth: Int = orientation.swapsSides ? self.height : self.width
    let shownHeight: Int = orientation.swapsSides ? self.width : self.height
    let part: PixelRegion =
      region ?? PixelRegion(x: 0, y: 0, width: shownWidth, height: shownHeight)
    guard part.x >= 0, part.y >= 0, part.width > 0, part.height > 0,
      part.width <= shownWidth, part.height <= shownHeight,
      part.x <= shownWidth - part.width, part.y <= shownHeight - part.height
    else {
      throw ImagingError(
        code: .invalidGeometry,
        message: "A region of \(part.width) × \(part.height) at (\(part.x), \(part.y)) is not"
          + " inside a picture of \(shownWidth) × \(shownHeight).")
    }
    let fit = Fit(
      of: part, toWidth: mode.rotates ? height : width, height: mode.rotates ? width : height,
      mode: mode)
    // Scales before rotating. So the large picture is read once, and only the scaled picture is rotated.
    let stored: PixelRegion = fit.region.inStoredPixels(
      of: orientation, width: shownWidth, height: shownHeight)
    var result: Picture = try scaled(
      stored, toWidth: orientation.swapsSides ? fit.height : fit.width,
      height: orientation.swapsSides ? fit.width : fit.height)
    result = try result.oriented(orientation)
    if mode.rotates { result = try result.oriented(.left) }
    return try result.centred(onWidth: width, height: height)
  }

  /// Returns the picture in the centre of a larger black one. If the margins cannot be equal, the larger ones are at
  /// the bottom and the right.
  private func centred(onWidth canvasWidth: Int, height canvasHeight: Int) throws -> Picture {
    guard canvasWidth != width || canvasHeight != height else { return self }
    return Picture(
      width: canvasWidth, height: canvasHeight,
      colour: try centre(colour, components: 3, border: 0, canvasWidth, canvasHeight),
      opacity: try opacity.map {
        try centre($0, components: 1, border: 255, canvasWidth, canvasHeight)
      })
  }

  private func centre(
    _ plane: PixelBytes, components: Int, border: UInt8, _ canvasWidth: Int, _ canvasHeight: Int
  ) throws -> PixelBytes {
    let left: Int = (canvasWidth - width) / 2
    let top: Int = (canvasHeight - height) / 2
    let count: Int = canvasWidth * canvasHeight * components
    return try PixelBytes(count: count) { (target: UnsafeMutableBufferPointer<UInt8>) in
      target.initialize(repeating: border)
      plane.withBytes { (source: UnsafeBufferPointer<UInt8>) in
        guard let to = target.baseAddress, let from = source.baseAddress else { return }
        // Safe: the picture is no larger than the canvas, by construction of `Fit`.
        for row in 0..<height {
          (to + ((top + row) * canvasWidth + left) * components).update(
            from: from + row * width * components, count: width * components)
        }
      }
    }
  }
}

/// The part of a picture that is scaled, and the size of the result.
private struct Fit {
  var region: PixelRegion
  var width: Int
  var height: Int

  init(of part: PixelRegion, toWidth targetWidth: Int, height targetHeight: Int, mode: CropAndScale)
  {
    region = part
    width = targetWidth
    height = targetHeight
    let across: Double = Double(targetWidth) / Double(part.width)
    let down: Double = Double(targetHeight) / Double(part.height)
    switch mode {
    case .scaleFill, .scaleFillRotate90CCW:
      break
    case .scaleFit, .scaleFitRotate90CCW:
      let scale: Double = min(across, down)
      width = min(targetWidth, max(1, Int((Double(part.width) * scale).rounded())))
      height = min(targetHeight, max(1, Int((Double(part.height) * scale).rounded())))
    case .centerCrop:
      let scale: Double = max(across, down)
      let keptWidth: Int = Int((Double(targetWidth) / scale).rounded())
      let keptHeight: Int = Int((Double(targetHeight) / scale).rounded())
      region.width = min(part.width, max(1, keptWidth))
      region.height = min(part.height, max(1, keptHeight))
      region.x = part.x + (part.width - region.width) / 2
      region.y = part.y + (part.height - region.height) / 2
    }
  }
}
