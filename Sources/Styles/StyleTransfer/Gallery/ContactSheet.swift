import Imaging

/// A contact sheet: pictures in a grid, each with its name below.
public struct ContactSheet: Sendable {
  /// The pictures and their names, row by row.
  public var entries: [(picture: Picture, label: String)]
  /// The number of columns.
  public var columns: Int
  /// The longer side of each picture on the sheet, in pixels.
  public var side: Int

  /// The width of the white gap between pictures, in pixels.
  static let gap = 16

  /// Creates a sheet. The default number of columns makes it about 1.5 times as wide as high.
  public init(_ entries: [(picture: Picture, label: String)], columns: Int? = nil, side: Int = 480)
  {
    precondition(side > 0 && columns ?? 1 > 0)
    self.entries = entries
    self.side = side
    let ideal: Double = (Double(entries.count) * 1.5).squareRoot().rounded(.up)
    self.columns = columns ?? max(1, min(entries.count, Int(ideal)))
  }

  /// Draws the sheet on a white background.
  public func picture() throws -> Picture {
    guard !entries.isEmpty else {
      throw StyleTransferError(.input, "A contact sheet needs at least one picture.")
    }
    let scaled: [Picture] = try entries.map { try fitted($0.picture) }
    let scale: Int = max(1, side / 200)
    let labelHeight: Int =
      entries.allSatisfy { $0.label.isEmpty } ? 0 : PixelFont.height * scale + Self.gap
    let cellWidth: Int = scaled.map(\.width).max() ?? side
    let rows: [ArraySlice<Picture>] = stride(from: 0, to: scaled.count, by: columns).map {
      scaled[$0..<min($0 + columns, scaled.count)]
    }
    let heights: [Int] = rows.map { ($0.map(\.height).max() ?? 0) + labelHeight }
    let width: Int = columns * (cellWidth + Self.gap) + Self.gap
    let height: Int = heights.reduce(Self.gap) { $0 + $1 + Self.gap }
    return try Picture(width: width, height: height) { pixels in
      pixels.update(repeating: 255)
      var canvas = Canvas(width: width, height: height, pixels: pixels)
      var top: Int = Self.gap
      for (row, pictures) in rows.enumerated() {
        for (column, picture) in pictures.enumerated() {
          let left: Int = Self.gap + column * (cellWidth + Self.gap)
          canvas.draw(picture, x: left + (cellWidth - picture.width) / 2, y: top)
          let label: String = entries[row * columns + column].label
          let letters: Int = max(1, (cellWidth / scale + 1) / (PixelFont.width + 1))
          let shown = String(label.prefix(letters))
          let textWidth: Int = (shown.count * (PixelFont.width + 1) - 1) * scale
          canvas.write(
            shown, x: left + (cellWidth - textWidth) / 2,
            y: top + heights[row] - labelHeight + Self.gap / 2, scale: scale)
        }
        top += heights[row] + Self.gap
      }
    }
  }

  private func fitted(_ picture: Picture) throws -> Picture {
    try picture.withoutAlpha.scaled(to: picture.size.scaled(toLongerSide: side))
  }
}

/// The pixels of the sheet while it is drawn.
private struct Canvas {
  let width: Int
  let height: Int
  let pixels: UnsafeMutableBufferPointer<UInt8>

  mutating func draw(_ picture: Picture, x: Int, y: Int) {
    picture.withPixels { (source: UnsafeBufferPointer<UInt8>) in
      for row in 0..<picture.height where (0..<height).contains(y + row) {
        for column in 0..<picture.width where (0..<width).contains(x + column) {
          for channel in 0..<3 {
            pixels[((y + row) * width + x + column) * 3 + channel] =
              source[(row * picture.width + column) * 3 + channel]
          }
        }
      }
    }
  }

  mutating func write(_ text: String, x: Int, y: Int, scale: Int) {
    for (position, letter) in text.enumerated() {
      let left: Int = x + position * (PixelFont.width + 1) * scale
      for (row, bits) in PixelFont.rows(of: letter).enumerated() {
        for column in 0..<PixelFont.width where bits >> (PixelFont.width - 1 - column) & 1 == 1 {
          fill(x: left + column * scale, y: y + row * scale, side: scale)
        }
      }
    }
  }

  private mutating func fill(x: Int, y: Int, side: Int) {
    for row in max(0, y)..<max(0, min(height, y + side)) {
      for column in max(0, x)..<max(0, min(width, x + side)) {
        for channel in 0..<3 { pixels[(row * width + column) * 3 + channel] = 48 }
      }
    }
  }
}
