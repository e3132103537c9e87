import Foundation
import Testing

/// Tests the times of frames.
extension FilmCommandTests {
  @Test("A variable frame rate is kept over several segments")
  func variableRate() throws {
    try Fixtures.withFolder { folder in
      try makeFilm(
        "film.mkv", frames: 24,
        more: "-vf settb=1/1000,setpts=PTS+(N*N/400)/TB -fps_mode passthrough",
        in: folder)
      let outcome = try film("film.mkv -o painted.mkv --segment 7", in: folder)
      #expect(outcome.status == 0, "\(outcome.errors)")
      let (before, after) = (
        try times("film.mkv", in: folder), try times("painted.mkv", in: folder)
      )
      #expect(before.count == 24 && Set(zip(before, before.dropFirst()).map { $1 - $0 }).count > 10)
      #expect(zip(before, after).allSatisfy { abs($0 - $1) < 0.0015 } && after.count == 24)
    }
  }

  @Test("An .avi has all frames at their times, to half a frame")
  func avi() throws {
    try Fixtures.withFolder { folder in
      try makeFilm("film.mp4", frames: 20, in: folder)
      let outcome = try film("film.mp4 -o painted.avi --segment 7", in: folder)
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(try frames("painted.avi", in: folder).count == 20)
      let (before, after) = (
        try times("film.mp4", in: folder), try times("painted.avi", in: folder)
      )
      // The format counts frames from a fixed beginning.
      let step: Double = before[1] - before[0]
      #expect(zip(before, after).allSatisfy { abs($0 - $1) < step * 0.51 } && after.count == 20)
    }
  }

  @Test(
    "Films with B-frames have exact times over several segments, and when painted from a second on",
    arguments: ["mp4", "mov", "mkv"], ["40000", "33367", "variable"])
  func futureFrames(format: String, step: String) throws {
    try Fixtures.withFolder { folder in
      let times: String = step == "variable" ? "(mod(N\\,5)*3500+N*20000)" : "N*\(step)"
      let isMatroska: Bool = format == "mkv"
      try makeFilm(
        "film.\(format)", frames: 40,
        more: "-vf settb=1/1000000,setpts=\(times) -fps_mode passthrough -enc_time_base 1/1000000"
          + (isMatroska ? "" : " -video_track_timescale 1000000"), in: folder)
      for begin in ["", "--from 0.5"] {
        let outcome = try film(
          "film.\(format) -o painted.\(format) --segment 11 \(begin)", in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let types: String = try tool(
          "ffprobe",
          "-v error -select_streams v:0 -show_entries frame=pict_type -of csv=p=0 painted.\(format)",
          in: folder)
        #expect(types.contains("B"), "\(types)")
        let whole: [Double] = try self.times("film.\(format)", in: folder)
        // Painting from a second on, the first frame keeps its distance to that second.
        let wanted: [Double] = begin.isEmpty ? whole : whole.filter { $0 >= 0.5 }.map { $0 - 0.5 }
        let painted: [Double] = try self.times("painted.\(format)", in: folder)
        #expect(painted.count == wanted.count && whole.count == 40)
        // Matroska has milliseconds, and so has the beginning of a track in the other formats.
        let first: Double = try #require(painted.first) - wanted[0]
        #expect(abs(first) < 0.0011, "\(first)")
        let most: Double = isMatroska ? 0.0021 : 0.0000015
        #expect(
          zip(painted, wanted).allSatisfy { abs($0 - first - $1) < most }, "\(painted) \(wanted)")
        #expect(try frames("painted.\(format)", in: folder).count == wanted.count)
      }
    }
  }
}
