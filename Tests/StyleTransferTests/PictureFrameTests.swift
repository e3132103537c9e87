import Imaging
import Testing

@testable import StyleTransfer

struct PictureFrameTests {
  /// Noise of 60…180, 100 × 80, with a black frame of so many pixels at the left and top.
  private func picture(frame: Int) throws -> Picture {
    var random = SmallRandom(seed: 1)
    var pixels: [UInt8] = []
    for y in 0..<80 {
      for x in 0..<100 {
        for _ in 0..<3 {
          let value = UInt8(60 + random.next() * 120)
          pixels.append(x < frame || y < frame ? 0 : value)
        }
      }
    }
    return try Picture(width: 100, height: 80, pixels: pixels)
  }

  @Test func `a frame is cut off with its edge`() throws {
    let cut = try picture(frame: 5).withoutFrame()
    // 5 and 2.5 % on the framed sides, 1 % on the others, rounded up.
    #expect(cut.width == 100 - 5 - 3 - 1)
    #expect(cut.height == 80 - 5 - 2 - 1)
    #expect(cut.pixels.allSatisfy { $0 >= 60 })
  }

  @Test func `a picture without a frame loses a hundredth a side`() throws {
    let cut = try picture(frame: 0).withoutFrame()
    #expect(cut.width == 98)
    #expect(cut.height == 78)
  }

  @Test func `a dark picture is not cut away`() throws {
    let night = try Picture(
      width: 100, height: 80, pixels: [UInt8](repeating: 3, count: 24_000))
    let cut = try night.withoutFrame()
    #expect(cut.width > 75 && cut.height > 60)
  }
}
