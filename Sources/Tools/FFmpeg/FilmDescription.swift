import Foundation
import Imaging

/// The properties of a film and its tracks, as ffprobe reports them.
public struct FilmDescription: Sendable {
  /// A track of the film.
  public struct Track: Sendable, Equatable {
    /// The number of the track in the file.
    public let index: Int
    /// `video`, `audio`, `subtitle`, `attachment` or `data`.
    public let kind: String
    /// The name of the codec.
    public let codec: String
    /// Whether the track is a still picture, such as a cover.
    public let isPicture: Bool
  }

  /// The file or device.
  public let path: String
  /// All tracks.
  public let tracks: [Track]
  /// The track whose frames are painted.
  public let video: Track
  /// The position of that track among the video tracks.
  public let videoPosition: Int
  /// The size of an upright frame in pixels.
  public let size: PictureSize
  /// The clockwise rotation of a stored frame for display, in degrees: 0, 90, 180 or 270.
  public let rotation: Int
  /// The aspect ratio of a pixel, such as `4/3`. Nil for square pixels.
  public let pixelAspect: String?
  /// The mean number of frames per second, as a fraction. Nil if unknown.
  public let frameRate: (numerator: Int, denominator: Int)?
  /// The number of units per second of the track's timestamps.
  public let timescale: Int
  /// The time of the first timestamp of the file, in seconds.
  public let start: Double
  /// The duration in seconds. Nil for cameras and for truncated files.
  public let duration: Double?
  /// Whether the film has a high dynamic range.
  public let isHDR: Bool
  /// The colour matrix of the stored frames: `bt709`, `smpte170m`, and others. Nil if the film does not say.
  public let matrix: String?
  /// ffmpeg's name of the format of the stored frames, such as `yuv420p`.
  public let pixelFormat: String?
  /// Whether the stored luma has the range 0…255, not 16…235.
  public let isFullRange: Bool
  /// Whether ffmpeg reads the input as a camera.
  public var isCamera: Bool { path.hasPrefix("/dev/video") }

  /// The expected number of frames. Nil if unknown.
  public var frameCount: Int? {
    guard let duration, let frameRate else { return nil }
    let count = duration * Double(frameRate.numerator) / Double(frameRate.denominator)
    return count.isFinite && count < 1e12 ? Int(count.rounded()) : nil
  }

  /// Reads the description of a film with ffprobe.
  ///
  /// - Parameter formats: The names of ffmpeg's demuxers that may read the file. Nil for all.
  /// - Throws: ``FilmError`` if the file is missing, is no film, or has no pictures.
  public init(_ path: String, programs: FilmPrograms, formats: [String]? = nil) throws {
    let isCamera: Bool = path.hasPrefix("/dev/video")
    let (text, failure) = try ChildProcess.output(
      of: programs.ffprobe,
      ["-loglevel", "error", "-print_format", "json", "-show_streams", "-show_format"]
        + (formats.map { ["-format_whitelist", $0.joined(separator: ",")] } ?? [])
        + (isCamera ? ["-f", "v4l2"] : []) + ["-i", Self.argument(path)])
    guard let report = try? JSONDecoder().decode(Report.self, from: Data(text.utf8)),
      let streams = report.streams, !streams.isEmpty
    else {
      throw FilmError(
        .film, "'\(path)' cannot be read as a film: \(failure ?? "it has no tracks").")
    }
    self.path = path
    tracks = streams.map {
      Track(
        index: $0.index, kind: $0.codec_type ?? "data", codec: $0.codec_name ?? "unknown",
        isPicture: $0.disposition?.attached_pic == 1)
    }
    guard
      let stream = streams.first(where: {
        $0.codec_type == "video" && $0.disposition?.attached_pic != 1
      }), let width = stream.width, let height = stream.height, width > 0, height > 0
    else {
      throw FilmError(
        .film, "'\(path)' has no pictures, only \(tracks.map(\.kind).joined(separator: ", ")).")
    }
    guard let video = tracks.first(where: { $0.index == stream.index }) else {
      throw FilmError(.film, "'\(path)' has no pictures.")
    }
    self.video = video
    videoPosition = tracks.filter { $0.kind == "video" && $0.index < stream.index }.count
    let angle: Double = stream.side_data_list?.compactMap(\.rotation).first ?? 0
    let turned: Int = angle.isFinite ? Int((-angle).rounded()) % 360 : 0
    rotation = [90, 180, 270].contains((turned + 360) % 360) ? (turned + 360) % 360 : 0
    size =
      rotation % 180 == 0
      ? PictureSize(width: width, height: height) : PictureSize(width: height, height: width)
    let aspect: String? = stream.sample_aspect_ratio?.replacingOccurrences(of: ":", with: "/")
    pixelAspect = aspect == "1/1" || aspect == "0/1" || aspect == "N/A" ? nil : aspect
    frameRate = Self.fraction(stream.avg_frame_rate) ?? Self.fraction(stream.r_frame_rate)
    timescale = Self.fraction(stream.time_base)?.denominator ?? 1_000_000
    start = report.format?.start_time.flatMap(Double.init) ?? 0
    duration = (stream.duration ?? report.format?.duration).flatMap(Double.init)
    isHDR = ["smpte2084", "arib-std-b67"].contains(stream.color_transfer ?? "")
    matrix = stream.color_space == "unknown" ? nil : stream.color_space
    pixelFormat = stream.pix_fmt
    isFullRange = stream.color_range == "pc"
  }

