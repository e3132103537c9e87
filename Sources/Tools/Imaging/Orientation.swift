/// How the stored rows and columns of a picture lie when it is shown, numbered as EXIF does.
public enum Orientation: UInt32, Sendable, CaseIterable {
  /// As stored.
  case up = 1
  /// Mirrored left to right.
  case upMirrored = 2
  /// Turned by 180°.
  case down = 3
  /// Mirrored top to bottom.
  case downMirrored = 4
  /// Rows and columns exchanged.
  case leftMirrored = 5
  /// To be turned by 90° clockwise.
  case right = 6
  /// Rows and columns exchanged, then turned by 180°.
  case rightMirrored = 7
  /// To be turned by 90° counter-clockwise.
  case left = 8

  /// Whether width and height change places.
  public var swapsSides: Bool { rawValue >= 5 }
}

extension Picture {
  /// The picture as it is shown when its stored pixels have the given orientation.
  ///
  /// `.right` turns by 90° clockwise, `.left` counter-clockwise.
  ///
  /// - Throws: `ImagingError` where memory is short.
  public func oriented(_ orientation: Orientation) throws -> Picture {
    if orientation == .up { return self }
    let turnedWidth: Int = orientation.swapsSides ? height : width
    let turnedHeight: Int = orientation.swapsSides ? width : height
    return Picture(
      width: turnedWidth, height: turnedHeight,
      colour: try turn(colour, orientation, turnedWidth, turnedHeight, components: 3),
      opacity: try opacity.map {
        try turn($0, orientation, turnedWidth, turnedHeight, components: 1)
      })
  }

  private func turn(
    _ plane: PixelBytes, _ orientation: Orientation, _ turnedWidth: Int, _ turnedHeight: Int,
    components: Int
  ) throws -> PixelBytes {
    let walk = SourceWalk(orientation, width: width, height: height)
    return try PixelBytes(count: plane.count) { (target: UnsafeMutableBufferPointer<UInt8>) in
      plane.withBytes { (source: UnsafeBufferPointer<UInt8>) in
        guard let to = target.baseAddress, let from = source.baseAddress else { return }
        // Safe: the walk maps each target pixel onto one source pixel. Tiles keep both in cache.
        let tile: Int = 64
        for top in stride(from: 0, to: turnedHeight, by: tile) {
          for left in stride(from: 0, to: turnedWidth, by: tile) {
            for y in top..<min(top + tile, turnedHeight) {
              let right: Int = min(left + tile, turnedWidth)
              let row: UnsafePointer<UInt8> = from + (walk.start + y * walk.down) * components
              let step: Int = walk.across * components
              var written: UnsafeMutablePointer<UInt8> = to + (y * turnedWidth + left) * components
              if components == 3 {
                for x in left..<right {
                  let pixel: UnsafePointer<UInt8> = row + x &* step
                  written[0] = pixel[0]
                  written[1] = pixel[1]
                  written[2] = pixel[2]
                  written += 3
                }
              } else {
                for x in left..<right {
                  written[0] = row[x &* step]
                  written += 1
                }
              }
            }
          }
        }
      }
    }
  }
}

/// Where the target pixel (x, y) comes from: the source pixel `start + x * across + y * down`.
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
