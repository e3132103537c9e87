import FFmpeg
import Foundation

/// The kind of file that a film is written to.
public struct FilmOutputFormat: Sendable, Equatable {
  /// ffmpeg's name of the format.
  let muxer: String
  /// ffmpeg's name of the encoder.
  let codec: String
  /// Whether the file is an animated picture. Its segments are lossless, and the complete film is encoded at the end.
  let isAnimation: Bool
  /// Whether the file holds the rotation of its frames.
  let holdsRotation: Bool
  /// The codec for text subtitles. Nil to copy them.
  let textSubtitles: String?
  /// Whether the file may hold subtitles that are pictures.
  let holdsPictureSubtitles: Bool
  /// The codec for audio tracks that the file cannot hold.
  let audioCodec: String

  /// The file name extensions of films.
  public static let extensions = ["mp4", "m4v", "mov", "mkv", "webm", "avi", "gif", "apng", "webp"]

  /// Returns the format for a file name.
  ///
  /// - Parameter codec: ffmpeg's name of an encoder. Nil for the usual one.
  public init(path: String, codec: String?) throws {
    let type: String = URL(fileURLWithPath: path).pathExtension.lowercased()
    let usual: String
    switch type {
    case "mp4", "m4v", "mov": (muxer, usual) = (type == "mov" ? "mov" : "mp4", "libx264")
    case "mkv": (muxer, usual) = ("matroska", "libx264")
    case "webm": (muxer, usual) = ("webm", "libvpx-vp9")
    case "avi": (muxer, usual) = ("avi", "mpeg4")
    case "gif", "apng": (muxer, usual) = (type, type)
    case "webp": (muxer, usual) = ("webp", "libwebp_anim")
    default:
      throw FilmError(
        .settings,
        "'\(path)' is no film: expected a name that ends with .\(Self.extensions.joined(separator: ", ."))."
      )
    }
    self.codec = codec ?? usual
    isAnimation = ["gif", "apng", "webp"].contains(muxer)
    holdsRotation = muxer == "mp4" || muxer == "mov"
    textSubtitles = holdsRotation ? "mov_text" : muxer == "webm" ? "webvtt" : nil
    holdsPictureSubtitles = muxer == "matroska"
    audioCodec = muxer == "webm" ? "libopus" : "aac"
  }

  /// Whether frames may depend on later ones (B-frames). A file .avi has no times of presentation, so there they cannot.
  var hasBFrames: Bool { codec == "libx264" && muxer != "avi" }

  /// Whether the file may hold tracks other than the frames.
  var hasTracks: Bool { !isAnimation }
}
