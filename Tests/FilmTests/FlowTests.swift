import Foundation
import Imaging
import Testing

@testable import Film

/// Smooth pictures whose motion is known.
enum Scene {
  /// Returns a picture of waves, shifted by `right` and `down` pixels, or as `view` shows it: the place of the waves that
  /// is seen at a pixel.
  static func picture(
    width: Int = 160, height: Int = 120, right: Double = 0, down: Double = 0,
    brightness: Double = 0, view: (Double, Double) -> (Double, Double) = { ($0, $1) }
  ) throws -> Picture {
    try Picture(width: width, height: height) { pixels in
      for y in 0..<height {
        for x in 0..<width {
          let (u, v) = view(Double(x) - right, Double(y) - down)
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

  /// Returns a picture of sharp edges, shifted by `right` and `down` pixels. Each pixel is a mean of 4 × 4 samples.
  ///
  /// - Parameter scale: How far the edges are apart, as a multiple of about 5 pixels.
  static func edges(
    width: Int = 160, height: Int = 120, scale: Double = 1, right: Double, down: Double
  ) throws -> Picture {
    try Picture(width: width, height: height) { pixels in
      for y in 0..<height {
        for x in 0..<width {
          var sum: Double = 0
          for sample in 0..<16 {
            let u: Double = (Double(x) + Double(sample % 4) / 4 - 0.375 - right) / scale
            let v: Double = (Double(y) + Double(sample / 4) / 4 - 0.375 - down) / scale
            let waves: Double =
              sin(u / 1.3 + v / 3) + sin(v / 1.1 - u / 4) + sin((u + v) / 1.9)
              + sin((u - 2 * v) / 7)
            sum += waves < 0 ? 88 : 168
          }
          for channel in 0..<3 { pixels[(y * width + x) * 3 + channel] = UInt8(sum / 16) }
        }
      }
    }
  }

  /// Returns the motion of each frame of a shot. Nil for the first one.
  static func motions(along film: [Picture]) throws -> [ShotMotion?] {
    let frames: [ReducedFrame] = film.map { ReducedFrame($0) }
    var follower = KeyFollower(frames[0])
    return try [nil]
      + zip(frames.dropFirst(), frames).map { try follower.follow($0, after: $1) }
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

  @Test(
    "The motion of a camera that zooms and turns is found almost exactly, and without doubt",
    arguments: [(1.05, 0.0), (0.97, 2.0), (1.0, -3.0)])
  func camera(zoom: Double, degrees: Double) throws {
    let (sine, cosine) = (sin(degrees * .pi / 180), cos(degrees * .pi / 180))
    func view(_ x: Double, _ y: Double) -> (Double, Double) {
      let (u, v) = ((x - 79.5) / zoom, (y - 59.5) / zoom)
      return (79.5 + cosine * u - sine * v, 59.5 + sine * u + cosine * v)
    }
    let motion = try ReducedFrame(Scene.picture(view: view)).motion(
      to: ReducedFrame(Scene.picture()))
    var (sum, doubt): (Double, Double) = (0, 0)
    for y in 8..<motion.height - 8 {
      for x in 8..<motion.width - 8 {
        let index: Int = y * motion.width + x
        let (atX, atY) = (2 * Double(x) + 0.5, 2 * Double(y) + 0.5)
        let (u, v) = view(atX, atY)
        let gapX: Double = 2 * Double(motion.flow[2 * index]) - (u - atX)
        let gapY: Double = 2 * Double(motion.flow[2 * index + 1]) - (v - atY)
        sum += (gapX * gapX + gapY * gapY).squareRoot()
        doubt += Double(motion.doubt[index])
      }
    }
    let area = Double((motion.width - 16) * (motion.height - 16))
    #expect(sum / area < 0.02, "mean end point error in pixels: \(sum / area)")
    #expect(doubt / area < 0.1, "mean doubt: \(doubt / area)")
  }

  @Test(
    "The motion of a sharp picture is not pulled towards whole samples",
    arguments: [(0.6, -0.3), (2.6, -1.3), (1.5, 0.8), (0.3, 0.9)])
  func fractions(right: Double, down: Double) throws {
    let motion = try ReducedFrame(Scene.edges(right: right, down: down)).motion(
      to: ReducedFrame(Scene.edges(right: 0, down: 0)))
    let error: Double = Self.error(of: motion, right: right, down: down)
    #expect(error < 0.03, "mean end point error in pixels: \(error)")
  }

  @Test("A motion that is too large to be found at once is found along the frames between")
  func steps() throws {
    let frames: [ReducedFrame] = try (0...10).map {
      ReducedFrame(
        try Scene.edges(
          width: 320, height: 160, scale: 4, right: 6.3 * Double($0), down: 1.7 * Double($0)))
    }
    let steps: [FrameMotion] = try zip(frames.dropFirst(), frames).map { try $0.motion(to: $1) }
    let atOnce: Double = Self.error(of: try frames[10].motion(to: frames[0]), right: 63, down: 17)
    let motion: FrameMotion = try frames[10].motion(to: frames[0], along: steps)
    let error: Double = Self.error(of: motion, right: 63, down: 17, left: 70)
    #expect(atOnce > 1, "the search finds it at once: \(atOnce)")
    #expect(error < 0.1, "mean end point error in pixels: \(error)")
  }

  @Test("Interpolating a sharp picture does not count as a change")
  func interpolation() throws {
    let (picture, other) = try (Scene.edges(right: 0.5, down: 0.5), Scene.edges(right: 0, down: 0))
    let motion: FrameMotion = try ReducedFrame(picture).motion(to: ReducedFrame(other))
    let error: Double = try FilmReport.error(picture, other, motion).squareRoot() * 255
    #expect(error < 8, "the root of E_warp in levels: \(error)")
  }

  /// The mean end point error in pixels, without the edges.
  private static func error(
    of motion: FrameMotion, right: Double, down: Double, left: Int = 16
  ) -> Double {
    var (sum, count): (Double, Double) = (0, 0)
    for y in 8..<motion.height - 8 {
      for x in left / 2..<motion.width - 8 {
        let at: Int = 2 * (y * motion.width + x)
        sum += hypot(2 * Double(motion.flow[at]) + right, 2 * Double(motion.flow[at + 1]) + down)
        count += 1
      }
    }
    return sum / count
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
    let reduced = ReducedFrame(picture)
    var follower = KeyFollower(reduced)
    var finisher = FrameFinisher.plain(stability: 1, size: picture.size)
    var state = PaintingState()
    let results: [Picture] = try (0..<300).map { index in
      state.shotFrames = index + 1
      return try finisher.finish(
        .whole(picture), of: FilmFrame(picture, time: 0),
        motion: index == 0 ? nil : follower.follow(reduced, after: reduced), frameMask: nil,
        state: &state)
    }
    let worst: Int =
      zip(results[299].pixels, results[0].pixels).map { abs(Int($0) - Int($1)) }.max() ?? 255
    #expect(worst == 0)
  }

  @Test(
    "A film's paintings are without patterns of single pixels, and keep brush strokes",
    arguments: [(2, 0.85, 0...0.1), (8, 0.85, 0.8...0.9), (2, 0, 1...1)])
  func softening(wavelength: Int, stability: Double, expected: ClosedRange<Double>) throws {
    let strokes = try Picture(width: 64, height: 48) { pixels in
      for index in pixels.indices {
        let (x, y) = (index / 3 % 64, index / 3 / 64)
        let isBright: Bool = wavelength == 2 ? (x + y) % 2 == 0 : x % 8 < 4
        pixels[index] = isBright ? 168 : 88
      }
    }
    let result: Picture = try blended([strokes], of: [strokes], stability: stability)[0]
    // The amplitude of the wave.
    func strength(_ picture: Picture) -> Double {
      var (cosine, sine): (Double, Double) = (0, 0)
      for y in 4..<44 {
        for x in 8..<56 {
          let sign: Double = wavelength == 2 && y % 2 == 1 ? -1 : 1
          let phase: Double = 2 * .pi * Double(x) / Double(wavelength)
          cosine += sign * cos(phase) * Double(picture.pixels[(y * 64 + x) * 3])
          sine += sign * sin(phase) * Double(picture.pixels[(y * 64 + x) * 3])
        }
      }
      return (cosine * cosine + sine * sine).squareRoot()
    }
    let share: Double = strength(result) / strength(strokes)
    #expect(expected.contains(share), "the share of the pattern that is left: \(share)")
  }

  @Test("Blending along the motion removes flicker")
  func flicker() throws {
    let film: [Picture] = try (0..<12).map { try Scene.picture(right: Double($0)) }
    let paintings: [Picture] = try (0..<12).map {
      try Scene.picture(right: Double($0), brightness: $0.isMultiple(of: 2) ? 15 : -15)
    }
    let results: [Picture] = try blended(paintings, of: film, stability: 0.8)
    func mean(_ picture: Picture) -> Double {
      picture.pixels.reduce(0) { $0 + Double($1) } / Double(picture.width * picture.height * 3)
    }
    let jump: Double = abs(mean(results[11]) - mean(results[10]))
    #expect(jump < 12, "unblended, it is about 30: \(jump)")
    // The blended painting still changes from frame to frame.
    #expect(results[11].pixels != results[10].pixels)
  }

  @Test("A painting that is carried on keeps its detail, and holds still along the motion")
  func detail() throws {
    let film: [Picture] = try (0..<40).map { try Scene.picture(right: Double($0) / 2) }
    // The same brush strokes in each painting, and others that boil.
    let paintings: [Picture] = try film.enumerated().map { index, photo in
      try Picture(width: photo.width, height: photo.height) { pixels in
        for y in 0..<photo.height {
          for x in 0..<photo.width {
            let u = Double(x) - Double(index) / 2
            let strokes: Double = 45 * sin(u / 0.8 + Double(y) / 5) * sin(Double(y) / 3)
            let boiling: Double = 12 * sin(Double(x * 7 + y * 3 + index * index * 5))
            let base = Double(photo.pixels[(y * photo.width + x) * 3])
            let value = UInt8(min(255, max(0, 64 + base / 2 + strokes + boiling)))
            for channel in 0..<3 { pixels[(y * photo.width + x) * 3 + channel] = value }
          }
        }
      }
    }
    let results: [Picture] = try blended(paintings, of: film, stability: 0.85)
    var (own, held, ownDetail, heldDetail): (Double, Double, Double, Double) = (0, 0, 0, 0)
    for index in 20..<40 {
      own += Self.change(paintings[index], paintings[index - 2])
      held += Self.change(results[index], results[index - 2])
      // The first frame of a film is softened, and not blended.
      ownDetail += try Self.detail(
        blended([paintings[index]], of: [film[index]], stability: 0.85)[0])
      heldDetail += Self.detail(results[index])
    }
    #expect(held / own < 0.25, "change along the motion: \(held / own)")
    #expect((0.6...1).contains(heldDetail / ownDetail), "detail: \(heldDetail / ownDetail)")
  }

  @Test("Brush strokes around a moving object do not stay where it was")
  func ghosts() throws {
    func picture(_ index: Int, painted: Bool) throws -> Picture {
      try Picture(width: 200, height: 120) { pixels in
        for y in 0..<120 {
          for x in 0..<200 {
            let (u, v) = (Double(x - 30 - index * 3), Double(y - 60))
            let distance: Double = (u * u + v * v).squareRoot()
            var value: Double = 120
            if distance < 18 {
              value = 128 + 80 * sin(u / 2.5) * sin(v / 3)
            } else if painted, distance < 34 {
              value = 120 + 70 * sin(distance)
            }
            for channel in 0..<3 { pixels[(y * 200 + x) * 3 + channel] = UInt8(value) }
          }
        }
      }
    }
    let film: [Picture] = try (0..<40).map { try picture($0, painted: false) }
    let paintings: [Picture] = try (0..<40).map { try picture($0, painted: true) }
    let results: [Picture] = try blended(paintings, of: film, stability: 0.85)
    var worst: Double = 0
    for y in stride(from: 10, to: 106, by: 8) {
      // Where the object was 20 frames ago.
      for x in stride(from: 40, to: 90, by: 8) {
        var sum: Double = 0
        for row in y..<y + 8 {
          for column in x..<x + 8 {
            sum += abs(Double(results[39].pixels[(row * 200 + column) * 3]) - 120)
          }
        }
        worst = max(worst, sum / 64)
      }
    }
    #expect(worst < 6, "the largest mean difference from the background, in levels: \(worst)")
  }

  /// Blends the paintings of a film's frames.
  private func blended(_ paintings: [Picture], of film: [Picture], stability: Double) throws
    -> [Picture]
  {
    var finisher = FrameFinisher.plain(stability: stability, size: film[0].size)
    var state = PaintingState()
    return try Scene.motions(along: film).enumerated().map { index, motion in
      state.shotFrames = index + 1
      return try finisher.finish(
        .whole(paintings[index]), of: FilmFrame(film[index], time: 0), motion: motion,
        frameMask: nil, state: &state)
    }
  }

  /// The mean squared difference of two frames that are one pixel apart, without the edges.
  private static func change(_ picture: Picture, _ other: Picture) -> Double {
    var sum: Double = 0
    for y in 10..<picture.height - 10 {
      for x in 20..<picture.width - 10 {
        let one = Double(picture.pixels[(y * picture.width + x) * 3])
        let two = Double(other.pixels[(y * picture.width + x - 1) * 3])
        sum += (one - two) * (one - two)
      }
    }
    return sum
  }

  /// The energy of the Laplacian, without the edges.
  private static func detail(_ picture: Picture) -> Double {
    var sum: Double = 0
    let pixels = picture.pixels
    for y in 10..<picture.height - 10 {
      for x in 20..<picture.width - 10 {
        let at: Int = (y * picture.width + x) * 3
        let row: Int = picture.width * 3
        let around =
          Double(pixels[at - 3]) + Double(pixels[at + 3]) + Double(pixels[at - row])
          + Double(pixels[at + row])
        sum += (4 * Double(pixels[at]) - around) * (4 * Double(pixels[at]) - around)
      }
    }
    return sum
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
