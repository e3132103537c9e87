import CVision
import CoreGraphics
import Imaging

/// A line of text in a picture.
struct TextLine {
  /// The upper left, upper right, lower right and lower left corner, in pixels with the origin at the top left.
  var corners: [CGPoint]
  /// The mean probability of text inside, 0 to 1.
  let score: Float
}

/// Finds lines of text with PaddleOCR's detector, as RapidOCR does.
struct TextDetector {
  /// The page in which the lines are found.
  let page: TextPage
  /// The lines, from top to bottom and from left to right, in pixels of ``page``.
  let lines: [TextLine]
  /// The factors from pixels of ``page`` to pixels of the picture.
  private let scale: (x: Double, y: Double)
  /// The rows above the picture in ``page``.
  private let margin: Int
  private let size: (width: Int, height: Int)

  /// The longest side of a page in pixels.
  private static let longestSide = 2000
  /// The least height of a page; lower pages get margins.
  private static let leastHeight = 30
  /// The largest ratio of width and height; wider pages get margins.
  private static let largestRatio = 8

  /// Finds the lines of a picture.
  ///
  /// - Parameter shortestSide: The length to which the shorter side of a smaller picture is enlarged for the network.
  init(_ picture: Picture, shortestSide: Int) throws {
    var page = TextPage(picture)
    size = (picture.width, picture.height)
    let (longest, shortest) = (max(page.width, page.height), min(page.width, page.height))
    if longest > Self.longestSide {
      page = page.scaled(by: Double(Self.longestSide) / Double(longest))
    } else if shortest < Self.leastHeight {
      page = page.scaled(by: Double(Self.leastHeight) / Double(shortest))
    }
    scale = (Double(size.width) / Double(page.width), Double(size.height) / Double(page.height))
    var rows = 0
    if page.height <= Self.leastHeight || page.width > Self.largestRatio * page.height {
      let height: Int = 2 * max(page.width / Self.largestRatio, Self.leastHeight)
      rows = abs(height - page.height) / 2
      page = page.padded(rows: rows)
    }
    margin = rows
    self.page = page
    lines = try Self.lines(page, shortestSide)
  }

  /// Returns the corners of a line in pixels of the picture.
  func pictureCorners(_ line: TextLine) -> [CGPoint] {
    line.corners.map { corner in
      CGPoint(
        x: min(CGFloat(size.width), max(0, corner.x * CGFloat(scale.x))),
        y: min(CGFloat(size.height), max(0, (corner.y - CGFloat(margin)) * CGFloat(scale.y))))
    }
  }

  private static func lines(_ page: TextPage, _ shortestSide: Int) throws -> [TextLine] {
    let factor: Double = max(1, Double(shortestSide) / Double(min(page.width, page.height)))
    let input: TextPage = page.scaled(by: factor)
    let (shape, map) = try TextNetwork.opened(.textDetection).run(
      rows: input.height, columns: input.width
    ) { input.write(to: $0, columns: input.width) }
    guard map.count == input.width * input.height, shape.last == input.width else {
      throw TextNetwork.unexpected(.textDetection)
    }
    let found = FoundRectangles()
    // Safe: the object lives until the call returns, and the call uses it only meanwhile.
    let isDone: Bool = cvision_text_boxes(
      map, Int32(input.width), Int32(input.height), 0.3, 0.5, 1.6,
      Unmanaged.passUnretained(found).toOpaque()
    ) { context, corners, score in
      guard let context, let corners else { return }
      Unmanaged<FoundRectangles>.fromOpaque(context).takeUnretainedValue().all.append(
        TextLine(
          corners: (0..<4).map {
            CGPoint(x: CGFloat(corners[2 * $0]), y: CGFloat(corners[2 * $0 + 1]))
          },
          score: score))
    }
    guard isDone else {
      throw VNError(.outOfMemory, "There is no memory for lines of text. Use a smaller picture.")
    }
    return inOrder(
      found.all.compactMap { line in
        let corners: [CGPoint] = clockwise(
          line.corners.map { corner in
            CGPoint(
              x: whole(Float(corner.x) / Float(input.width) * Float(page.width), below: page.width),
              y: whole(
                Float(corner.y) / Float(input.height) * Float(page.height), below: page.height))
          })
        func distance(_ one: CGPoint, _ other: CGPoint) -> Int {
          Int(
            ((one.x - other.x) * (one.x - other.x) + (one.y - other.y) * (one.y - other.y))
              .squareRoot())
        }
        guard distance(corners[0], corners[1]) > 3, distance(corners[0], corners[3]) > 3 else {
          return nil
        }
        return TextLine(corners: corners, score: line.score)
      })
  }

  private static func whole(_ position: Float, below count: Int) -> CGFloat {
    CGFloat(min(Float(count - 1), max(0, position.rounded(.toNearestOrEven))))
  }

  /// Returns corners in the order upper left, upper right, lower right, lower left.
  private static func clockwise(_ corners: [CGPoint]) -> [CGPoint] {
    let across: [CGPoint] = corners.sorted { $0.x < $1.x }
    let left: [CGPoint] = across.prefix(2).sorted { $0.y < $1.y }
    let right: [CGPoint] = across.suffix(2).sorted { $0.y < $1.y }
    return [left[0], right[0], right[1], left[1]]
  }

  /// Sorts lines from top to bottom, and lines at about the same height from left to right.
  private static func inOrder(_ lines: [TextLine]) -> [TextLine] {
    var lines: [TextLine] = lines.sorted {
      ($0.corners[0].y, $0.corners[0].x) < ($1.corners[0].y, $1.corners[0].x)
    }
    for last in lines.indices.dropFirst() {
      for index in (0..<last).reversed() {
        let (upper, lower) = (lines[index].corners[0], lines[index + 1].corners[0])
        guard abs(lower.y - upper.y) < 10, lower.x < upper.x else { break }
        lines.swapAt(index, index + 1)
      }
    }
    return lines
  }
}

/// The rectangles that a call of C finds.
private final class FoundRectangles {
  var all: [TextLine] = []
}
