import FFmpeg
import Foundation
import Imaging
import Platform

/// A film or a sound file.
///
/// ffprobe reads the file when a property is first used, so ffmpeg must be installed. ``load(_:)`` throws an
/// ``AVError`` if that fails; the older properties are then empty.
open class AVAsset: @unchecked Sendable {
  // Sendable: the URL is a constant, and a lock protects the description.

  /// The file.
  let location: URL
  private let found: Locked<Result<FilmDescription, AVError>?> = Locked(nil)

  /// Creates an asset for a file.
  public init(url: URL) { location = url }

  /// The description of the file. Read once.
  var film: FilmDescription {
    get throws(AVError) {
      try found.withLock { found in
        if let found { return found }
        let result: Result<FilmDescription, AVError> = Result {
          try FilmDescription(location.path, programs: FilmPrograms())
        }.mapError { AVError($0) }
        found = result
        return result
      }.get()
    }
  }

  /// Loads a property.
  public func load<Value>(_ property: AVAsyncProperty<AVAsset, Value>) async throws -> Value {
    try property.value(self)
  }

  /// Loads two properties.
  public func load<First, Second>(
    _ first: AVAsyncProperty<AVAsset, First>, _ second: AVAsyncProperty<AVAsset, Second>
  ) async throws -> (First, Second) {
    (try first.value(self), try second.value(self))
  }

  /// Loads the tracks of a kind.
  public func loadTracks(withMediaType mediaType: AVMediaType) async throws -> [AVAssetTrack] {
    try allTracks().filter { $0.mediaType == mediaType }
  }

  /// The duration. Zero if the file cannot be read.
  public var duration: CMTime { (try? duration(of: film)) ?? .zero }

  /// The tracks. Empty if the file cannot be read.
  public var tracks: [AVAssetTrack] { (try? allTracks()) ?? [] }

  /// Returns the tracks of a kind. Empty if the file cannot be read.
  public func tracks(withMediaType mediaType: AVMediaType) -> [AVAssetTrack] {
    tracks.filter { $0.mediaType == mediaType }
  }

  /// Whether the file can be read as a film.
  public var isReadable: Bool { (try? film) != nil }

  fileprivate func duration(of film: FilmDescription) -> CMTime {
    CMTime(seconds: film.duration ?? 0, preferredTimescale: 1_000_000)
  }

  func allTracks() throws(AVError) -> [AVAssetTrack] {
    let film: FilmDescription = try self.film
    return film.tracks.compactMap { track in
      AVMediaType(kind: track.kind).map { AVAssetTrack(self, film, track, $0) }
    }
  }
}

/// A film or a sound file at a URL.
open class AVURLAsset: AVAsset, @unchecked Sendable {
  /// The file.
  public var url: URL { location }

  /// Creates an asset for a file. The options have no effect.
  public init(url: URL, options: [String: Any]? = nil) { super.init(url: url) }
}

/// A property that is loaded: `try await asset.load(.duration)`.
public struct AVAsyncProperty<Root, Value>: Sendable {
  let value: @Sendable (Root) throws -> Value
}

extension AVAsyncProperty where Root == AVAsset, Value == CMTime {
  /// The duration.
  public static var duration: Self { Self { $0.duration(of: try $0.film) } }
}

extension AVAsyncProperty where Root == AVAsset, Value == [AVAssetTrack] {
  /// The tracks.
  public static var tracks: Self { Self { try $0.allTracks() } }
}

extension AVAsyncProperty where Root == AVAsset, Value == Bool {
  /// Whether the file can be read as a film.
  public static var isReadable: Self { Self { $0.isReadable } }
  /// Whether the file can be read as a film.
  public static var isPlayable: Self { Self { $0.isReadable } }
}

/// The kind of a track.
public struct AVMediaType: RawRepresentable, Hashable, Sendable {
  /// The four characters of the kind.
  public let rawValue: String

  /// Creates a kind.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Pictures.
  public static let video = AVMediaType(rawValue: "vide")
  /// Sound.
  public static let audio = AVMediaType(rawValue: "soun")
  /// Subtitles.
  public static let subtitle = AVMediaType(rawValue: "sbtl")

  /// - Parameter kind: ffprobe's name of the kind.
  init?(kind: String) {
    switch kind {
    case "video": self = .video
    case "audio": self = .audio
    case "subtitle": self = .subtitle
    default: return nil
    }
  }
}

/// A track of a film.
public final class AVAssetTrack: Sendable {
  /// The film.
  public let asset: AVAsset?
  /// The kind of the track.
  public let mediaType: AVMediaType
  /// The number of the track, from 1.
  public let trackID: Int32
  let film: FilmDescription
  let track: FilmDescription.Track

