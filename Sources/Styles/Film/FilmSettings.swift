import Foundation
import Imaging

/// How a film is read, painted and written.
public struct FilmSettings: Sendable {
  /// The beginning of the part that is painted, in seconds. Nil for the film's.
  public var from: Double?
  /// The end of that part. Nil for the film's.
  public var to: Double?
  /// The number of frames per second, such as `25` or `30000/1001`. Nil for the film's own times.
  public var rate: String?
  /// The longer side of the frames. Nil for the film's.
  public var longerSide: Int?
  /// ffmpeg's name of the encoder. Nil for the usual one of the file's format.
  public var codec: String?
  /// The constant quality of the encoder; smaller is better. Nil for the usual one.
  public var quality: Int?
  /// How much a painting follows the previous one, 0…1. 0 paints each frame independently.
  public var stability: Double = FilmSettings.defaultStability
  /// The longer side at which the network paints at most. Larger frames are painted at a half, a third, … of their size,
  /// and the paintings are enlarged.
  public var largestPaintedSide = FilmSettings.defaultPaintedSide
  /// The size of raw frames on standard input.
  public var rawSize: PictureSize?
  /// The number of frames of a segment. After an interruption, at most this number of frames is painted again.
  public var segmentLength = 120
  /// Other properties that change the frames, such as the style, as text. If they differ from those of the finished
  /// segments, painting starts again.
  public var styleText: String = ""

  /// The default stability: it removes the flicker, but brush strokes still move a little.
  public static let defaultStability = 0.85

  /// The default of ``largestPaintedSide``.
  public static let defaultPaintedSide = 1280

  /// Creates the default settings.
  public init() {}

  /// The number of frames per second for input without times: ``rate``, or 25.
  var rateOrUsual: Double {
    let parts: [Double] = (rate ?? "25").split(separator: "/").compactMap { Double($0) }
    return parts.count == 2 ? parts[0] / parts[1] : parts.first ?? 25
  }

  /// Returns the size of painted frames for a film's size. A scaled size is rounded up to even sides, which most codecs
  /// need. The film's own size is not changed.
  public func size(for film: PictureSize) -> PictureSize {
    guard let longerSide, longerSide != film.longerSide else { return film }
    let scaled: PictureSize = film.scaled(toLongerSide: longerSide)
    return PictureSize(
      width: max(2, (scaled.width + 1) / 2 * 2), height: max(2, (scaled.height + 1) / 2 * 2))
  }

  /// The integer by which frames of a size are reduced for the network.
  func reduction(for size: PictureSize) -> Int {
    max(1, (size.longerSide + largestPaintedSide - 1) / largestPaintedSide)
  }

  /// Returns the size at which the network paints frames of a size.
  public func paintedSize(for size: PictureSize) -> PictureSize {
    let factor: Int = reduction(for: size)
    return PictureSize(
      width: (size.width + factor - 1) / factor, height: (size.height + factor - 1) / factor)
  }

  /// The part that is painted, in microseconds since the beginning of the film.
  var range: Range<Int64> {
    let begin = Int64((max(0, from ?? 0) * 1e6).rounded())
    return begin..<max(begin, to.map { Int64(($0 * 1e6).rounded()) } ?? Int64.max)
  }
}

/// The progress of painting a film.
public struct FilmProgress: Sendable {
  /// The number of frames that this run painted.
  public let painted: Int
  /// The number of finished frames, including those of earlier runs.
  public let done: Int
  /// The number of frames of the film. Nil if unknown.
  public let total: Int?
  /// The frames per second of this run.
  public let framesPerSecond: Double
}

/// The result of painting a film.
public struct FilmResult: Sendable {
  /// The number of frames of the film.
  public let frames: Int
  /// The number of frames that this run painted.
  public let painted: Int
  /// The size of the frames.
  public let size: PictureSize
  /// The times of the parts of this run.
  public let times: FilmTimes
  /// Sentences for the user about parts that could not be read or copied, or were converted.
  public let notes: [String]
  /// Whether the work was stopped before its end.
  public let wasStopped: Bool
  /// Whether the result was written. If not, finished segments stay.
  public let isWritten: Bool
}
