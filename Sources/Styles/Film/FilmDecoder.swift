import FFmpeg
import Foundation
import Imaging
import Platform

/// Reads the frames of a film with ffmpeg: upright, in sRGB, with their exact times.
///
/// `@unchecked Sendable`: one thread calls ``next()``. A lock protects the data from ffmpeg's standard error.
final class FilmDecoder: FrameSource, @unchecked Sendable {
  private let child: ChildProcess
  private let size: PictureSize
  private let name: String
  private let times: FrameTimes
  /// The part to read, in microseconds since the beginning of the film.
  private let range: Range<Int64>
  private let start: Double
  private var count: Int = 0
  private var last: Int64?

  /// The settings of a decoder.
  struct Settings {
    /// The size of the frames.
    var size: PictureSize
    /// The number of frames per second. Nil for the film's.
    var rate: String?
    /// The part to read, in microseconds since the beginning of the film.
    var range: Range<Int64> = 0..<Int64.max
    /// Whether ffmpeg may seek to a keyframe shortly before the range.
    var seeks = true
  }

  init(_ film: FilmDescription, _ settings: Settings, programs: FilmPrograms) throws {
    size = settings.size
    range = settings.range
    name = film.path
    start = film.start
    let times = FrameTimes()
    self.times = times
    var arguments: [String] = [
      "-nostdin", "-hide_banner", "-nostats", "-loglevel", "level+info", "-copyts",
    ]
    // Seeking to a keyframe is only exact to a few seconds, so `next()` drops the frames before the range.
    let seconds = Double(range.lowerBound) / 1e6
    if settings.seeks, settings.rate == nil, seconds > 20 {
      arguments += ["-noaccurate_seek", "-ss", "\(seconds - 10)"]
    }
    if film.isCamera { arguments += ["-f", "v4l2"] }
    arguments += ["-i", FilmDescription.argument(film.path), "-map", "0:\(film.video.index)"]
    arguments += ["-an", "-sn", "-dn", "-vf", Self.filters(film, settings)]
    arguments += ["-fps_mode", "passthrough", "-f", "rawvideo", "-pix_fmt", "rgb24", "pipe:1"]
    child = try ChildProcess(programs.ffmpeg, arguments, hasOutput: true) { times.read($0) }
  }

  private static func filters(_ film: FilmDescription, _ settings: Settings) -> String {
    var filters: [String] = []
    if film.isHDR {
      filters += [
        "zscale=t=linear:npl=100", "format=gbrpf32le", "zscale=p=bt709",
        "tonemap=tonemap=hable:desat=0", "zscale=t=iec61966-2-1", "format=gbrp",
      ]
    }
    if let rate = settings.rate { filters.append("fps=\(rate)") }
    filters.append(
      "scale=\(settings.size.width):\(settings.size.height):flags=lanczos+accurate_rnd")
    return (filters + ["format=rgb24", "showinfo=checksum=0"]).joined(separator: ",")
  }

  func next() throws -> FilmFrame? {
    while true {
      var read: Int = 0
      let picture = try Picture(width: size.width, height: size.height) { pixels in
        read = child.read(into: UnsafeMutableRawBufferPointer(pixels))
      }
      guard read == size.width * size.height * 3 else {
        let failure: String? = child.wait()
        guard !child.wasEndedBySignal else {
          throw FilmError(.program, "A signal ended ffmpeg while it read '\(name)'.")
        }
        if count == 0 {
          throw FilmError(
            .film,
            "No frame of '\(name)' could be read: \(failure ?? times.firstError ?? "it is empty").")
        }
        return nil
      }
      count += 1
      // In some damaged films, a frame has no time, or an earlier time than the previous frame.
      var time: Int64 = times.take().map { $0 - Int64((start * 1e6).rounded()) } ?? (last ?? -1) + 1
      if let last, time <= last { time = last + 1 }
      last = time
      guard time < range.upperBound else { return nil }
      if time >= range.lowerBound { return FilmFrame(picture, time: time) }
    }
  }

  func stop() { child.stop() }

  var damage: String? {
    guard let first = times.firstError else { return nil }
    let errors: Int = times.errorCount
    return "'\(name)' is damaged: ffmpeg reported"
      + " \(errors == 1 ? "one error" : "\(errors) errors, the first one"): \(first)."
      + " The \(count) frames that could be read are painted."
  }
}
