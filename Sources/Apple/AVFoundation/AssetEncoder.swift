import FFmpeg
import Foundation
import Imaging

/// Encodes frames with ffmpeg to a file beside the film, which gets the film's name at the end.
///
/// `@unchecked Sendable`: one thread at a time uses it.
final class AssetEncoder: @unchecked Sendable {
  private let child: ChildProcess
  private let target: String
  private let draft: String
  private let size: PictureSize
  private var last: Int64 = -1

  /// - Parameter size: The size of the frames.
  init(
    _ location: URL, _ type: AVFileType, _ input: AVAssetWriterInput, _ size: PictureSize,
    isForNetwork: Bool
  ) throws {
    target = location.path
    self.size = size
    let folder: String = location.deletingLastPathComponent().path
    draft = folder + "/." + location.lastPathComponent + ".\(UUID().uuidString.prefix(8))"
    guard let muxer = type.muxer, let encoder = input.codec?.encoder, let rotation = input.rotation
    else {
      throw AVError(
        .invalidSourceMedia,
        "A film of the type '\(type.rawValue)' cannot be written: use mov, mp4 or m4v.")
    }
    let wanted = PictureSize(
      width: input.outputSettings?[AVVideoWidthKey] as? Int ?? size.width,
      height: input.outputSettings?[AVVideoHeightKey] as? Int ?? size.height)
    // Frames with an odd side cannot have chroma at half the size.
    let isEven: Bool = wanted.width % 2 == 0 && wanted.height % 2 == 0
    let format: String =
      input.codec == .proRes422 ? "yuv422p10le" : isEven ? "yuv420p" : "yuv444p"
    let matrix: String = wanted.height >= 720 ? "bt709" : "bt601"
    let turned: [Int: [String]] = [
      90: ["transpose=clock"], 180: ["hflip", "vflip"], 270: ["transpose=cclock"],
    ]
    let filters: [String] =
      [
        "scale=\(wanted.width):\(wanted.height):flags=lanczos:out_color_matrix=\(matrix):out_range=tv"
      ]
      + ["format=\(format)"] + (turned[rotation] ?? [])
    var arguments: [String] = ["-nostdin", "-hide_banner", "-loglevel", "error", "-f", "matroska"]
    arguments += ["-i", "pipe:0", "-an", "-vf", filters.joined(separator: ",")] + encoder
    arguments += ["-colorspace", matrix == "bt709" ? "bt709" : "smpte170m", "-color_range", "tv"]
    arguments += ["-fps_mode", "passthrough", "-enc_time_base", "1/1000000"]
    arguments += ["-video_track_timescale", "1000000"]
    if isForNetwork { arguments += ["-movflags", "+faststart"] }
    child = try ChildProcess(
      FilmPrograms().ffmpeg,
      arguments + ["-f", muxer, "-y", FilmDescription.argument(draft)], hasInput: true)
    try write(MatroskaFrames.header(width: size.width, height: size.height))
  }

  /// Adds a frame.
  ///
  /// - Parameter time: The time in microseconds, after that of the frame before.
  func add(_ picture: Picture, time: Int64) throws {
    guard picture.width == size.width, picture.height == size.height else {
      throw AVError(
        .invalidSourceMedia,
        "A frame of \(picture.width) × \(picture.height) was appended to a film of \(size)"
          + " frames; scale it first.")
    }
    guard time > last else {
      throw AVError(
        .invalidSourceMedia,
        "A frame at \(Double(time) / 1e6) s was appended after one at \(Double(last) / 1e6) s;"
          + " append frames in the order of their times, from the session's start.")
    }
    last = time
    try picture.withPixels { (pixels: UnsafeBufferPointer<UInt8>) in
      try write(MatroskaFrames.prefix(time: time, byteCount: pixels.count))
      guard child.write(UnsafeRawBufferPointer(pixels)) else { throw failure() }
    }
  }

  /// Ends encoding, and gives the file its name.
  func finish() throws {
    child.closeInput()
    if let sentence = child.wait() {
      unlink(draft)
      throw error(sentence)
    }
    guard rename(draft, target) == 0 else {
      let reason = String(cString: strerror(errno))
      unlink(draft)
      throw error(reason)
    }
  }

  /// Ends encoding, and removes the file.
  func cancel() {
    child.stop()
    unlink(draft)
  }

  private func write(_ bytes: [UInt8]) throws {
    guard bytes.withUnsafeBytes({ child.write($0) }) else { throw failure() }
  }

  private func failure() -> AVError {
    child.closeInput()
    return error(child.wait() ?? "it ended early")
  }

  private func error(_ sentence: String) -> AVError {
    AVError(
      .exportFailed,
      "ffmpeg could not write '\(target)': \(child.errorLines.first ?? sentence).")
  }
}
