import Foundation
import Imaging
import Testing

@testable import Film

/// Smooth pictures whose motion is known.
enum Scene {
  /// Returns a picture of waves, shifted by `right` and `down` pixels.
  static func picture(
    width: Int = 160, height: Int = 120, right: Double = 0, down: Double = 0, brightness: Double = 0
  ) throws -> Picture {
    try Picture(width: width, height: height) { pixels in
      for y in 0..<height {
        for x in 0..<width {
          let (u, v) = (Double(x) - right, Double(y) - down)
          let waves: Double =
            sin(u / 5.3 + v / 11) + sin(v / 4.1 - u / 17) + sin((u + v) / 7.7)
            + sin((u - 2 * v) / 23)
          for channel in 0..<3 {
            let value: Double = 128 + brightness + 25 * waves * (1 - 0.2 * Double(channel))
            pixels[(y * width + x) * 3 + channel] = UInt8(min(255, max(0, value.rounded())))
          }
        }
      }
    }
  }
}

/// Tests the optical flow, cuts and blending.
@Suite
struct FlowTests {
  @Test(
    "The flow of a moved picture is its motion",
    arguments: [(3.0, -2.0), (0.5, 0.5), (-9.0, 6.0)])
  func translation(right: Double, down: Double) throws {
    let current = ReducedFrame(try Scene.picture(right: right, down: down))
    let last = ReducedFrame(try Scene.picture())
    let motion: FrameMotion = try current.motion(to: last)
    #expect(motion.factor == 2)
    var (sum, count): (Double, Double) = (0, 0)
    for y in 10..<motion.height - 10 {
      for x in 10..<motion.width - 10 {
        let index: Int = y * motion.width + x
        let (u, v) = (2 * Double(motion.flow[2 * index]), 2 * Double(motion.flow[2 * index + 1]))
        sum += ((u + right) * (u + right) + (v + down) * (v + down)).squareRoot()
        count += motion.confidence[index] > 0.5 ? 1 : 0
      }
    }
    let area = Double((motion.width - 20) * (motion.height - 20))
    #expect(sum / area < 0.25, "mean end point error in pixels: \(sum / area)")
    #expect(count / area > 0.95, "trusted: \(count / area)")
  }

  @Test("Where something new appears, the flow is not trusted")
  func occlusion() throws {
    let last: Picture = try Scene.picture()
    let current = try Picture(width: last.width, height: last.height) { pixels in
      _ = pixels.initialize(from: last.pixels)
      for y in 40..<80 {
        for x in 60..<100 {
          for channel in 0..<3 {
            pixels[(y * last.width + x) * 3 + channel] = UInt8((x * 37 + y * 91) % 256)
          }
        }
      }
    }
    let motion = try ReducedFrame(current).motion(to: ReducedFrame(last))
    func mean(_ columns: Range<Int>, _ rows: Range<Int>) -> Double {
      var sum: Double = 0
      for y in rows { for x in columns { sum += Double(motion.confidence[y * motion.width + x]) } }
      return sum / Double(columns.count * rows.count)
    }
    #expect(mean(33..<47, 23..<37) < 0.5)
    #expect(mean(5..<20, 10..<50) > 0.9)
  }

  @Test("Another scene is a cut; a fast pan and a change of light are none")
  func cuts() throws {
    let first = ReducedFrame(try Scene.picture())
    let other = ReducedFrame(
      try Picture(width: 160, height: 120) { pixels in
        for index in pixels.indices { pixels[index] = index / 3 % 160 < 100 ? 20 : 235 }
      })
    #expect(other.isCut(after: first))
    #expect(!ReducedFrame(try Scene.picture(right: 25)).isCut(after: first))
    #expect(!ReducedFrame(try Scene.picture(brightness: 12)).isCut(after: first))
  }

  @Test("A still film stays as it is over 300 blended frames")
  func still() throws {
    let picture: Picture = try Scene.picture(width: 96, height: 64)
    let motion = try ReducedFrame(picture).motion(to: ReducedFrame(picture))
    var finisher = FrameFinisher.plain(stability: 1, size: picture.size)
    var state = PaintingState()
    var last: Picture = picture
    for index in 0..<300 {
      state.shotFrames = index + 1
      last = try finisher.finish(
        picture, of: FilmFrame(picture, time: 0), motion: index == 0 ? nil : motion, maskFrame: nil,
        state: &state)
    }
    let worst: Int = zip(last.pixels, picture.pixels).map { abs(Int($0) - Int($1)) }.max() ?? 255
    #expect(worst == 0)
  }

  @Test("Blending along the motion removes flicker")
  func flicker() throws {
    var finisher = FrameFinisher.plain(stability: 0.8, size: .init(width: 160, height: 120))
    var state = PaintingState()
    var results: [Picture] = []
    for index in 0..<12 {
      let photo: Picture = try Scene.picture(right: Double(index))
      let last = try Scene.picture(right: Double(index - 1))
      let painting: Picture = try Scene.picture(
        right: Double(index), brightness: index.isMultiple(of: 2) ? 15 : -15)
      state.shotFrames = index + 1
      let motion: FrameMotion? =
        index == 0 ? nil : try ReducedFrame(photo).motion(to: ReducedFrame(last))
      results.append(
        try finisher.finish(
          painting, of: FilmFrame(photo, time: 0), motion: motion, maskFrame: nil, state: &state))
    }
    func mean(_ picture: Picture) -> Double {
      picture.pixels.reduce(0) { $0 + Double($1) } / Double(picture.width * picture.height * 3)
    }
    let jump: Double = abs(mean(results[11]) - mean(results[10]))
    #expect(jump < 12, "unblended, it is about 30: \(jump)")
    // The blended painting still changes from frame to frame.
    #expect(results[11].pixels != results[10].pixels)
  }
}

extension FrameFinisher {
  /// Makes a finisher that does not adjust colours.
  static func plain(stability: Double, size: PictureSize) -> FrameFinisher {
    FrameFinisher(
      palette: nil, strength: 1, keepsColors: false, mask: nil, stability: stability,
      state: PaintingState())
  }
}
