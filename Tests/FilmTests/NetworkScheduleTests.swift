import Foundation
import Imaging
import Testing

@testable import Film

/// Tests which parts of frames the network paints.
@Suite
struct NetworkScheduleTests {
  /// A disc that moves over waves, before a camera that pans.
  private static func film(_ count: Int, width: Int = 400, height: Int = 240) throws -> [Picture] {
    try (0..<count).map { index in
      let photo = try Scene.picture(width: width, height: height, right: Double(index))
      return try Picture(width: width, height: height) { pixels in
        _ = pixels.initialize(from: photo.pixels)
        for y in 0..<height {
          for x in 0..<width {
            let (u, v) = (Double(x - 120 - index * 3), Double(y - 100))
            guard u * u + v * v < 400 else { continue }
            for channel in 0..<3 {
              pixels[(y * width + x) * 3 + channel] = UInt8(128 + 90 * sin(u / 2) * sin(v / 3))
            }
          }
        }
      }
    }
  }

  /// Calls the closure with the motion and the work of each frame.
  private static func follow(
    _ film: [Picture], margin: Int?, _ body: (Int, ShotMotion?, NetworkWork) throws -> Void
  ) throws {
    var schedule = NetworkSchedule(size: film[0].size, margin: margin)
    for (index, motion) in try Scene.motions(along: film).enumerated() {
      try body(index, motion, schedule.next(motion, shotFrames: index + 1))
    }
  }

  @Test("Complete frames begin a shot and end a key; the statistics move as if all were complete")
  func completeFrames() throws {
    let film: [Picture] = try Self.film(32)
    var areas: [Int] = []
    try Self.follow(film, margin: 32) { index, motion, work in
      switch work.share {
      case .whole:
        #expect(index < 8 || motion?.endsKey == true, "frame \(index)")
        let each: Double = index < 8 ? 1 / Double(index + 1) : 1 / 8
        let gap: Int = index < 8 ? 1 : index == 10 ? 3 : 10
        #expect(abs(work.rate - (1 - pow(1 - each, Double(gap)))) < 1e-9, "frame \(index)")
      case .parts(let parts, _):
        #expect(index >= 8 && motion?.endsKey == false, "frame \(index)")
        #expect(work.rate == 0)
        areas.append(parts.reduce(0) { $0 + $1.inputColumns.count * $1.inputRows.count })
      }
    }
    // In every second frame, the disc and the edges are most of such a small frame.
    #expect(areas.count(where: { $0 < 400 * 240 * 3 / 4 }) >= areas.count / 2, "\(areas)")
    try Self.follow(Array(film.prefix(12)), margin: nil) { index, _, work in
      guard case .whole = work.share else {
        Issue.record("A network that paints no parts must paint frame \(index) completely.")
        return
      }
    }
  }

  @Test(
    "Parts hold all needed cells and what is blended beside them, and the network sees a margin",
    arguments: [(400, 240), (411, 237), (64, 48), (1030, 131)])
  func parts(width: Int, height: Int) throws {
    let film: [Picture] = try Self.film(14, width: width, height: height)
    try Self.follow(film, margin: 32) { index, _, work in
      guard case .parts(let parts, let cells) = work.share else { return }
      let across: Int = (width + cells.side - 1) / cells.side
      #expect(cells.cells.count == across * ((height + cells.side - 1) / cells.side))
      for (place, cell) in cells.cells.enumerated() where cell != 0 {
        let (x, y) = (place % across * cells.side, place / across * cells.side)
        let half: Int = cells.side / 2
        for (column, row) in [
          (x - half, y - half), (x + cells.side + half - 1, y + cells.side + half - 1),
        ] {
          let (atX, atY) = (min(max(0, column), width - 1), min(max(0, row), height - 1))
          #expect(
            parts.contains { $0.columns.contains(atX) && $0.rows.contains(atY) },
            "frame \(index): \(atX), \(atY)")
        }
      }
      for part in parts {
        for (used, input, length) in [
          (part.columns, part.inputColumns, width), (part.rows, part.inputRows, height),
        ] {
          #expect(input.lowerBound % 16 == 0 && (input.count - length) % 16 == 0)
          #expect(input.lowerBound >= 0 && input.upperBound <= length)
          #expect(input.lowerBound <= max(0, used.lowerBound - 32))
          #expect(input.upperBound >= min(length, used.upperBound + 32))
        }
      }
    }
  }

  @Test("A film that is painted in parts looks as if all frames were painted completely")
  func sameFilm() throws {
    let film: [Picture] = try Self.film(40)
    /// The painting of a frame: what moves leaves rings around it.
    func painting(_ index: Int) throws -> Picture {
      try Picture(width: 400, height: 240) { pixels in
        let photo: [UInt8] = film[index].pixels
        for y in 0..<240 {
          for x in 0..<400 {
            let (u, v) = (Double(x - 120 - index * 3), Double(y - 100))
            let distance: Double = (u * u + v * v).squareRoot()
            let ring: Double = distance > 20 && distance < 34 ? 60 * sin(distance) : 0
            for channel in 0..<3 {
              let at: Int = (y * 400 + x) * 3 + channel
              pixels[at] = UInt8(min(255, max(0, 0.7 * Double(photo[at]) + 30 + ring)))
            }
          }
        }
      }
    }
    var whole = FrameFinisher.plain(stability: 0.85, size: film[0].size)
    var parted = whole
    var (wholeState, partedState) = (PaintingState(), PaintingState())
    var (painted, worst): (Int, Double) = (0, 0)
    try Self.follow(film, margin: 32) { index, motion, work in
      let frame = FilmFrame(film[index], time: 0)
      let own: Picture = try painting(index)
      (wholeState.shotFrames, partedState.shotFrames) = (index + 1, index + 1)
      let expected: Picture = try whole.finish(
        .whole(own), of: frame, motion: motion, frameMask: nil, state: &wholeState)
      var share = OwnPainting.whole(own)
      if case .parts(let parts, let cells) = work.share {
        share = .parts(
          cells,
          try parts.map { part in
            painted += part.columns.count * part.rows.count
            return (
              part,
              try own.cropped(
                x: part.columns.lowerBound, y: part.rows.lowerBound, width: part.columns.count,
                height: part.rows.count)
            )
          })
      } else {
        painted += 400 * 240
      }
      let result: Picture = try parted.finish(
        share, of: frame, motion: motion, frameMask: nil, state: &partedState)
      // The largest mean difference of a block, in levels.
      let (one, other) = (expected.pixels, result.pixels)
      for top in stride(from: 0, to: 240, by: 8) {
        for left in stride(from: 0, to: 400, by: 8) {
          var sum: Int = 0
          for y in top..<top + 8 {
            for at in (y * 400 + left) * 3..<(y * 400 + left + 8) * 3 {
              sum += abs(Int(one[at]) - Int(other[at]))
            }
          }
          worst = max(worst, Double(sum) / 192)
        }
      }
    }
    #expect(worst < 20, "the largest mean difference in levels: \(worst)")
    #expect(painted < 400 * 240 * 40 * 65 / 100, "share: \(Double(painted) / (400 * 240 * 40))")
  }
}
