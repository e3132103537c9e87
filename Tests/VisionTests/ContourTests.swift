import CoreGraphics
import Foundation
import Imaging
import Testing
import Vision

/// Tests requests for contours.
@Suite("Contours")
struct ContourTests {
  private static func picture(
    _ width: Int, _ height: Int, _ isDark: (Int, Int) -> Bool
  ) throws -> Picture {
    try Picture(width: width, height: height) { pixels in
      for index in 0..<width * height {
        let value: UInt8 = isDark(index % width, index / width) ? 20 : 240
        for component in 0..<3 { pixels[index * 3 + component] = value }
      }
    }
  }

  private static func contours(
    _ picture: Picture, _ change: (VNDetectContoursRequest) -> Void = { _ in }
  ) throws -> VNContoursObservation {
    let request = VNDetectContoursRequest()
    change(request)
    try VNImageRequestHandler(cgImage: CGImage(picture)).perform([request])
    return try #require(request.results?.first)
  }

  @Test("A ring with a dot has three contours, one inside of the other")
  func ring() throws {
    let picture = try Self.picture(40, 20) { x, y in
      let inRing: Bool = (10..<30).contains(x) && (2..<18).contains(y)
      let inHole: Bool = (13..<27).contains(x) && (5..<15).contains(y)
      let inDot: Bool = (18..<22).contains(x) && (9..<12).contains(y)
      return inRing && !inHole || inDot
    }
    let found = try Self.contours(picture)
    #expect(found.contourCount == 3 && found.topLevelContourCount == 1)
    let outer: VNContour = found.topLevelContours[0]
    // 2 · (20 + 16) − 4 pixels.
    #expect(outer.pointCount == 68)
    let hole: VNContour = try outer.childContour(at: 0)
    let dot: VNContour = try found.contour(at: IndexPath(indexes: [0, 0, 0]))
    #expect(hole.childContours.first === dot && dot.pointCount == 10)
    let xs: [Float] = outer.normalizedPoints.map(\.x)
    let ys: [Float] = outer.normalizedPoints.map(\.y)
    #expect(xs.min() == 10.5 / 40 && xs.max() == 29.5 / 40)
    #expect(abs((ys.max() ?? 0) - (1 - 2.5 / 20)) < 1e-6)
    #expect(try outer.polygonApproximation(epsilon: 0.001).pointCount == 4)
    #expect(outer.aspectRatio == 2)
    #expect(throws: VNError.self) { try found.contour(at: 3) }
  }

  /// OpenCV 5.0 finds 74 contours, 48 of them at the top, with 1351 pixels: `findContours` with `RETR_TREE` and
  /// `CHAIN_APPROX_NONE`.
  @Test("Irregular regions have OpenCV's contours")
  func irregular() throws {
    let isDark: (Int, Int) -> Bool = { column, row in
      let (x, y) = (Double(column), Double(row))
      let waves: Double = sin(x * 0.35) + sin(y * 0.27) + sin((x + 2 * y) * 0.19)
      return waves + 1.2 * sin(x * 1.1) * sin(y * 0.9) > 0.3
    }
    let found = try Self.contours(Self.picture(90, 70, isDark))
    func points(_ contours: [VNContour]) -> Int {
      contours.reduce(0) { $0 + $1.pointCount + points($1.childContours) }
    }
    #expect(found.contourCount == 74 && found.topLevelContourCount == 48)
    #expect(points(found.topLevelContours) == 1351)
    let light = try Self.contours(Self.picture(90, 70) { !isDark($0, $1) }) {
      $0.detectsDarkOnLight = false
      $0.contrastPivot = nil
    }
    #expect(light.contourCount == 74)
  }

  @Test("The newer interface finds the same contours")
  func newInterface() async throws {
    let picture = try Self.picture(40, 20) { x, _ in (5..<10).contains(x) || x > 30 }
    let found = try await DetectContoursRequest().perform(on: CGImage(picture))
    #expect(found.contourCount == 2 && found.topLevelContours[1].childContours.isEmpty)
    let data = try JSONEncoder().encode(found)
    #expect(try JSONDecoder().decode(ContoursObservation.self, from: data) == found)
  }
}
