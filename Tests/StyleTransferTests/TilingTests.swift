import Imaging
import NormStatistics
import Testing

@testable import StyleTransfer

@Suite("Paintings in tiles")
struct TilingTests {
  private typealias Tiling = Painter.Tiling

  @Test(
    "Tiles cover each side once, begin at multiples of 16, have one length, and overlap")
  func spans() {
    for (side, length) in [(128, 128), (128, 191), (128, 192), (512, 4000), (500, 1111), (512, 20)]
    {
      let tiling = Tiling(side: side)
      let spans: [Tiling.Span] = tiling.spans(length)
      #expect(spans.first?.core.lowerBound == 0 && spans.last?.core.upperBound == length)
      for (one, next) in zip(spans, spans.dropFirst()) {
        #expect(one.core.upperBound == next.core.lowerBound)
        #expect(one.painted.upperBound >= min(length, one.core.upperBound + Tiling.margin))
        #expect(next.painted.lowerBound <= next.core.lowerBound - Tiling.margin)
        #expect(next.painted.lowerBound % 16 == 0)
        #expect(next.painted.count == one.painted.count)
        #expect(next.blended.count == 2 * Tiling.ramp)
      }
      #expect(spans.allSatisfy { $0.core.count <= tiling.side })
      #expect(spans.allSatisfy { $0.painted.count % 16 == length % 16 })
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
    #expect(distance(whole, tiled) < 0.5, "\(distance(whole, tiled)) levels")
    #expect(shares.last == 1 && zip(shares, shares.dropFirst()).allSatisfy { $0 <= $1 })
    // With its own statistics, a tile would differ.
    let part = try photo.cropped(x: 0, y: 0, width: 192, height: 192)
    let alone: Picture = try painter.paint(part).picture
    #expect(
      try distance(alone, whole.cropped(x: 0, y: 0, width: 192, height: 192)) > 3,
      "the test can tell statistics apart")
  }

  @Test("A part with a margin as wide as the network's reach has the painting of the whole photo")
  func reach() throws {
    let painter = try StyleNetwork(
      .cnn, seed: 6, architecture: TrainingFixture.architecture(.stages)
    ).painter()
    let reach: Int = try #require(try painter.reach())
    #expect(reach % 16 == 0 && (16...48).contains(reach), "\(reach)")
    let photo = try TrainingFixture.picture(256, 128) { x, y in (x % 37, (x * y) % 64, y % 51) }
    let statistics = NormStatistics()
    let whole: Picture = try painter.paint(photo, statistics: statistics, rate: 1).picture
    /// The mean difference, in levels, of the part from column 64 + `skipped` on.
    func difference(skipped: Int) throws -> Double {
      let part = try painter.paint(
        photo.cropped(x: 64, y: 0, width: 192, height: 128), statistics: statistics, rate: 0
      ).picture.cropped(x: skipped, y: 0, width: 192 - skipped, height: 128)
      let expected = try whole.cropped(x: 64 + skipped, y: 0, width: 192 - skipped, height: 128)
      let gaps: [Int] = zip(part.pixels, expected.pixels).map { abs(Int($0) - Int($1)) }
      return Double(gaps.reduce(0, +)) / Double(gaps.count)
    }
    let (far, near): (Double, Double) = try (difference(skipped: reach), difference(skipped: 0))
    #expect(far < 0.3 && near > 3 * far, "\(far), \(near)")
  }

  @Test(
    "The statistics of all tiles are those of the whole photo with the mirrored margin at its sides"
  )
  func statistics() throws {
    let painter = try StyleNetwork(
      .cnn, seed: 6, architecture: TrainingFixture.architecture(.stages)
    ).painter()
    let photo = try TrainingFixture.picture(330, 293) { x, y in
      let light: Int = x < 150 ? 20 : 150
      return (light + x % 37, light + (x * y) % 64, light + y % 51)
    }
    let whole = NormStatistics()
    _ = try painter.paint(photo, statistics: whole, rate: 1)
    let tiling = Tiling(side: 128)

    /// Returns the largest distance of a mean from that of the whole photo, in standard deviations.
    func distance(surveyed: Bool) throws -> Double {
      let tiled = NormStatistics()
      if surveyed { try painter.survey(tiled) }
      for _ in 0..<12 {
        for row in tiling.spans(photo.height) {
          for column in tiling.spans(photo.width) {
            let tile = try photo.cropped(
              x: column.painted.lowerBound, y: row.painted.lowerBound,
              width: column.painted.count, height: row.painted.count)
            try painter.measure(tile, rows: row.measured, columns: column.measured, tiled)
          }
        }
        tiled.adopt()
      }
      var (first, largest): (Int, Double) = (0, 0)
      while first < whole.values.count {
        let channels = Int(whole.values[first])
        for c in first + 1...first + channels {
          let deviation: Double = whole.values[c + channels].squareRoot() + 1e-6
          largest = max(largest, abs(tiled.values[c] - whole.values[c]) / deviation)
        }
        first += 1 + 2 * channels
      }
      return largest
    }
    #expect(try distance(surveyed: true) < 0.01)
    #expect(try distance(surveyed: false) > 0.02, "the test can tell tiles with margins apart")
  }

  @Test("A photo that is one tile is painted at once, and transparency stays")
  func small() throws {
    let painter = try StyleNetwork(
      .cnn, seed: 6, architecture: TrainingFixture.architecture(.stages)
    ).painter()
    let photo = try TrainingFixture.picture(120, 100) { x, y in (x, y, x + y) }
    #expect(
      try painter.paint(photo, tiling: Painter.Tiling(side: 128)).picture
        == painter.paint(photo).picture)
    let alpha: [UInt8] = (0..<300 * 100).map { UInt8($0 % 251) }
    let clear = try Picture(
      width: 300, height: 100, pixels: [UInt8](repeating: 90, count: 90_000), alpha: alpha)
    #expect(try painter.paint(clear, tiling: Painter.Tiling(side: 128)).picture.alpha == alpha)
  }
}
