import Foundation
import Imaging
import Testing

@testable import Film

/// Tests painting at a fraction of the film's size.
@Suite
struct FrameScalingTests {
  @Test(
    "A frame that is its own painting is the same after reducing and enlarging", arguments: [2, 3])
  func same(factor: Int) throws {
    // Sides that are no multiples of the factor.
    let frame: Picture = try Scene.picture(width: 163, height: 121)
    let reduced: Picture = try frame.reduced(by: factor)
    #expect(reduced.width == (163 + factor - 1) / factor)
    let result: Picture = try reduced.enlarged(along: frame, reduced: reduced, by: factor)
    #expect(result.size == frame.size)
    let gaps: [Int] = zip(result.pixels, frame.pixels).map { abs(Int($0) - Int($1)) }
    #expect(Double(gaps.reduce(0, +)) / Double(gaps.count) < 1, "\(gaps.max() ?? 0)")
  }

  @Test(
    "Edges of the film are sharp in an enlarged painting that follows them, and absent in one that does not"
  )
  func edges() throws {
    func bars(_ low: UInt8, _ high: UInt8) throws -> Picture {
      try Picture(width: 120, height: 80) { pixels in
        for index in pixels.indices {
          pixels[index] = (index / 3 % 120 + 3) / 7 % 2 == 0 ? low : high
        }
      }
    }
    /// The largest step between two neighbours, across the middle row.
    func step(_ picture: Picture) -> Int {
      let row: [UInt8] = Array(picture.pixels[40 * 360..<41 * 360])
      return (10..<110).map { abs(Int(row[$0 * 3 + 1]) - Int(row[$0 * 3 + 4])) }.max() ?? 0
    }
    let film: Picture = try bars(40, 200)
    let reduced: Picture = try film.reduced(by: 2)
    let following: Picture = try bars(90, 170).reduced(by: 2)
    let enlarged: Picture = try following.enlarged(along: film, reduced: reduced, by: 2)
    #expect(step(enlarged) > 65, "of 80: \(step(enlarged))")
    let flat = try Picture(
      width: 60, height: 40, pixels: [UInt8](repeating: 128, count: 60 * 40 * 3))
    #expect(step(try flat.enlarged(along: film, reduced: reduced, by: 2)) <= 1)
  }

  @Test(
    "Frames are painted at 1,280 pixels at most by default",
    arguments: [(640, 480, 1), (1280, 720, 1), (1281, 720, 2), (1920, 1080, 2), (3840, 2160, 3)])
  func sizes(width: Int, height: Int, factor: Int) {
    let settings = FilmSettings()
    let size = PictureSize(width: width, height: height)
    #expect(settings.reduction(for: size) == factor)
    #expect(settings.paintedSize(for: size).longerSide <= 1280)
  }

  @Test("A name without letters after its last dot is a folder")
  func folders() {
    for path in ["out", "out/", "-", "name-0.85", "v2.10"] {
      #expect(FilmJob.isFolderOrStream(path), "\(path)")
    }
    for path in ["a.mp4", "a.0.85.mkv", "a.m4v", "a.xyz"] {
      #expect(!FilmJob.isFolderOrStream(path), "\(path)")
    }
  }
}
