import Engine
import Foundation
import Imaging
import Testing

@testable import StyleTransfer

/// Compares the parts of a judgement with plain loops in `Double`, and with published values.
struct JudgingTests {
  private func picture(_ seed: UInt64, width: Int, height: Int) throws -> Picture {
    var random = SmallRandom(seed: seed)
    return try Picture(
      width: width, height: height,
      pixels: (0..<width * height * 3).map { _ in UInt8(random.next() * 255) })
  }

  /// The expected values are those of CSS Color Module Level 4 and of its Web Platform Tests, with five decimals.
  @Test(
    "OKLab has the published values",
    arguments: [
      ([255, 255, 255], [1, 0, 0]), ([0, 0, 0], [0, 0, 0]),
      ([255, 0, 0], [0.62796, 0.22486, 0.12585]), ([0, 128, 0], [0.51975, -0.1403, 0.10768]),
      ([0, 0, 255], [0.45201, -0.03246, -0.31153]),
    ] as [([UInt8], [Float])])
  func publishedColors(samples: [UInt8], expected: [Float]) {
    let color = OKLab(red: samples[0], green: samples[1], blue: samples[2])
    for (value, wanted) in zip([color.lightness, color.a, color.b], expected) {
      #expect(abs(value - wanted) < 5e-5, "\(color), expected \(expected)")
    }
  }

  /// Converts a colour to OKLab in `Double`, with Ottosson's matrices from linear sRGB.
  private func plainOKLab(_ samples: [UInt8]) -> [Double] {
    let linear: [Double] = samples.map { sample in
      let value = Double(sample) / 255
      return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }
    func product(_ rows: [[Double]], _ values: [Double]) -> [Double] {
      rows.map { zip($0, values).reduce(0) { $0 + $1.0 * $1.1 } }
    }
    let cones: [Double] = product(
      [
        [0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
      ], linear
    ).map { cbrt($0) }
    return product(
      [
        [0.2104542553, 0.7936177850, -0.0040720468], [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
      ], cones)
  }

  @Test("The distance of colours is the mean of sorted differences along each direction")
  func slicedDistance() throws {
    let (one, other) = try (
      picture(1, width: 6, height: 4), picture(2, width: 5, height: 3)
    )
    // The pictures have 24 and 15 pixels. Repeating them to 120 each gives lists of equal lengths, whose sorted
    // elements are paired.
    func colors(_ picture: Picture, repeated times: Int) -> [[Double]] {
      stride(from: 0, to: picture.pixels.count, by: 3).flatMap { index in
        [[Double]](
          repeating: plainOKLab(Array(picture.pixels[index..<index + 3])), count: times)
      }
    }
    let (first, second) = (colors(one, repeated: 5), colors(other, repeated: 8))
    var expected: Double = 0
    for axis in ColorDistribution.directions {
      let vector: [Double] = [axis.lightness, axis.a, axis.b].map { Double($0) }
      #expect(abs(vector.reduce(0) { $0 + $1 * $1 } - 1) < 1e-6)
      let lines: [[Double]] = [first, second].map { colors in
        colors.map { zip($0, vector).reduce(0) { $0 + $1.0 * $1.1 } }.sorted()
      }
      expected += zip(lines[0], lines[1]).reduce(0) { $0 + abs($1.0 - $1.1) } / 120
    }
    expected /= Double(ColorDistribution.directions.count)
    let found = ColorDistribution(of: one).distance(to: ColorDistribution(of: other))
    #expect(abs(found - expected) < 1e-6, "\(found), expected \(expected)")
    #expect(expected > 0.01)
  }

  @Test("The spread of lightness is the standard deviation over the pixels")
  func spread() throws {
    let colors: [OKLab] = [0.2, 0.4, 0.9].map { OKLab(lightness: $0, a: 0.1, b: -0.1) }
    // The mean is 0.5, the squared differences are 0.09, 0.01 and 0.16.
    #expect(abs(ColorDistribution(colors).lightnessSpread - (0.26 / 3).squareRoot()) < 1e-7)
  }

  @Test(
    "Near and cover are the mean distances to the nearest feature", arguments: [(3, 4), (37, 29)])
  func nearest(height: Int, width: Int) throws {
    // 37 × 29 features are more than two chunks.
    var random = SmallRandom(seed: 5)
    func features(_ shape: Shape) -> FloatTensor {
      FloatTensor(shape, (0..<shape.count).map { _ in random.next() })
    }
    let (channels, painting) = (5, features([1, 5, 7, 9]))
    let picture: FloatTensor = features([1, 5, height, width])
    let found = try NearestFeatures(of: painting).distances(of: picture)

    func rows(_ tensor: FloatTensor) -> [[Double]] {
      let area: Int = tensor.shape[2] * tensor.shape[3]
      return (0..<area).map { pixel in
        (0..<channels).map { Double(tensor.values[$0 * area + pixel]) }
      }
    }
    let mean: [Double] = (0..<channels).map { channel in
      rows(painting).reduce(0) { $0 + $1[channel] } / 63
    }
    func centred(_ row: [Double]) -> [Double] { zip(row, mean).map { $0 - $1 } }
    func cosine(_ one: [Double], _ other: [Double]) -> Double {
      func dot(_ a: [Double], _ b: [Double]) -> Double { zip(a, b).reduce(0) { $0 + $1.0 * $1.1 } }
      return dot(one, other) / (dot(one, one) * dot(other, other)).squareRoot()
    }
    let (own, others) = (rows(picture).map(centred), rows(painting).map(centred))
    func meanDistance(_ from: [[Double]], _ to: [[Double]]) -> Double {
      from.reduce(0) { sum, row in
        sum + (to.map { 1 - cosine(row, $0) }.min() ?? 2)
      } / Double(from.count)
    }
    let (near, cover) = (meanDistance(own, others), meanDistance(others, own))
    #expect(abs(found.near - near) < 1e-5, "\(found), expected near \(near)")
    #expect(abs(found.cover - cover) < 1e-5, "\(found), expected cover \(cover)")
    #expect(near > 1e-3 && cover > 1e-3)
  }

  @Test("Every feature of a painting is near itself")
  func sameFeatures() throws {
    var random = SmallRandom(seed: 6)
    let features = FloatTensor([1, 8, 5, 6], (0..<240).map { _ in random.next() })
    let found = try NearestFeatures(of: features).distances(of: features)
    #expect(found.near < 1e-6 && found.cover < 1e-6)
  }

  @Test("Features of another layer are refused with both numbers of channels")
  func otherChannels() throws {
    let painting = FloatTensor([1, 2, 1, 1], [1, 2])
    let error = try #require(throws: StyleTransferError.self) {
      try NearestFeatures(of: painting).distances(of: FloatTensor([1, 3, 1, 1], [1, 2, 3]))
    }
    #expect(error.message.contains("have 3 channels, expected 2"))
  }

  @Test("The smooth pooling is the root of the weighted mean of squares, at every second pixel")
  func smoothPooling() throws {
    let small = SmallFeatures()
    let shown = try picture(9, width: 9, height: 7)
    var network = try FeatureNetwork(small.model(), name: "small")
    network.pooling = .hann
    let found = try #require(
      network.features(of: FloatTensor([1, 3, 7, 9], shown.planes), layers: ["pool1"])["pool1"])
    let (before, _) = small.features(
      of: SmallFeatures.Planes(
        channels: 3, height: 7, width: 9, values: shown.planes.map { Double($0) }))
    #expect(found.shape == [1, 4, 4, 5])
    for channel in 0..<4 {
      for y in 0..<4 {
        for x in 0..<5 {
          var sum: Double = 0
          for (dy, dx) in (-1...1).flatMap({ dy in (-1...1).map { (dy, $0) } }) {
            let (row, column) = (2 * y + dy, 2 * x + dx)
            guard (0..<7).contains(row), (0..<9).contains(column) else { continue }
            let weight: Double = (dy == 0 ? 0.5 : 0.25) * (dx == 0 ? 0.5 : 0.25)
            sum += weight * before[channel, row, column] * before[channel, row, column]
          }
          let value = Double(found.values[(channel * 4 + y) * 5 + x])
          #expect(abs(value - sum.squareRoot()) < 1e-5)
        }
      }
    }
  }

