import FFmpeg
import Foundation
import Imaging

/// Encodes one segment of a film: passes frames to ffmpeg, which writes a file with a single video track.
///
/// The file is in the format NUT, which holds exact times of presentation. It has no times of decoding: ffmpeg derives them
/// for the complete film. So frames of x264 may depend on later ones of the segment (B-frames), and there is no gap
/// between the segments of a film.
final class SegmentEncoder {
  /// The settings that all segments of a film have in common.
  struct Settings: Sendable {
    /// ffmpeg's encoder.
    var codec: String
    /// The constant quality. Nil for the encoder's default.
    var quality: Int?
    /// Whether the encoding is lossless, for animations.
    var isLossless: Bool
    /// ffmpeg's filters before encoding, such as the rotation back.
    var filters: [String]
    /// Whether frames may depend on later ones of their segment.
    var hasBFrames: Bool
    /// The colour matrix of the encoded frames. Nil for BT.601, which the file then does not state.
    var matrix: String?
    /// The size of the frames before the filters.
    var size: PictureSize
  }

  private let child: ChildProcess
  /// How frames go to ffmpeg. Nil for red, green and blue bytes.
  private let planes: FramePlanes?
  private var bytes: [UInt8]
  private let path: String
  private let begin: Int64

  /// Starts to encode.
  ///
  /// - Parameter begin: The time of the first frame in microseconds, which becomes zero.
  init(_ path: String, begin: Int64, _ settings: Settings, programs: FilmPrograms) throws {
    self.path = path
    self.begin = begin
    let planes: FramePlanes? = Self.planes(settings)
    self.planes = planes
    bytes = [UInt8](repeating: 0, count: planes?.byteCount ?? 0)
    var arguments: [String] = ["-nostdin", "-hide_banner", "-loglevel", "error", "-f", "matroska"]
    arguments += ["-i", "pipe:0", "-an"]
    arguments += settings.isLossless ? Self.lossless : Self.lossy(settings)
    // MPEG-4's counts of ticks have 16 bits. The time of a frame is then exact to 17 µs.
    let ticks: Int = settings.codec == "mpeg4" ? 60_000 : 1_000_000
    arguments += ["-fps_mode", "passthrough", "-enc_time_base", "1/\(ticks)", "-f", "nut", "-y"]
    child = try ChildProcess(
      programs.ffmpeg, arguments + [FilmDescription.argument(path)], hasInput: true)
    try write(
      MatroskaFrames.header(
        width: settings.size.width, height: settings.size.height,
        format: planes == nil ? .pixels : .planes))
  }

  /// Frames with an odd side cannot have chroma at half the size.
  private static func planes(_ settings: Settings) -> FramePlanes? {
    guard !settings.isLossless, settings.size.width % 2 == 0, settings.size.height % 2 == 0
    else { return nil }
    return FramePlanes(
      size: settings.size, isBT709: settings.matrix == "bt709", isFullRange: false)
  }

  private static let lossless: [String] = [
    "-c:v", "libx264rgb", "-qp", "0", "-preset", "ultrafast", "-bf", "0", "-pix_fmt", "rgb24",
  ]

  private static func lossy(_ settings: Settings) -> [String] {
    let known: [String: String] = ["bt709": "bt709", "smpte170m": "bt601", "bt470bg": "bt601"]
    let matrix: String? = settings.matrix.flatMap { known[$0] == nil ? nil : $0 }
    let conversion: [String] =
      planes(settings) == nil
      ? [
        "scale=out_color_matrix=\(matrix.flatMap { known[$0] } ?? "bt601"):out_range=tv",
        "format=yuv444p",
      ] : ["format=yuv420p"]
    var arguments: [String] = [
      "-vf", (settings.filters + conversion).joined(separator: ","),
      "-c:v", settings.codec,
    ]
    arguments += ["-bf", settings.hasBFrames ? "3" : "0"]
    if let matrix { arguments += ["-colorspace", matrix, "-color_range", "tv"] }
    if matrix == "bt709" { arguments += ["-color_primaries", "bt709", "-color_trc", "bt709"] }
    switch settings.codec {
    case "libx264", "libx265":
      // A painting hardly changes along the motion, so what coding changes from frame to frame is most of what changes.
      // Without adaptive quantisation, and with a finer search of the motion, it is less at the same number of bytes.
      let usual: Int = settings.codec == "libx264" ? 10 : 12
      arguments += ["-preset", "veryfast", "-crf", "\(settings.quality ?? usual)"]
      arguments +=
        settings.codec == "libx264"
        ? ["-x264-params", "aq-mode=0:subme=4"]
        : ["-x265-params", "log-level=error:bframes=0:aq-mode=0"]
    case "libvpx-vp9":
      arguments += [
        "-crf", "\(settings.quality ?? 14)", "-b:v", "0", "-deadline", "realtime", "-cpu-used", "6",
      ]
    case "mpeg4": arguments += ["-q:v", "\(settings.quality ?? 3)"]
    default: if let quality = settings.quality { arguments += ["-crf", "\(quality)"] }
    }
    return arguments
  }

  /// Adds a frame.
  func add(_ frame: FilmFrame) throws {
    if let planes {
      try bytes.withUnsafeMutableBufferPointer { try planes.write(frame.picture, to: $0) }
      try write(MatroskaFrames.prefix(time: frame.time - begin, byteCount: planes.byteCount))
      return try write(bytes)
    }
    try frame.picture.withPixels { (pixels: UnsafeBufferPointer<UInt8>) in
      try write(MatroskaFrames.prefix(time: frame.time - begin, byteCount: pixels.count))
      guard child.write(UnsafeRawBufferPointer(pixels)) else { throw failure() }
    }
  }

  /// Ends the segment. When this function returns, the file is complete and on the disk.
  func finish() throws {
    child.closeInput()
    if let sentence = child.wait() { throw error(sentence) }
    let descriptor: Int32 = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw error("there is no file") }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 || errno == EINVAL else {
      throw error(String(cString: strerror(errno)))
    }
  }

  /// Ends encoding, and removes the file.
  func cancel() {
    child.stop()
    unlink(path)
  }

  private func write(_ bytes: [UInt8]) throws {
    guard bytes.withUnsafeBytes({ child.write($0) }) else { throw failure() }
  }

  private func failure() -> FilmError {
    child.closeInput()
    return error(child.wait() ?? "it ended early")
  }

  private func error(_ sentence: String) -> FilmError {
    let lines: [String] = child.errorLines
    // An earlier line contains the system's reason. The last line says only that ffmpeg ends.
    let reason: String =
      lines.first { $0.contains("No space left") } ?? lines.first ?? sentence
    return FilmError(.output, "ffmpeg could not write '\(path)': \(reason)")
  }
}
