import Imaging
import NormStatistics
import Testing

@testable import StyleTransfer

@Suite("Statistics of norms that several paintings share")
struct NormStatisticsTests {
  private func painter() throws -> Painter {
    try StyleNetwork(.cnn, seed: 6, architecture: TrainingFixture.architecture(.stages)).painter()
  }

  private func photo(_ brightness: Int) throws -> Picture {
    try TrainingFixture.picture(48, 40) { x, y in
      (brightness + x, brightness + y * 2, brightness + (x * y) % 64)
    }
  }

  @Test(
    "The first painting and a rate of 1 use the photo's own statistics, a rate of 0 shared ones"
  )
  func rates() throws {
    let painter = try painter()
    let (dark, bright) = (try photo(10), try photo(120))
    let own = try painter.paint(bright).picture
    let statistics = NormStatistics()
    #expect(
      try painter.paint(dark, statistics: statistics, rate: 0).picture
        == painter.paint(dark).picture)
    let first: [Double] = statistics.values
    #expect(!first.isEmpty && first.allSatisfy(\.isFinite))
    #expect(try painter.paint(bright, statistics: statistics, rate: 0).picture != own)
    #expect(statistics.values == first)
    #expect(try painter.paint(bright, statistics: statistics, rate: 1).picture == own)
    #expect(statistics.values != first)
  }

  @Test("Statistics continue from their values, and begin anew when they are forgotten")
  func values() throws {
    let painter = try painter()
    let (dark, bright) = (try photo(10), try photo(120))
    let statistics = NormStatistics()
    _ = try painter.paint(dark, statistics: statistics, rate: 1)
    let copy = NormStatistics()
    copy.values = statistics.values
    let expected = try painter.paint(bright, statistics: statistics, rate: 0.125).picture
    #expect(try painter.paint(bright, statistics: copy, rate: 0.125).picture == expected)
    #expect(copy.values == statistics.values)
    copy.forget()
    #expect(copy.values.isEmpty)
    #expect(
      try painter.paint(bright, statistics: copy, rate: 0).picture
        == painter.paint(bright).picture)
    copy.values = [3, 1, 1]
    #expect(copy.values.isEmpty)
  }
}
