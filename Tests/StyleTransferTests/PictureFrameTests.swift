import Imaging
import Testing

@testable import StyleTransfer

struct PictureFrameTests {
  /// Creates noise of 60…180, 100 × 80 pixels, with a black frame of the given width at the left and top.
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

  @Test func `a frame is cropped together with its edge`() throws {
    let cut = try picture(frame: 5).withoutFrame()
    // The crop removes the frame of 5 pixels and 2.5 % on the framed sides, and 1 % on the other sides, rounded up.
    #expect(cut.width == 100 - 5 - 3 - 1)
    #expect(cut.height == 80 - 5 - 2 - 1)
    #expect(cut.pixels.allSatisfy { $0 >= 60 })
  }

  @Test func `an image without a frame loses 1 % on each side`() throws {
    let cut = try picture(frame: 0).withoutFrame()
    #expect(cut.width == 98)
    #expect(cut.height == 78)
  }

  @Test func `a dark image is not cropped away`() throws {
    let night = try Picture(
      width: 100, height: 80, pixels: [UInt8](repeating: 3, count: 24_000))
    let cut = try night.withoutFrame()
    #expect(cut.width > 75 && cut.height > 60)
  }
}
