import CoreGraphics
import Foundation
import Imaging
import Testing

/// A grey bitmap for drawing in white on black.
private struct Canvas {
  let context: CGContext

  init(_ width: Int, _ height: Int) throws {
    context = try #require(
      CGContext(
        data: nil, width: width, height: height, bitsPerComponent: 8, bytesPerRow: width,
        space: CGColorSpaceCreateDeviceGray(), bitmapInfo: CGImageAlphaInfo.none.rawValue))
    context.setFillColor(gray: 1, alpha: 1)
    context.setStrokeColor(gray: 1, alpha: 1)
  }

  /// The pixel in a column and a row, counted from the lower left.
  func pixel(_ x: Int, _ y: Int) -> Int {
    let bytes = context.data!.assumingMemoryBound(to: UInt8.self)
    return Int(bytes[(context.height - 1 - y) * context.bytesPerRow + x])
  }

  /// The sum of all pixels, in units of white pixels.
  var area: Double {
    var sum = 0
    for y in 0..<context.height { for x in 0..<context.width { sum += pixel(x, y) } }
    return Double(sum) / 255
  }

  /// The largest difference to the exact coverage, which 16 × 16 points for each pixel approximate.
  func difference(from isInside: (Double, Double) -> Bool) -> Double {
    var largest = 0.0
    for y in 0..<context.height {
      for x in 0..<context.width {
        var count = 0
        for row in 0..<16 {
          for column in 0..<16 {
            let point = (
              Double(x) + (Double(column) + 0.5) / 16, Double(y) + (Double(row) + 0.5) / 16
            )
            if isInside(point.0, point.1) { count += 1 }
          }
        }
        largest = max(largest, abs(Double(count) / 256 - Double(pixel(x, y)) / 255))
      }
    }
    return largest
  }
}

/// Returns the distance between a point and the line between two points.
private func distance(_ x: Double, _ y: Double, _ a: (Double, Double), _ b: (Double, Double))
  -> Double
{
  let (dx, dy) = (b.0 - a.0, b.1 - a.1)
  let position: Double = min(1, max(0, ((x - a.0) * dx + (y - a.1) * dy) / (dx * dx + dy * dy)))
  return hypot(x - a.0 - position * dx, y - a.1 - position * dy)
}

@Suite struct PathTests {
  @Test("A filled ellipse covers each pixel as its equation says")
  func ellipse() throws {
    let canvas = try Canvas(23, 17)
    canvas.context.fillEllipse(in: CGRect(x: 2.25, y: 1.5, width: 18, height: 13))
    let difference: Double = canvas.difference { x, y in
      let (u, v) = ((x - 11.25) / 9, (y - 8) / 6.5)
      return u * u + v * v <= 1
    }
    #expect(difference < 0.04)
  }

  @Test("A rectangle between pixels covers its edges in part, and an aligned one fully")
  func rectangle() throws {
    let canvas = try Canvas(6, 5)
    canvas.context.fill(CGRect(x: 1.5, y: 1, width: 3, height: 2.25))
    let row: [Int] = (0..<6).map { canvas.pixel($0, 1) }
    #expect(row[0] == 0 && row[2] == 255 && row[3] == 255 && row[5] == 0)
    #expect(abs(row[1] - 128) <= 1 && abs(row[4] - 128) <= 1)
    #expect(abs(canvas.pixel(2, 3) - 64) <= 1)
    #expect(canvas.pixel(2, 0) == 0 && canvas.pixel(2, 4) == 0)
  }

  @Test("The even-odd rule leaves a hole where the winding rule fills", arguments: [false, true])
  func rules(isEvenOdd: Bool) throws {
    let canvas = try Canvas(12, 12)
    canvas.context.addRect(CGRect(x: 1, y: 1, width: 10, height: 10))
    canvas.context.addRect(CGRect(x: 4, y: 4, width: 4, height: 4))
    canvas.context.fillPath(using: isEvenOdd ? .evenOdd : .winding)
    #expect(canvas.area == (isEvenOdd ? 84 : 100))
    #expect(canvas.pixel(5, 5) == (isEvenOdd ? 0 : 255))
    #expect(canvas.context.isPathEmpty)
  }

