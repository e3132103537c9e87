import CoreGraphics
import Imaging

/// A copy of a picture on which a command draws its results. Coordinates are pixels, with the origin at the top left.
struct PictureCanvas {
  private let width: Int
  private let height: Int
  private var pixels: [UInt8]

  /// Colours that differ well from each other: red, green, blue, yellow, magenta, cyan, orange, violet.
  static let colours: [[UInt8]] = [
    [230, 40, 40], [40, 200, 70], [50, 100, 240], [245, 210, 40], [225, 60, 200], [50, 210, 220],
    [245, 140, 30], [140, 70, 220],
  ]

  init(_ picture: Picture) {
    (width, height, pixels) = (picture.width, picture.height, picture.pixels)
  }

  /// The width of lines: a 400th of the longer side, at least 2 pixels.
  private var thickness: Int { max(2, max(width, height) / 400) }

  /// The picture with the drawing.
  func picture() throws -> Picture { try Picture(width: width, height: height, pixels: pixels) }

  /// Draws the outline of a rectangle.
  mutating func outline(_ rect: CGRect, _ colour: [UInt8]) {
    let corners: [CGPoint] = [
      CGPoint(x: rect.minX, y: rect.minY), CGPoint(x: rect.maxX, y: rect.minY),
      CGPoint(x: rect.maxX, y: rect.maxY), CGPoint(x: rect.minX, y: rect.maxY),
    ]
    path(corners + corners.prefix(1), colour)
  }

  /// Draws lines from point to point.
  mutating func path(_ points: [CGPoint], _ colour: [UInt8]) {
    for (start, end) in zip(points, points.dropFirst()) {
      let steps = Int(min(10_000, max(1, max(abs(end.x - start.x), abs(end.y - start.y)))))
      for step in 0...steps {
        let part = CGFloat(step) / CGFloat(steps)
        square(
          CGPoint(x: start.x + (end.x - start.x) * part, y: start.y + (end.y - start.y) * part),
          side: thickness, colour)
      }
    }
  }

  /// Draws points.
  mutating func points(_ points: [CGPoint], _ colour: [UInt8]) {
    for point in points { square(point, side: thickness * 2, colour) }
  }

  private mutating func square(_ centre: CGPoint, side: Int, _ colour: [UInt8]) {
    guard abs(centre.x) < 1e6, abs(centre.y) < 1e6 else { return }
    let (left, top) = (Int(centre.x) - side / 2, Int(centre.y) - side / 2)
    let (right, bottom) = (min(width, left + side), min(height, top + side))
    guard left < right, top < bottom, right > 0, bottom > 0 else { return }
    for y in max(0, top)..<bottom {
      for x in max(0, left)..<right {
        for component in 0..<3 { pixels[(y * width + x) * 3 + component] = colour[component] }
      }
    }
  }
}

/// A box in pixels of a picture, with the origin at the top left, for JSON.
struct PixelRect: Encodable {
  let x, y, width, height: Double

  /// Makes a box from a box in normalised coordinates, with the origin at the lower left.
  init(_ rect: CGRect, in picture: Picture) {
    let (columns, rows) = (CGFloat(picture.width), CGFloat(picture.height))
    x = Double(rect.minX * columns)
    y = Double((1 - rect.maxY) * rows)
    width = Double(rect.width * columns)
    height = Double(rect.height * rows)
  }

  /// The box as a `CGRect`.
  var cgRect: CGRect { CGRect(x: x, y: y, width: width, height: height) }

  /// The corner and the size as text, rounded to pixels.
  var text: String {
    let numbers: [String] = [x, y, width, height].map { $0.text(decimals: 0) }
    return "\(numbers[2]) × \(numbers[3]) at (\(numbers[0]), \(numbers[1]))"
  }
}
