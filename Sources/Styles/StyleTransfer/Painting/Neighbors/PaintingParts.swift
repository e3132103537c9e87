import Engine
import Imaging

/// A painting at a scale, as the source of features. A large painting is divided into overlapping tiles, so that its
/// features need no more memory than those of a small one.
struct PaintingParts {
  /// The complete painting, or a tile of it.
  struct Part {
    /// The pixels, `[1, 3, height, width]`.
    let pixels: FloatTensor
    /// The rows and columns of pixels whose features are used. Features near the sides of a tile would see the zeros with
    /// which convolutions pad their input, so they are left out.
    let inner: (rows: Range<Int>, columns: Range<Int>)

    /// Returns the positions of the features that are used, in a map of the picture's features.
    func positions(height: Int, width: Int) -> [Int] {
      let (down, across): (Int, Int) = (pixels.shape[2] / height, pixels.shape[3] / width)
      return (inner.rows.lowerBound / down..<inner.rows.upperBound / down).flatMap { row in
        (inner.columns.lowerBound / across..<inner.columns.upperBound / across).map {
          row * width + $0
        }
      }
    }
  }

  /// The tiles, row by row.
  let parts: [Part]

  /// The largest number of pixels of a painting that is not divided.
  private static let mostPixels = 660 * 660
  /// The largest side of the used pixels of a tile.
  private static let innerSide = 448
  /// The width of the border of a tile whose features are not used, in pixels. The features of relu4_3 see 46 pixels in
  /// each direction.
  private static let border = 64

  /// Divides a painting. Both of its sides are multiples of ``Hypercolumns/alignment``.
  init(_ painting: Picture) throws {
    let (width, height): (Int, Int) = (painting.width, painting.height)
    guard width * height > Self.mostPixels else {
      parts = [
        Part(
          pixels: FloatTensor([1, 3, height, width], painting.planes),
          inner: (0..<height, 0..<width))
      ]
      return
    }
    let (rows, columns): ([Range<Int>], [Range<Int>]) = (
      Self.divided(height), Self.divided(width)
    )
    parts = try rows.flatMap { row in
      try columns.map { column in
        let (down, across): (Range<Int>, Range<Int>) = (
          Self.bordered(row, height), Self.bordered(column, width)
        )
        let tile: Picture = try painting.cropped(
          x: across.lowerBound, y: down.lowerBound, width: across.count, height: down.count)
        let (top, left): (Int, Int) = (
          row.lowerBound - down.lowerBound, column.lowerBound - across.lowerBound
        )
        return Part(
          pixels: FloatTensor([1, 3, down.count, across.count], tile.planes),
          inner: (top..<(top + row.count), left..<(left + column.count)))
      }
    }
  }

  /// Divides a number among the tiles in the ratio of their used pixels. The shares are integers whose sum is the
  /// number.
  func shares(of number: Int) -> [Int] {
    let areas: [Int] = parts.map { $0.inner.rows.count * $0.inner.columns.count }
    let whole = Double(areas.reduce(0, +))
    var (seen, given): (Int, Int) = (0, 0)
    return areas.map { area in
      seen += area
      let until: Int = Int((Double(number) * Double(seen) / whole).rounded())
      defer { given = until }
      return until - given
    }
  }

  /// Divides a side into equal ranges that start at multiples of the alignment.
  private static func divided(_ side: Int) -> [Range<Int>] {
    let (count, unit): (Int, Int) = (
      (side + innerSide - 1) / innerSide, Hypercolumns.alignment
    )
    func edge(_ index: Int) -> Int { side / unit * index / count * unit }
    return (0..<count).map { edge($0)..<edge($0 + 1) }
  }

  /// Adds the border to a range, where the painting has pixels.
  private static func bordered(_ range: Range<Int>, _ side: Int) -> Range<Int> {
    max(0, range.lowerBound - border)..<min(side, range.upperBound + border)
  }
}
