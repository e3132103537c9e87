import Imaging

/// A layer's output as one picture: its channels as grey tiles, row by row.
///
/// In each tile, black is the channel's minimum and white its maximum. So a tile shows where a channel is active. It
/// does not show how strongly the channel is active compared with other channels. A constant channel is black. A vector
/// becomes one square tile, filled row by row.
public struct ActivationSheet: Sendable {
  /// The width of the grey gap between tiles, in pixels.
  static let gap = 2
  /// The most tiles that are drawn. Further channels are left out.
  static let tileLimit = 1024
  /// Small tiles are enlarged by an integer factor, the largest for which their longer side has at most this number of
  /// pixels.
  static let leastSide = 32
  /// The longest side of the sheet in pixels. Tiles that would make the sheet longer are not drawn.
  static let sideLimit = 8192

  private let channels: Int
  private let height: Int
  private let width: Int
  private let values: [Float]

  /// Creates the sheet of a tensor whose last three axes are channels, rows and columns. Along the other axes, only
  /// index 0 is shown. Nil for a tensor without elements, or with a side that is too long for a picture.
  public init?(shape: [Int], values: [Float]) {
    guard !values.isEmpty, shape.reduce(1, *) == values.count else { return nil }
    let sides: [Int] = [Int](repeating: 1, count: max(0, 3 - shape.count)) + shape.suffix(3)
    if sides[1] == 1 && sides[2] == 1 || shape.count < 2 {
      // A vector becomes rows of a square.
      let count: Int = sides.reduce(1, *)
      let columns = Int(Double(count).squareRoot().rounded(.up))
      let rows: Int = (count + columns - 1) / columns
      let least: Float = values.prefix(count).min() ?? 0
      self.values =
        values.prefix(count)
        + [Float](repeating: least, count: rows * columns - count)
      (channels, height, width) = (1, rows, columns)
    } else {
      (channels, height, width) = (sides[0], sides[1], sides[2])
      self.values = values
    }
    guard max(height, width) + 2 * Self.gap <= Self.sideLimit else { return nil }
  }

  /// Draws the sheet.
  public func picture() throws -> Picture {
    let factor: Int = max(1, Self.leastSide / max(height, width))
    let (tileWidth, tileHeight) = (width * factor + Self.gap, height * factor + Self.gap)
    let most: Int = (Self.sideLimit - Self.gap) / tileWidth
    let ideal: Double =
      (Double(min(channels, Self.tileLimit) * tileHeight) * 1.5 / Double(tileWidth))
      .squareRoot().rounded(.up)
    let columns: Int = max(1, min(most, min(channels, Int(ideal))))
    let rowLimit: Int = max(1, (Self.sideLimit - Self.gap) / tileHeight)
    let shown: Int = min(channels, Self.tileLimit, columns * rowLimit)
    let rows: Int = (shown + columns - 1) / columns
    let area: Int = height * width
    let sheetWidth: Int = columns * tileWidth + Self.gap
    return try Picture(width: sheetWidth, height: rows * tileHeight + Self.gap) { pixels in
      pixels.update(repeating: 96)
      for channel in 0..<shown {
        let numbers: ArraySlice<Float> = values[(channel * area)..<((channel + 1) * area)]
        let finite = numbers.lazy.filter(\.isFinite)
        let (least, most) = (finite.min() ?? 0, finite.max() ?? 0)
        let scale: Float = most > least ? 255 / (most - least) : 0
        let left: Int = Self.gap + channel % columns * tileWidth
        let top: Int = Self.gap + channel / columns * tileHeight
        for y in 0..<(height * factor) {
          for x in 0..<(width * factor) {
            let number: Float = numbers[numbers.startIndex + y / factor * width + x / factor]
            let grey: Float = min(255, max(0, ((number - least) * scale).rounded()))
            let place: Int = ((top + y) * sheetWidth + left + x) * 3
            for offset in 0..<3 { pixels[place + offset] = grey.isNaN ? 0 : UInt8(grey) }
          }
        }
      }
    }
  }
}
