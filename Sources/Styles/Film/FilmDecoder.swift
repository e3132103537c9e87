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
  /// How ffmpeg stores the frames. Nil for red, green and blue bytes.
  private let planes: FramePlanes?
  /// The planes of a frame.
  private var bytes: [UInt8]
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
    /// Whether only the first frame of the range is wanted.
    var isSingle = false
  }

  init(_ film: FilmDescription, _ settings: Settings, programs: FilmPrograms) throws {
    size = settings.size
    planes = FramePlanes(of: film, size: settings.size)
    bytes = [UInt8](repeating: 0, count: planes?.byteCount ?? 0)
    // ffmpeg rounds times, so a single frame may be a little early.
    range =
      settings.isSingle
      ? max(0, settings.range.lowerBound - 500)..<settings.range.upperBound : settings.range
    name = film.path
    start = film.start
    let times = FrameTimes()
    self.times = times
    var arguments: [String] = [
      "-nostdin", "-hide_banner", "-nostats", "-loglevel", "level+info", "-copyts",
    ]
    // Seeking to a keyframe is only exact to a few seconds, so `next()` drops the frames before the range.
    let seconds = Double(range.lowerBound) / 1e6
    if settings.isSingle {
      // Seeks exactly, by decoding from the keyframe before.
      if settings.seeks, seconds > 0 { arguments += ["-ss", "\(seconds)"] }
    } else if settings.seeks, settings.rate == nil, seconds > 20 {
      arguments += ["-noaccurate_seek", "-ss", "\(seconds - 10)"]
    }
    if film.isCamera { arguments += ["-f", "v4l2"] }
    arguments += ["-i", FilmDescription.argument(film.path), "-map", "0:\(film.video.index)"]
    let format: String = planes == nil ? "rgb24" : film.pixelFormat ?? "yuv420p"
    arguments += ["-an", "-sn", "-dn", "-vf", Self.filters(film, settings, format)]
    if settings.isSingle { arguments += ["-frames:v", "1"] }
    arguments += ["-fps_mode", "passthrough", "-f", "rawvideo", "-pix_fmt", format, "pipe:1"]
    child = try ChildProcess(programs.ffmpeg, arguments, hasOutput: true) { times.read($0) }
  }

  private static func filters(
    _ film: FilmDescription, _ settings: Settings, _ format: String
  ) -> String {
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
    return (filters + ["format=\(format)", "showinfo=checksum=0"]).joined(separator: ",")
  }

  func next() throws -> FilmFrame? {
    while true {
      guard let picture = try readPicture() else {
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

  /// Reads the next frame. Nil if the output of ffmpeg ends before or within it.
  private func readPicture() throws -> Picture? {
    guard let planes else {
      var count: Int = 0
      let picture = try Picture(width: size.width, height: size.height) { pixels in
        count = child.read(into: UnsafeMutableRawBufferPointer(pixels))
      }
      return count == size.width * size.height * 3 ? picture : nil
    }
    let count: Int = bytes.withUnsafeMutableBytes { child.read(into: $0) }
    return count == planes.byteCount ? try bytes.withUnsafeBufferPointer(planes.picture) : nil
  }

  func stop() { child.stop() }

  var damage: String? {
    guard let line = times.firstError else { return nil }
    let first: Substring = line.hasSuffix(".") ? line.dropLast() : line[...]
    let errors: Int = times.errorCount
    return "'\(name)' is damaged: ffmpeg reported"
      + " \(errors == 1 ? "one error" : "\(errors) errors, the first one"): \(first)."
      + " The \(count) frames that could be read are painted."
  }
}

extension FilmDescription {
  /// Reads the first frame from a time on, in seconds. Nil if there is none.
  public func frame(at seconds: Double, programs: FilmPrograms) throws -> FilmFrame? {
    let begin = Int64((max(0, seconds) * 1e6).rounded())
    let decoder = try FilmDecoder(
      self,
      FilmDecoder.Settings(
        size: size, range: begin..<Int64.max, seeks: !isCamera, isSingle: true),
      programs: programs)
    defer { decoder.stop() }
    return try decoder.next()
  }
}
