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

  @Test("Measured statistics of several parts are those of the parts together")
  func measured() throws {
    let painter = try painter()
    let (dark, bright) = (try photo(10), try photo(120))
    func own(_ photo: Picture) throws -> [Double] {
      let statistics = NormStatistics()
      _ = try painter.paint(photo, statistics: statistics, rate: 1)
      return statistics.values
    }
    let (first, second) = (try own(dark), try own(bright))
    let channels = Int(first[0])
    let statistics = NormStatistics()
    for part in [dark, bright] { try painter.measure(part, statistics) }
    #expect(statistics.adopt() == .infinity)
    let values: [Double] = statistics.values
    #expect(values.count == first.count)
    for c in 1...channels {
      let mean: Double = (first[c] + second[c]) / 2
      #expect(abs(values[c] - mean) < 1e-6 * (1 + abs(mean)))
      let square: Double =
        (first[channels + c] + first[c] * first[c] + second[channels + c] + second[c] * second[c])
        / 2
      #expect(abs(values[channels + c] - (square - mean * mean)) < 1e-5 * (1 + square))
    }
    // While they are measured again, the held ones are used and stay.
    try painter.measure(dark, statistics)
    #expect(statistics.values == values)
    #expect(statistics.adopt() > 0.01)
    // Nothing was measured.
    #expect(statistics.adopt() == 0)
  }

  @Test("Measuring the same picture again moves the statistics ever less")
  func converging() throws {
    let painter = try painter()
    let statistics = NormStatistics()
    let movements: [Double] = try (0..<5).map { _ in
      try painter.measure(photo(60), statistics)
      return statistics.adopt()
    }
    #expect(movements[0] == .infinity && movements[4] < 1e-4, "\(movements)")
    let whole = try painter.paint(photo(60)).picture
    let held = try painter.paint(photo(60), statistics: statistics, rate: 0).picture
    #expect(zip(whole.pixels, held.pixels).allSatisfy { abs(Int($0) - Int($1)) <= 1 })
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
