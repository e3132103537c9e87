import Imaging
import Testing

@testable import StyleTransfer

/// Tests the transfer of a painting's colours to a network's painting.
struct PaletteTests {
  /// Returns a picture of noise around a colour.
  private func picture(_ seed: UInt64, around color: (Float, Float, Float), spread: Float) throws
    -> Picture
  {
    var random = SmallRandom(seed: seed)
    return try Picture(
      width: 80, height: 60,
      planes: [color.0, color.1, color.2].flatMap { center in
        (0..<80 * 60).map { _ in center + spread * (random.next() - 0.5) }
      })
  }

  private struct Spread {
    var (mean, deviation): (Double, Double)

    init(_ picture: Picture, _ value: (OKLab) -> Float) {
      let values: [Double] = OKLab.colors(of: picture).map { Double(value($0)) }
      let center: Double = values.reduce(0, +) / Double(values.count)
      mean = center
      deviation =
        (values.reduce(0) { $0 + ($1 - center) * ($1 - center) } / Double(values.count))
        .squareRoot()
    }
  }

  @Test func `a dull picture gets the mean and the spread of the painting`() throws {
    let dull: Picture = try picture(1, around: (120, 120, 130), spread: 60)
    let painting: Picture = try picture(2, around: (150, 110, 80), spread: 85)
    let result: Picture = try Palette(painting).applied(to: dull)
    for value in [\OKLab.lightness, \.a, \.b] {
      let (found, wanted) = (
        Spread(result) { $0[keyPath: value] }, Spread(painting) { $0[keyPath: value] }
      )
      #expect(abs(found.mean - wanted.mean) < 0.005, "\(value)")
      #expect(abs(found.deviation / wanted.deviation - 1) < 0.06, "\(value)")
    }
  }

  @Test func `contrast grows at most by the limit`() throws {
    let flat: Picture = try picture(3, around: (128, 128, 128), spread: 10)
    let painting: Picture = try picture(4, around: (128, 128, 128), spread: 250)
    let result: Picture = try Palette(painting).applied(to: flat)
    let ratio: Double =
      Spread(result) { $0.lightness }.deviation / Spread(flat) { $0.lightness }.deviation
    #expect(ratio > 1.6 && ratio < 2, "\(ratio)")
  }

  @Test func `a picture of one colour stays one colour, and alpha does not change`() throws {
    let plain = try Picture(
      width: 20, height: 20, pixels: [UInt8](repeating: 90, count: 1200),
      alpha: (0..<400).map { UInt8($0 % 256) })
    let painting: Picture = try picture(5, around: (200, 90, 40), spread: 60)
    let result: Picture = try Palette(painting).applied(to: plain)
    #expect(Set(result.pixels.prefix(3)).count > 1)
    #expect(stride(from: 0, to: 1200, by: 3).allSatisfy { result.pixels[$0] == result.pixels[0] })
    #expect(try result == result.withAlpha(of: plain))
  }

  @Test(arguments: [(0, 0, 0), (255, 255, 255), (255, 0, 0), (12, 200, 77), (90, 90, 91)])
  func `colours come back from OKLab`(red: Int, green: Int, blue: Int) {
    let samples = OKLab(red: UInt8(red), green: UInt8(green), blue: UInt8(blue)).samples
    #expect(abs(samples.red - Float(red)) < 0.2)
    #expect(abs(samples.green - Float(green)) < 0.2)
    #expect(abs(samples.blue - Float(blue)) < 0.2)
  }

  @Test func `the map between two covariances maps one to the other`() {
    let (from, to) = (
      SymmetricMatrix(first: 2, both: 0.5, second: 1),
      SymmetricMatrix(first: 1, both: -0.3, second: 3)
    )
    let map: SymmetricMatrix = from.map(to: to)
    // T · Σ₁ · T, written out.
    let (p, q, r, s) = (
      map.first * from.first + map.both * from.both, map.first * from.both + map.both * from.second,
      map.both * from.first + map.second * from.both,
      map.both * from.both + map.second * from.second
    )
    #expect(abs(p * map.first + q * map.both - to.first) < 1e-9)
    #expect(abs(p * map.both + q * map.second - to.both) < 1e-9)
    #expect(abs(r * map.both + s * map.second - to.second) < 1e-9)
    let limited: SymmetricMatrix = map.withEigenvalues(in: 0.9...1.1)
    let mean: Double = (limited.first + limited.second) / 2
    let half: Double =
      ((limited.first - limited.second) * (limited.first - limited.second) / 4
      + limited.both * limited.both).squareRoot()
    #expect(mean + half < 1.1 + 1e-9 && mean - half > 0.9 - 1e-9)
  }
}
