import Imaging

/// Overlapping tiles of a large picture. Each tile is painted separately, so larger pictures need no more memory for
/// features. Where tiles overlap, their pixels are blended.
struct PictureTiles {
  /// A rectangle of pixels.
  struct Tile: Equatable {
    let x: Int
    let y: Int
    let width: Int
    let height: Int
  }

  /// The size of the picture.
  let size: PictureSize
  /// The tiles, row by row.
  let tiles: [Tile]

  /// The largest number of pixels of a picture that is not divided.
  private static let mostPixels = 660 * 660
  /// The side of a tile in pixels, if the picture is divided.
  private static let side = 576
  /// The minimum overlap of two neighbouring tiles, in columns or rows.
  private static let overlap = 64

  /// Divides a picture of the given size.
  init(_ size: PictureSize) {
    self.size = size
    guard size.width * size.height > Self.mostPixels else {
      tiles = [Tile(x: 0, y: 0, width: size.width, height: size.height)]
      return
    }
    let (columns, rows) = (Self.starts(size.width), Self.starts(size.height))
    tiles = rows.flatMap { y in
      columns.map { x in
        Tile(
          x: x, y: y, width: min(Self.side, size.width), height: min(Self.side, size.height))
      }
    }
  }

  /// The first pixel of each tile along a side. The tiles overlap evenly.
  private static func starts(_ length: Int) -> [Int] {
    guard length > side else { return [0] }
    let count: Int = (length - overlap + side - overlap - 1) / (side - overlap)
    return (0..<count).map { (length - side) * $0 / max(1, count - 1) }
  }

  /// Returns a tile of a picture.
  func part(_ tile: Tile, of picture: Picture) throws -> Picture {
    guard tiles.count > 1 else { return picture }
    return try picture.cropped(x: tile.x, y: tile.y, width: tile.width, height: tile.height)
  }

  /// Returns a tile of a mask of the picture.
  func part(_ tile: Tile, of mask: StyleMask) -> StyleMask {
    guard tiles.count > 1 else { return mask }
    let whole: StyleMask = mask.scaled(toWidth: size.width, height: size.height)
    let weights: [Float] = (tile.y..<(tile.y + tile.height)).flatMap { row in
      whole.weights[(row * size.width + tile.x)..<(row * size.width + tile.x + tile.width)]
    }
    return StyleMask(width: tile.width, height: tile.height, weights: weights)
  }

  /// Blends the painted tiles. Pixels without a painted tile stay those of the base.
  ///
  /// - Parameter painted: The first tiles, in their order.
  func blended(_ painted: [Picture], over base: Picture) throws -> Picture {
    guard tiles.count > 1 else { return painted.first ?? base }
    let area: Int = size.width * size.height
    var sums = [Float](repeating: 0, count: 3 * area)
    var weights = [Float](repeating: 0, count: area)
    for (tile, picture) in zip(tiles, painted) {
      let planes: [Float] = picture.planes
      let across: [Float] = (0..<tile.width).map {
        ramp($0, of: tile.width, start: tile.x, whole: size.width)
      }
      for row in 0..<tile.height {
        let down: Float = ramp(row, of: tile.height, start: tile.y, whole: size.height)
        let target: Int = (tile.y + row) * size.width + tile.x
        for column in 0..<tile.width {
          let weight: Float = down * across[column]
          weights[target + column] += weight
          for channel in 0..<3 {
            sums[channel * area + target + column] +=
              weight * planes[(channel * tile.height + row) * tile.width + column]
          }
        }
      }
    }
    let original: [Float] = base.planes
    for index in sums.indices {
      let weight: Float = weights[index % area]
      sums[index] = weight > 0 ? sums[index] / weight : original[index]
    }
    return try Picture(width: size.width, height: size.height, planes: sums)
  }

  /// The weight of a pixel of a tile. It decreases towards the sides of the tile, except at the sides of the picture.
  private func ramp(_ position: Int, of length: Int, start: Int, whole: Int) -> Float {
    let before: Int = start == 0 ? Self.overlap : position + 1
    let after: Int = start + length == whole ? Self.overlap : length - position
    return Float(min(Self.overlap, before, after)) / Float(Self.overlap)
  }
}
