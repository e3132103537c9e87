/// How a picture's stored pixels must be mirrored or rotated to show the picture. The raw values are EXIF's numbers.
public enum Orientation: UInt32, Sendable, CaseIterable {
  /// The stored pixels are shown unchanged.
  case up = 1
  /// The stored pixels must be mirrored left to right.
  case upMirrored = 2
  /// The stored pixels must be rotated by 180°.
  case down = 3
  /// The stored pixels must be mirrored top to bottom.
  case downMirrored = 4
  /// Rows and columns must be exchanged.
  case leftMirrored = 5
  /// The stored pixels must be rotated by 90° clockwise.
  case right = 6
  /// Rows and columns must be exchanged, and the result rotated by 180°.
  case rightMirrored = 7
  /// The stored pixels must be rotated by 90° counter-clockwise.
  case left = 8

  /// Whether showing the picture exchanges width and height.
  public var swapsSides: Bool { rawValue >= 5 }
}

extension Picture {
  /// Mirrors and rotates the picture to how it is shown. `orientation` is the orientation of the stored pixels.
  ///
  /// `.right` rotates by 90° clockwise, `.left` counter-clockwise.
  ///
  /// - Throws: `ImagingError` if memory is short.
  public func oriented(_ orientation: Orientation) throws -> Picture {
    if orientation == .up { return self }
    let rotatedWidth: Int = orientation.swapsSides ? height : width
    let rotatedHeight: Int = orientation.swapsSides ? width : height
    return Picture(
      width: rotatedWidth, height: rotatedHeight,
      colour: try colour.oriented(orientation, width: width, height: height, pixelSize: 3),
      opacity: try opacity?.oriented(orientation, width: width, height: height, pixelSize: 1))
  }
}

extension PixelBytes {
  /// Mirrors and rotates a plane of `width * height` pixels of `pixelSize` bytes each.
  func oriented(
    _ orientation: Orientation, width: Int, height: Int, pixelSize: Int
  ) throws -> PixelBytes {
    let rotatedWidth: Int = orientation.swapsSides ? height : width
    let rotatedHeight: Int = orientation.swapsSides ? width : height
    let walk = SourceWalk(orientation, width: width, height: height)
    return try PixelBytes(count: count) { (target: UnsafeMutableBufferPointer<UInt8>) in
      withBytes { (source: UnsafeBufferPointer<UInt8>) in
        guard let to = target.baseAddress, let from = source.baseAddress else { return }
        // Safe: `walk` maps each target pixel to a pixel of the source. The loops go tile by tile, so that the pixels
        // of both pictures stay in the cache.
        let tile: Int = 64
        for top in stride(from: 0, to: rotatedHeight, by: tile) {
          for left in stride(from: 0, to: rotatedWidth, by: tile) {
            for y in top..<min(top + tile, rotatedHeight) {
              let right: Int = min(left + tile, rotatedWidth)
              let row: UnsafePointer<UInt8> = from + (walk.start + y * walk.down) * pixelSize
              let step: Int = walk.across * pixelSize
              var written: UnsafeMutablePointer<UInt8> = to + (y * rotatedWidth + left) * pixelSize
              if pixelSize == 3 {
                for x in left..<right {
                  let pixel: UnsafePointer<UInt8> = row + x &* step
                  written[0] = pixel[0]
                  written[1] = pixel[1]
                  written[2] = pixel[2]
                  written += 3
                }
              } else {
                for x in left..<right {
                  for byte in 0..<pixelSize { written[byte] = row[x &* step + byte] }
                  written += pixelSize
                }
              }
            }
          }
        }
      }
    }
  }
}

/// Finds the source pixel that is copied to a target pixel. For the target pixel (x, y), the index of the source pixel
/// is `start + x * across + y * down`.
private struct SourceWalk {
  let start: Int
  let across: Int
  let down: Int

  init(_ orientation: Orientation, width: Int, height: Int) {
    let lastColumn: Int = width - 1
    let lastRow: Int = (height - 1) * width
    switch orientation {
    case .up: (start, across, down) = (0, 1, width)
    case .upMirrored: (start, across, down) = (lastColumn, -1, width)
    case .down: (start, across, down) = (lastRow + lastColumn, -1, -width)
    case .downMirrored: (start, across, down) = (lastRow, 1, -width)
    case .leftMirrored: (start, across, down) = (0, width, 1)
    case .right: (start, across, down) = (lastRow, -width, 1)
    case .rightMirrored: (start, across, down) = (lastRow + lastColumn, -width, -1)
    case .left: (start, across, down) = (lastColumn, width, -1)
    }
  }
}
