import CVision
import CoreGraphics
import Imaging

/// The direction in which a line is read in the picture. Raw values count quarter turns, clockwise from the right.
enum TextDirection: Int {
  case right
  case down
  case left
  case up

  var reversed: TextDirection {
    switch self {
    case .right: .left
    case .down: .up
    case .left: .right
    case .up: .down
    }
  }
}

/// A line of text as a picture in which it runs to the right.
struct TextCut {
  var page: TextPage
  var direction: TextDirection

  /// The width divided by the height.
  var ratio: Double { Double(page.width) / Double(page.height) }

  /// The line upside down.
  func reversed() -> TextCut { TextCut(page: page.reversed(), direction: direction.reversed) }
}

/// A picture as bytes red, green, blue, in the size in which text is looked for.
///
/// Sizes and margins are those of RapidOCR, so that its networks find the same lines.
struct TextPage {
  /// The pixels, row by row.
  private(set) var pixels: [UInt8]
  /// The number of columns.
  private(set) var width: Int
  /// The number of rows.
  private(set) var height: Int

  /// Makes a page of a picture.
  init(_ picture: Picture) {
    (pixels, width, height) = (picture.pixels, picture.width, picture.height)
  }

  private init(pixels: [UInt8], width: Int, height: Int) {
    (self.pixels, self.width, self.height) = (pixels, width, height)
  }

  /// Returns the page in another size.
  func scaled(width columns: Int, height rows: Int) -> TextPage {
    guard columns != width || rows != height else { return self }
    var result = [UInt8](repeating: 0, count: columns * rows * 3)
    // Safe: both arrays have three bytes per pixel.
    cvision_resize(
      pixels, Int32(width), Int32(height), Int32(columns), Int32(rows), &result)
    return TextPage(pixels: result, width: columns, height: rows)
  }

  /// Returns the page scaled by a factor, with sides that are multiples of 32, as the networks need them.
  func scaled(by factor: Double) -> TextPage {
    func side(_ length: Int) -> Int {
      max(32, Int((Double(Int(Double(length) * factor)) / 32).rounded(.toNearestOrEven)) * 32)
    }
    return scaled(width: side(width), height: side(height))
  }

  /// Returns the page with black rows above and below.
  func padded(rows: Int) -> TextPage {
    let margin = [UInt8](repeating: 0, count: rows * width * 3)
    return TextPage(pixels: margin + pixels + margin, width: width, height: height + 2 * rows)
  }

  /// Returns a quadrilateral of the page as an upright rectangle, turned by 90° if it is much higher than wide.
  ///
  /// - Parameter corners: The upper left, upper right, lower right and lower left corner.
  func cut(_ corners: [CGPoint]) -> TextCut? {
    func distance(_ one: Int, _ other: Int) -> Double {
      let (from, to) = (corners[one], corners[other])
      return Double((to.x - from.x) * (to.x - from.x) + (to.y - from.y) * (to.y - from.y))
        .squareRoot()
    }
    let columns = Int(max(distance(0, 1), distance(2, 3)))
    let rows = Int(max(distance(0, 3), distance(1, 2)))
    guard columns > 0, rows > 0 else { return nil }
    var result = [UInt8](repeating: 0, count: columns * rows * 3)
    let matrix: [Double] = Self.projection(
      columns: Double(columns), rows: Double(rows), onto: corners)
    // Safe: both arrays have three bytes per pixel.
    cvision_project(
      pixels, Int32(width), Int32(height), matrix, Int32(columns), Int32(rows), &result)
    let page = TextPage(pixels: result, width: columns, height: rows)
    return Double(rows) / Double(columns) >= 1.5
      ? TextCut(page: page.turned(), direction: .down) : TextCut(page: page, direction: .right)
  }

  /// Returns the page upside down.
  func reversed() -> TextPage {
    var result = [UInt8](repeating: 0, count: pixels.count)
    for pixel in 0..<pixels.count / 3 {
      let from: Int = pixels.count - 3 * (pixel + 1)
      for component in 0..<3 { result[3 * pixel + component] = pixels[from + component] }
    }
    return TextPage(pixels: result, width: width, height: height)
  }

  /// Returns the page turned by 90° counter-clockwise.
  private func turned() -> TextPage {
    var result = [UInt8](repeating: 0, count: pixels.count)
    for row in 0..<width {
      for column in 0..<height {
        let (from, to) = ((column * width + width - 1 - row) * 3, (row * height + column) * 3)
        for component in 0..<3 { result[to + component] = pixels[from + component] }
      }
    }
    return TextPage(pixels: result, width: height, height: width)
  }

  /// Returns the projective transform that takes the corners of a rectangle at the origin to other corners.
  ///
  /// **Source:** Heckbert, “Fundamentals of texture mapping and image warping”, 1989, section 2.2.3.
  private static func projection(
    columns: Double, rows: Double, onto corners: [CGPoint]
  ) -> [Double] {
    let x: [Double] = corners.map { Double($0.x) }
    let y: [Double] = corners.map { Double($0.y) }
    let (dx1, dx2, dx3) = (x[1] - x[2], x[3] - x[2], x[0] - x[1] + x[2] - x[3])
    let (dy1, dy2, dy3) = (y[1] - y[2], y[3] - y[2], y[0] - y[1] + y[2] - y[3])
    let scale: Double = dx1 * dy2 - dx2 * dy1
    let g: Double = scale == 0 ? 0 : (dx3 * dy2 - dx2 * dy3) / scale
    let h: Double = scale == 0 ? 0 : (dx1 * dy3 - dx3 * dy1) / scale
    return [
      (x[1] - x[0] + g * x[1]) / columns, (x[3] - x[0] + h * x[3]) / rows, x[0],
      (y[1] - y[0] + g * y[1]) / columns, (y[3] - y[0] + h * y[3]) / rows, y[0],
      g / columns, h / rows, 1,
    ]
  }

  /// Writes the page as the input of a network with `columns` columns.
  func write(to planes: UnsafeMutablePointer<Float>, columns: Int) {
    // Safe: the caller's memory holds three planes of `height` rows of `columns` numbers.
    cvision_planes(pixels, Int32(width), Int32(height), Int32(columns), planes)
  }
}
