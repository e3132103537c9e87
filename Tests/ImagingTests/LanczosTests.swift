import Foundation
import Testing

@testable import Imaging

/// Resamples a line to `target` samples by the definition of Lanczos resampling, in `Double`. Each target sample is a
/// weighted mean of all samples of the line.
private func reference(_ line: [Double], target: Int) -> [Double] {
  func lobe(_ x: Double) -> Double {
    if x == 0 { return 1 }
    return abs(x) < 3 ? sin(.pi * x) / (.pi * x) * sin(.pi * x / 3) / (.pi * x / 3) : 0
  }
  let ratio: Double = Double(line.count) / Double(target)
  return (0..<target).map { (index: Int) -> Double in
    var sum: Double = 0
    var weight: Double = 0
    for (sample, value) in line.enumerated() {
      let distance: Double = Double(sample) + 0.5 - (Double(index) + 0.5) * ratio
      let share: Double = lobe(distance / max(1, ratio))
      sum += value * share
      weight += share
    }
    return min(255, max(0, sum / weight))
  }
}

@Suite struct LanczosTests {
  @Test(
    "Each direction matches the definition, for enlarging and reducing",
    arguments: [1, 2, 3, 9, 16, 37, 38, 74, 100, 371])
  func definition(target: Int) throws {
    let line: [UInt8] = (0..<37).map { UInt8(truncatingIfNeeded: $0 &* $0 &* 91 &+ $0 &* 53) }
    let expected: [Double] = reference(line.map { Double($0) }, target: target)
    let across = try Picture(width: 37, height: 1, pixels: line.flatMap { [$0, $0, 255 - $0] })
    let wide: Picture = try across.scaled(toWidth: target, height: 1)
    let high: Picture = try across.oriented(.leftMirrored).scaled(toWidth: 1, height: target)
    for index in 0..<target {
      #expect(abs(Double(wide.pixel(index, 0)[0]) - expected[index]) <= 0.51)
      #expect(abs(Double(wide.pixel(index, 0)[2]) - (255 - expected[index])) <= 0.51)
      #expect(wide.pixel(index, 0) == high.pixel(0, index))
    }
  }

  @Test("Alpha is scaled like the colours")
  func alpha() throws {
    let line: [UInt8] = (0..<50).map { UInt8($0 * 5) }
    let picture = try Picture(
      width: 50, height: 1, pixels: line.flatMap { [$0, 0, 0] }, alpha: line)
    let scaled: Picture = try picture.scaled(toWidth: 20, height: 3)
    #expect(scaled.alpha?.map { Int($0) } == (0..<60).map { scaled.pixel($0 % 20, $0 / 20)[0] })
  }

  @Test("Scaling the same image twice gives the same bytes")
  func repeatability() throws {
    let picture: Picture = try gradient(width: 301, height: 203, alpha: true)
    #expect(
      try picture.scaled(toWidth: 77, height: 99) == picture.scaled(toWidth: 77, height: 99))
  }
}