  init(
    _ asset: AVAsset, _ film: FilmDescription, _ track: FilmDescription.Track, _ type: AVMediaType
  ) {
    self.asset = asset
    self.film = film
    self.track = track
    mediaType = type
    trackID = Int32(clamping: track.index + 1)
  }

  private var isVideo: Bool { track == film.video }

  /// The size of the stored frames, before ``preferredTransform``. Zero for other tracks than the film's pictures.
  public var naturalSize: CGSize {
    guard isVideo else { return CGSize() }
    let size: PictureSize = film.storedSize
    return CGSize(width: size.width, height: size.height)
  }

  /// The rotation that shows frames upright.
  public var preferredTransform: CGAffineTransform {
    let size: CGSize = naturalSize
    return switch isVideo ? film.rotation : 0 {
    case 90: CGAffineTransform(a: 0, b: 1, c: -1, d: 0, tx: size.height, ty: 0)
    case 180: CGAffineTransform(a: -1, b: 0, c: 0, d: -1, tx: size.width, ty: size.height)
    case 270: CGAffineTransform(a: 0, b: -1, c: 1, d: 0, tx: 0, ty: size.width)
    default: CGAffineTransform(a: 1, b: 0, c: 0, d: 1, tx: 0, ty: 0)
    }
  }

  /// The mean number of frames per second. 0 if unknown.
  public var nominalFrameRate: Float {
    guard isVideo, let rate = film.frameRate else { return 0 }
    return Float(rate.numerator) / Float(rate.denominator)
  }

  /// The time during which the track is shown.
  public var timeRange: CMTimeRange {
    CMTimeRange(
      start: .zero,
      duration: CMTime(seconds: film.duration ?? 0, preferredTimescale: 1_000_000))
  }

  /// Loads a property.
  public func load<Value>(_ property: AVAsyncProperty<AVAssetTrack, Value>) async throws -> Value {
    try property.value(self)
  }

  /// Loads two properties.
  public func load<First, Second>(
    _ first: AVAsyncProperty<AVAssetTrack, First>, _ second: AVAsyncProperty<AVAssetTrack, Second>
  ) async throws -> (First, Second) {
    (try first.value(self), try second.value(self))
  }

  /// Loads three properties.
  public func load<First, Second, Third>(
    _ first: AVAsyncProperty<AVAssetTrack, First>, _ second: AVAsyncProperty<AVAssetTrack, Second>,
    _ third: AVAsyncProperty<AVAssetTrack, Third>
  ) async throws -> (First, Second, Third) {
    (try first.value(self), try second.value(self), try third.value(self))
  }
}

extension AVAsyncProperty where Root == AVAssetTrack, Value == CGSize {
  /// The size of the stored frames.
  public static var naturalSize: Self { Self { $0.naturalSize } }
}

extension AVAsyncProperty where Root == AVAssetTrack, Value == CGAffineTransform {
  /// The rotation that shows frames upright.
  public static var preferredTransform: Self { Self { $0.preferredTransform } }
}

extension AVAsyncProperty where Root == AVAssetTrack, Value == Float {
  /// The mean number of frames per second.
  public static var nominalFrameRate: Self { Self { $0.nominalFrameRate } }
}

extension AVAsyncProperty where Root == AVAssetTrack, Value == CMTimeRange {
  /// The time during which the track is shown.
  public static var timeRange: Self { Self { $0.timeRange } }
}

extension FilmDescription {
  /// The size of the stored frames, before the rotation.
  var storedSize: PictureSize {
    rotation % 180 == 0 ? size : PictureSize(width: size.height, height: size.width)
  }
}

/// An error of AVFoundation: a code, and a sentence for people.
public struct AVError: Error, Sendable, Hashable, LocalizedError, CustomStringConvertible {
  /// The kind of failure.
  public enum Code: Int, Sendable, Hashable {
    /// Another failure, such as a missing ffmpeg.
    case unknown = -11800
    /// The file is no film.
    case fileFormatNotRecognized = -11828
    /// A file exists where one would be written.
    case fileAlreadyExists = -11823
    /// The film cannot be decoded.
    case decodeFailed = -11821
    /// The film cannot be encoded or written.
    case exportFailed = -11820
    /// A setting is not supported.
    case invalidSourceMedia = -11822
    /// There is no frame at the time.
    case noImageAtTime = -11832
    /// The caller cancelled.
    case operationCancelled = -11878
  }

  /// The kind of failure.
  public let code: Code
  /// A sentence that says what failed.
  public let message: String

  init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// Copies an error of the programs that read and write films.
  init(_ error: any Error) {
    switch error {
    case let error as AVError: self = error
    case let error as FilmError:
      self.init(error.code == .film ? .fileFormatNotRecognized : .unknown, error.message)
    default: self.init(.unknown, "\(error)")
    }
  }

  /// The same as ``message``.
  public var description: String { message }
  /// The same as ``message``.
  public var errorDescription: String? { message }
}