  @Test("A stroked line covers the points within half its width, with each cap")
  func caps() throws {
    let (a, b) = ((5.0, 4.0), (17.0, 10.0))
    let length: Double = hypot(b.0 - a.0, b.1 - a.1)
    for cap in [CGLineCap.butt, .round, .square] {
      let canvas = try Canvas(23, 15)
      canvas.context.setLineWidth(4)
      canvas.context.setLineCap(cap)
      canvas.context.strokeLineSegments(between: [
        CGPoint(x: a.0, y: a.1), CGPoint(x: b.0, y: b.1),
      ])
      let difference: Double = canvas.difference { x, y in
        if cap == .round { return distance(x, y, a, b) <= 2 }
        let along: Double = ((x - a.0) * (b.0 - a.0) + (y - a.1) * (b.1 - a.1)) / length
        let across: Double = ((x - a.0) * (b.1 - a.1) - (y - a.1) * (b.0 - a.0)) / length
        let extra: Double = cap == .square ? 2 : 0
        return abs(across) <= 2 && along >= -extra && along <= length + extra
      }
      #expect(difference < 0.04, "\(cap)")
    }
  }

  @Test("Joins cover the corner's square, its circle or its triangle")
  func joins() throws {
    // The corner at the right angle of two lines of width 8: outside of both lines is a square of 4 × 4.
    for (join, corner) in [(CGLineJoin.miter, 16.0), (.round, 4 * Double.pi), (.bevel, 8)] {
      let canvas = try Canvas(30, 30)
      canvas.context.setLineWidth(8)
      canvas.context.setLineJoin(join)
      canvas.context.addLines(between: [
        CGPoint(x: 4, y: 6), CGPoint(x: 20, y: 6), CGPoint(x: 20, y: 26),
      ])
      canvas.context.strokePath()
      #expect(abs(canvas.area - (16 * 8 + 20 * 8 - 16 + corner)) < 0.3, "\(join)")
    }
    let canvas = try Canvas(30, 30)
    canvas.context.setLineWidth(8)
    canvas.context.setMiterLimit(1)
    canvas.context.addLines(between: [
      CGPoint(x: 4, y: 6), CGPoint(x: 20, y: 6), CGPoint(x: 20, y: 26),
    ])
    canvas.context.strokePath()
    #expect(abs(canvas.area - (16 * 8 + 20 * 8 - 16 + 8)) < 0.3, "a bevel beyond the limit")
  }

  @Test("Dashes begin at the phase and alternate with gaps")
  func dashes() throws {
    let canvas = try Canvas(20, 3)
    canvas.context.setLineDash(phase: 1, lengths: [3, 2])
    canvas.context.setLineWidth(1)
    canvas.context.move(to: CGPoint(x: 0, y: 1.5))
    canvas.context.addLine(to: CGPoint(x: 20, y: 1.5))
    canvas.context.strokePath()
    #expect((0..<20).map { canvas.pixel($0, 1) } == (0..<20).map { ($0 + 1) % 5 < 3 ? 255 : 0 })
    #expect((0..<20).allSatisfy { canvas.pixel($0, 0) == 0 && canvas.pixel($0, 2) == 0 })
  }

  @Test("An arc turns counter-clockwise unless it is clockwise", arguments: [false, true])
  func arcs(isClockwise: Bool) throws {
    let canvas = try Canvas(20, 20)
    canvas.context.move(to: CGPoint(x: 10, y: 10))
    canvas.context.addArc(
      center: CGPoint(x: 10, y: 10), radius: 8, startAngle: 0, endAngle: .pi / 2,
      clockwise: isClockwise)
    canvas.context.closePath()
    canvas.context.fillPath()
    let difference: Double = canvas.difference { x, y in
      let isQuarter: Bool = x > 10 && y > 10
      return hypot(x - 10, y - 10) <= 8 && isQuarter != isClockwise
    }
    #expect(difference < 0.04)
  }