  /// Counts the frames and measures the duration in seconds, by reading all packets. Files that were recorded by a browser
  /// do not state them.
  public func measured(programs: FilmPrograms) throws -> (frames: Int, seconds: Double) {
    let (text, failure) = try ChildProcess.output(
      of: programs.ffprobe,
      [
        "-loglevel", "error", "-select_streams", "\(video.index)", "-show_entries",
        "packet=pts_time,duration_time", "-of", "csv=p=0", "-i", Self.argument(path),
      ])
    var count: Int = 0
    var (first, end): (Double, Double) = (.infinity, -.infinity)
    for line in text.split(separator: "\n") {
      let numbers: [Double?] = line.split(separator: ",").map { Double($0) }
      count += 1
      guard let time = numbers.first ?? nil else { continue }
      first = min(first, time)
      end = max(end, time + ((numbers.count > 1 ? numbers[1] : nil) ?? 0))
    }
    guard count > 0 else {
      throw FilmError(.film, "No frame of '\(path)' could be read: \(failure ?? "it is empty").")
    }
    return (count, end > first ? end - first : 0)
  }

  /// Returns a form of a path that ffmpeg does not mistake for an option or a protocol.
  package static func argument(_ path: String) -> String {
    path.hasPrefix("/") ? path : "file:" + path
  }

  private static func fraction(_ text: String?) -> (numerator: Int, denominator: Int)? {
    let parts: [Int] = (text ?? "").split(separator: "/").compactMap { Int($0) }
    return parts.count == 2 && parts[0] > 0 && parts[1] > 0 ? (parts[0], parts[1]) : nil
  }
}

/// The JSON that ffprobe writes, with ffprobe's names.
private struct Report: Decodable {
  var streams: [Stream]?
  var format: Format?

  struct Format: Decodable {
    var start_time: String?
    var duration: String?
  }

  struct Stream: Decodable {
    var index: Int
    var codec_type: String?
    var codec_name: String?
    var width: Int?
    var height: Int?
    var sample_aspect_ratio: String?
    var avg_frame_rate: String?
    var r_frame_rate: String?
    var time_base: String?
    var duration: String?
    var color_transfer: String?
    var color_space: String?
    var color_range: String?
    var pix_fmt: String?
    var disposition: Disposition?
    var side_data_list: [SideData]?
  }

  struct Disposition: Decodable { var attached_pic: Int? }
  struct SideData: Decodable { var rotation: Double? }
}
