import Imaging
import Testing

@testable import StyleTransfer

@Suite("Paintings in tiles")
struct TilingTests {
  private typealias Tiling = Painter.Tiling

  @Test("Tiles cover each side once, begin at multiples of 16, and reach over their neighbours")
  func spans() {
    for (side, length) in [(128, 128), (128, 191), (128, 192), (512, 4000), (500, 1111), (512, 20)]
    {
      let tiling = Tiling(side: side)
      let spans: [Tiling.Span] = tiling.spans(length)
      #expect(spans.first?.core.lowerBound == 0 && spans.last?.core.upperBound == length)
      for (one, next) in zip(spans, spans.dropFirst()) {
        #expect(one.core.upperBound == next.core.lowerBound)
        #expect(one.painted.upperBound == min(length, one.core.upperBound + Tiling.margin))
        #expect(next.painted.lowerBound % 16 == 0)
        #expect(next.blended.count == 2 * Tiling.ramp)
      }
      #expect(spans.allSatisfy { $0.core.count <= tiling.side * 3 / 2 })
    }
  }

  @Test("A painting in tiles is that of the whole photo, although its halves differ in brightness")
  func wholePhoto() throws {
    let painter = try StyleNetwork(
      .cnn, seed: 6, architecture: TrainingFixture.architecture(.stages)
    ).painter()
    let photo = try TrainingFixture.picture(420, 330) { x, y in
      let light: Int = x < 200 ? 20 : 150
      return (light + x % 37, light + (x * y) % 64, light + y % 51)
    }
    let whole: Picture = try painter.paint(photo).picture
    var shares: [Double] = []
    let tiled: Picture = try painter.paint(
      photo, tiling: Painter.Tiling(side: 128), report: { shares.append($0) }
    ).picture
    func distance(_ one: Picture, _ other: Picture) -> Double {
      let sum: Int = zip(one.pixels, other.pixels).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
      return Double(sum) / Double(one.pixels.count)
    }
    #expect(distance(whole, tiled) < 1, "\(distance(whole, tiled)) levels")
    #expect(shares.last == 1 && zip(shares, shares.dropFirst()).allSatisfy { $0 <= $1 })
    // With its own statistics, a tile would differ.
    let part = try photo.cropped(x: 0, y: 0, width: 192, height: 192)
    let alone: Picture = try painter.paint(part).picture
    #expect(
      try distance(alone, whole.cropped(x: 0, y: 0, width: 192, height: 192)) > 3,
      "the test can tell statistics apart")
  }

  @Test("A photo that is one tile is painted at once, and transparency stays")
  func small() throws {
    let painter = try StyleNetwork(
      .cnn, seed: 6, architecture: TrainingFixture.architecture(.stages)
    ).painter()
    let photo = try TrainingFixture.picture(150, 100) { x, y in (x, y, x + y) }
    #expect(
      try painter.paint(photo, tiling: Painter.Tiling(side: 128)).picture
        == painter.paint(photo).picture)
    let alpha: [UInt8] = (0..<300 * 100).map { UInt8($0 % 251) }
    let clear = try Picture(
      width: 300, height: 100, pixels: [UInt8](repeating: 90, count: 90_000), alpha: alpha)
    #expect(try painter.paint(clear, tiling: Painter.Tiling(side: 128)).picture.alpha == alpha)
  }
}