  @Test("An arc between tangents rounds a corner")
  func tangents() throws {
    let canvas = try Canvas(20, 20)
    canvas.context.move(to: CGPoint(x: 2, y: 2))
    canvas.context.addArc(
      tangent1End: CGPoint(x: 16, y: 2), tangent2End: CGPoint(x: 16, y: 16), radius: 6)
    #expect(
      hypot(canvas.context.currentPointOfPath.x - 16, canvas.context.currentPointOfPath.y - 8)
        < 1e-9)
    canvas.context.addLine(to: CGPoint(x: 16, y: 16))
    canvas.context.addLine(to: CGPoint(x: 2, y: 16))
    canvas.context.fillPath()
    let difference: Double = canvas.difference { x, y in
      guard x > 2, x < 16, y > 2, y < 16 else { return false }
      return !(x > 10 && y < 8) || hypot(x - 10, y - 8) <= 6
    }
    #expect(difference < 0.04)
  }

  @Test("Curves follow their Bézier polynomials")
  func curves() throws {
    let canvas = try Canvas(20, 20)
    canvas.context.move(to: CGPoint(x: 1, y: 1))
    canvas.context.addCurve(
      to: CGPoint(x: 19, y: 1), control1: CGPoint(x: 1, y: 19), control2: CGPoint(x: 19, y: 19))
    canvas.context.fillPath()
    // The area under a cubic Bézier curve: the integral of y dx.
    var area = 0.0
    for index in 0..<10_000 {
      let t: Double = (Double(index) + 0.5) / 10_000
      let s: Double = 1 - t
      let y: Double = 3 * s * s * t * 18 + 3 * s * t * t * 18
      let dx: Double = 3 * (2 * s * t * 18)
      area += y * dx / 10_000
    }
    #expect(abs(canvas.area - area) < 0.5)

    let quadratic = try Canvas(20, 20)
    quadratic.context.move(to: CGPoint(x: 1, y: 1))
    quadratic.context.addQuadCurve(to: CGPoint(x: 19, y: 1), control: CGPoint(x: 10, y: 19))
    quadratic.context.fillPath()
    #expect(abs(quadratic.area - 2.0 / 3 * 18 * 9) < 0.3)
  }

  @Test("Clips meet, and the saved state brings the old clip back")
  func clips() throws {
    let canvas = try Canvas(20, 20)
    canvas.context.saveGState()
    canvas.context.clip(to: CGRect(x: 2, y: 2, width: 10, height: 10))
    canvas.context.addEllipse(in: CGRect(x: 4, y: 4, width: 12, height: 12))
    canvas.context.clip()
    canvas.context.fill(CGRect(x: 0, y: 0, width: 20, height: 20))
    let difference: Double = canvas.difference { x, y in
      x > 2 && x < 12 && y > 2 && y < 12 && hypot(x - 10, y - 10) <= 6
    }
    #expect(difference < 0.04)
    canvas.context.restoreGState()
    canvas.context.fill(CGRect(x: 18, y: 18, width: 2, height: 2))
    #expect(canvas.pixel(19, 19) == 255)
  }

  @Test("Clips by grey images and by masks meet the clip before, and hide what is outside")
  func maskClips() throws {
    // The left half is white, and the right half is black.
    let halves = try #require(
      CGDataProvider(data: Data((0..<100).map { $0 % 10 < 5 ? 255 : 0 } as [UInt8])))
    let grey = try #require(
      CGImage(
        width: 10, height: 10, bitsPerComponent: 8, bitsPerPixel: 8, bytesPerRow: 10,
        space: CGColorSpaceCreateDeviceGray(), bitmapInfo: [], provider: halves, decode: nil,
        shouldInterpolate: false, intent: .defaultIntent))
    let mask = try #require(
      CGImage(
        maskWidth: 10, height: 10, bitsPerComponent: 8, bitsPerPixel: 8, bytesPerRow: 10,
        provider: halves, decode: nil, shouldInterpolate: false))
    let all = CGRect(x: 0, y: 0, width: 20, height: 20)
    for (image, left, right) in [(grey, 255, 0), (mask, 0, 255)] {
      let canvas = try Canvas(20, 20)
      canvas.context.saveGState()
      canvas.context.clip(to: CGRect(x: 0, y: 0, width: 20, height: 8))
      canvas.context.clip(to: CGRect(x: 2, y: 2, width: 10, height: 10), mask: image)
      canvas.context.fill(all)
      #expect(canvas.pixel(4, 4) == left && canvas.pixel(10, 4) == right)
      #expect(canvas.pixel(1, 4) == 0 && canvas.pixel(13, 4) == 0 && canvas.pixel(4, 1) == 0)
      #expect(canvas.pixel(4, 9) == 0 && canvas.pixel(10, 9) == 0)
      canvas.context.restoreGState()
      canvas.context.fill(CGRect(x: 0, y: 12, width: 2, height: 2))
      #expect(canvas.pixel(0, 12) == 255)
    }
  }

  @Test(
    "The transform at the time of adding moves points, and the transform at the stroke shapes the pen"
  )
  func transforms() throws {
    let canvas = try Canvas(20, 20)
    canvas.context.saveGState()
    canvas.context.translateBy(x: 10, y: 10)
    canvas.context.rotate(by: .pi / 4)
    canvas.context.addRect(CGRect(x: -4, y: -4, width: 8, height: 8))
    canvas.context.restoreGState()
    canvas.context.fillPath()
    let difference: Double = canvas.difference { x, y in
      abs(x - 10) + abs(y - 10) <= 4 * 2.0.squareRoot()
    }
    #expect(difference < 0.04)

    let pen = try Canvas(20, 20)
    pen.context.scaleBy(x: 4, y: 1)
    pen.context.addLines(between: [CGPoint(x: 2.5, y: 0), CGPoint(x: 2.5, y: 20)])
    pen.context.setLineWidth(2)
    pen.context.strokePath()
    #expect((0..<20).map { pen.pixel($0, 10) } == (0..<20).map { $0 >= 6 && $0 < 14 ? 255 : 0 })
  }

  @Test("Colours and alpha mix with the content")
  func mixing() throws {
    let context: CGContext = try CGContextTests.context(4, 4, info: .premultipliedLast)
    context.setFillColor(red: 1, green: 0, blue: 0, alpha: 1)
    context.fill(CGRect(x: 0, y: 0, width: 4, height: 4))
    context.setAlpha(0.5)
    context.setStrokeColor(red: 0, green: 0, blue: 1, alpha: 1)
    context.setLineWidth(2)
    context.strokeLineSegments(between: [CGPoint(x: 0, y: 1), CGPoint(x: 4, y: 1)])
    let picture: Picture = try #require(context.makeImage()).picture
    let pixels: [UInt8] = picture.pixels
    #expect(Array(pixels[0..<3]) == [255, 0, 0])
    #expect(abs(Int(pixels[36]) - 127) <= 1 && abs(Int(pixels[38]) - 128) <= 1)
  }

  @Test("Paths without points, of infinite points or without width draw nothing and do not crash")
  func degenerate() throws {
    let canvas = try Canvas(5, 5)
    canvas.context.fillPath()
    canvas.context.setLineWidth(0)
    canvas.context.stroke(CGRect(x: 1, y: 1, width: 2, height: 2))
    canvas.context.setLineWidth(1)
    canvas.context.fill(CGRect(x: CGFloat.nan, y: 0.5, width: 2, height: 2))
    canvas.context.scaleBy(x: 0, y: 0)
    canvas.context.stroke(CGRect(x: 1, y: 1, width: 2, height: 2))
    canvas.context.clip()
    canvas.context.fill(CGRect(x: 0, y: 0, width: 5, height: 5))
    #expect(canvas.area == 0)
    #expect(canvas.context.path == nil)
  }

  @Test("A path tells its bounding box and its current point, and compares by its elements")
  func properties() throws {
    let path = CGMutablePath()
    #expect(path.isEmpty && path.boundingBox.isNull)
    path.move(to: CGPoint(x: 1, y: 2))
    path.addLine(to: CGPoint(x: 5, y: -1))
    path.addLine(to: CGPoint(x: 3, y: 7))
    #expect(path.currentPoint == CGPoint(x: 3, y: 7))
    #expect(path.boundingBox == CGRect(x: 1, y: -1, width: 4, height: 8))
    path.closeSubpath()
    #expect(path.currentPoint == CGPoint(x: 1, y: 2))
    let copy: CGPath = try #require(path.copy())
    #expect(copy == path)
    path.addRect(CGRect(x: 0, y: 0, width: 1, height: 1))
    #expect(copy != path)
    let rect = CGRect(x: 1, y: 2, width: 3, height: 4)
    #expect(CGPath(ellipseIn: rect, transform: nil).boundingBox == rect)
    #expect(
      CGPath(roundedRect: rect, cornerWidth: 1, cornerHeight: 1, transform: nil).boundingBox
        == rect)
  }
}