  @Test("The mean of judgements is taken number by number")
  func means() {
    func judgement(_ value: Double) -> Judgement {
      Judgement(
        contrast: value, color: value + 1, near: value + 2, nearOfPhoto: value + 3,
        cover: value + 4, lpips: value + 5, dists: value + 6, gramErrors: ["relu1_2": value + 7])
    }
    #expect(Judgement.mean(of: [judgement(1), judgement(4), judgement(7)]) == judgement(4))
    #expect(Judgement.mean(of: []) == nil)
  }
}

struct BlindOrderTests {
  @Test("A seed always gives the same order, which contains every item once")
  func order() {
    let items: [Int] = Array(0..<12)
    let orders: [[Int]] = (0..<6).map { BlindOrder.shuffled(items, seed: $0) }
    #expect(orders == (0..<6).map { BlindOrder.shuffled(items, seed: $0) })
    #expect(orders.allSatisfy { $0.sorted() == items })
    #expect(Set(orders).count == 6)
  }

  @Test("Each of three items comes first about equally often")
  func fairness() {
    var first: [Int] = [0, 0, 0]
    for seed in 0..<3000 { first[BlindOrder.shuffled([0, 1, 2], seed: UInt64(seed))[0]] += 1 }
    #expect(first.allSatisfy { (900...1100).contains($0) }, "\(first)")
  }
}
