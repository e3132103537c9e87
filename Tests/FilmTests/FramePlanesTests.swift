import Foundation
import Imaging
import Testing

@testable import Film

/// Tests the conversion between pixels and planes of luma and chroma.
@Suite
struct FramePlanesTests {
  private static func uniform(_ red: UInt8, _ green: UInt8, _ blue: UInt8) throws -> Picture {
    try Picture(width: 6, height: 4) { pixels in
      for index in stride(from: 0, to: pixels.count, by: 3) {
        (pixels[index], pixels[index + 1], pixels[index + 2]) = (red, green, blue)
      }
    }
  }

  private static func planes(_ picture: Picture, bt709: Bool, full: Bool) throws -> [UInt8] {
    let format = FramePlanes(size: picture.size, isBT709: bt709, isFullRange: full)
    var bytes = [UInt8](repeating: 0, count: format.byteCount)
    try bytes.withUnsafeMutableBufferPointer { try format.write(picture, to: $0) }
    return bytes
  }

  /// The values of ITU-R BT.601 and BT.709 for colours of full saturation, rounded.
  @Test(
    "Colours have the luma and chroma of the Recommendations",
    arguments: [
      ((255, 255, 255), false, false, (235, 128, 128)), ((0, 0, 0), false, false, (16, 128, 128)),
      ((255, 0, 0), false, false, (81, 90, 240)), ((0, 255, 0), false, false, (145, 54, 34)),
      ((0, 0, 255), false, false, (41, 240, 110)), ((255, 0, 0), true, false, (63, 102, 240)),
      ((0, 255, 0), true, false, (173, 42, 26)), ((0, 0, 255), false, true, (29, 255, 107)),
      ((255, 255, 255), true, true, (255, 128, 128)),
    ] as [((UInt8, UInt8, UInt8), Bool, Bool, (Int, Int, Int))])
  func values(
    color: (UInt8, UInt8, UInt8), bt709: Bool, full: Bool, expected: (Int, Int, Int)
  ) throws {
    let picture: Picture = try Self.uniform(color.0, color.1, color.2)
    let bytes: [UInt8] = try Self.planes(picture, bt709: bt709, full: full)
    for (range, value) in [(0..<24, expected.0), (24..<30, expected.1), (30..<36, expected.2)] {
      for index in range { #expect(abs(Int(bytes[index]) - value) <= 1, "\(bytes)") }
    }
    let format = FramePlanes(size: picture.size, isBT709: bt709, isFullRange: full)
    let back: Picture = try bytes.withUnsafeBufferPointer { try format.picture($0) }
    #expect(zip(back.pixels, picture.pixels).allSatisfy { abs(Int($0) - Int($1)) <= 2 })
  }

  @Test("A smooth picture survives both conversions", arguments: [false, true], [false, true])
  func roundTrip(bt709: Bool, full: Bool) throws {
    let picture: Picture = try Scene.picture(width: 130, height: 98)
    let format = FramePlanes(size: picture.size, isBT709: bt709, isFullRange: full)
    let bytes: [UInt8] = try Self.planes(picture, bt709: bt709, full: full)
    let back: Picture = try bytes.withUnsafeBufferPointer { try format.picture($0) }
    let gaps: [Int] = zip(back.pixels, picture.pixels).map { abs(Int($0) - Int($1)) }
    #expect(Double(gaps.reduce(0, +)) / Double(gaps.count) < 1, "\(gaps.max() ?? 0)")
  }

  /// A coarse pattern from fine colours would flicker as the picture moves.
  @Test("Chroma leaves out colours that are finer than its planes, and keeps coarser ones")
  func fineColors() throws {
    /// The deviation of the second chroma plane, inside, of waves of red and cyan with an amplitude of 50.
    func deviation(period: Double, isVertical: Bool) throws -> Double {
      let picture = try Picture(width: 96, height: 96) { pixels in
        for index in 0..<96 * 96 {
          let place = Double(isVertical ? index / 96 : index % 96)
          let wave: Double = 50 * sin(2 * .pi * place / period)
          pixels[index * 3] = UInt8(128 + wave)
          (pixels[index * 3 + 1], pixels[index * 3 + 2]) = (UInt8(128 - wave), UInt8(128 - wave))
        }
      }
      let bytes: [UInt8] = try Self.planes(picture, bt709: false, full: true)
      let inside: [Double] = (8..<40).flatMap { y in
        (8..<40).map { x in Double(bytes[96 * 96 + 48 * 48 + y * 48 + x]) - 128 }
      }
      return (inside.map { $0 * $0 }.reduce(0, +) / Double(inside.count)).squareRoot()
    }
    for isVertical in [false, true] {
      let coarse: Double = try deviation(period: 24, isVertical: isVertical)
      let fine: Double = try deviation(period: 3, isVertical: isVertical)
      #expect(coarse > 33 && coarse < 36, "of 35.4, \(isVertical): \(coarse)")
      #expect(fine < 0.09 * coarse, "\(isVertical): \(fine) of \(coarse)")
    }
  }
}
