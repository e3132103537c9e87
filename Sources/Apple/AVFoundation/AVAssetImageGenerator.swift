import CoreVideo
import FFmpeg
import Foundation
import Imaging

/// Makes pictures of single frames of a film.
public final class AVAssetImageGenerator: @unchecked Sendable {
  // Sendable: as in Apple's framework, the settings are made before pictures are.

  /// The film.
  public let asset: AVAsset
  /// Whether pictures are upright. If not, they are as the film stores them.
  public var appliesPreferredTrackTransform = false
  /// The size into which pictures fit. Zero for the film's own.
  public var maximumSize = CGSize()
  /// How much earlier than asked a picture may be. Pictures are always exact.
  public var requestedTimeToleranceBefore: CMTime = .positiveInfinity
  /// How much later than asked a picture may be. Pictures are always exact.
  public var requestedTimeToleranceAfter: CMTime = .positiveInfinity

  /// Creates a generator.
  public init(asset: AVAsset) { self.asset = asset }

  /// Creates a generator.
  public convenience init(_ asset: AVAsset) { self.init(asset: asset) }

  /// Returns the picture that is shown at a time.
  ///
  /// - Parameter actualTime: Gets the time of the frame.
  /// - Throws: ``AVError`` if there is no frame at the time.
  public func copyCGImage(
    at requestedTime: CMTime, actualTime: UnsafeMutablePointer<CMTime>?
  ) throws -> CGImage {
    let (image, time) = try picture(at: requestedTime)
    actualTime?.pointee = time
    return image
  }

  /// Returns the picture that is shown at a time, and the time of its frame.
  public func image(at time: CMTime) async throws -> (image: CGImage, actualTime: CMTime) {
    try picture(at: time)
  }

  /// Makes a picture on another thread.
  public func generateCGImageAsynchronously(
    for requestedTime: CMTime,
    completionHandler: @escaping @Sendable (CGImage?, CMTime, (any Error)?) -> Void
  ) {
    Task {
      do {
        let (image, time) = try await image(at: requestedTime)
        completionHandler(image, time, nil)
      } catch { completionHandler(nil, .invalid, error) }
    }
  }

  private func picture(at requested: CMTime) throws -> (image: CGImage, actualTime: CMTime) {
    let film: FilmDescription = try asset.film
    guard requested.isNumeric, requested.seconds >= 0,
      film.duration.map({ requested.seconds <= $0 })
        ?? true
    else {
      throw AVError(
        .noImageAtTime,
        "'\(film.path)' has no frame at \(requested.seconds) s; it is \(film.duration ?? 0) s long."
      )
    }
    let wanted: Double = requested.seconds
    // The frame that is shown is the last one that begins before the time. It is searched among the frames of two
    // seconds first, because most films have several frames each second.
    for span in [2.0, .infinity] {
      if let found = try last(of: film, before: wanted, span: span) { return found }
    }
    throw AVError(.noImageAtTime, "'\(film.path)' has no frame at \(wanted) s.")
  }

  private func last(
    of film: FilmDescription, before wanted: Double, span: Double
  ) throws -> (image: CGImage, actualTime: CMTime)? {
    let size: PictureSize = appliesPreferredTrackTransform ? film.size : film.storedSize
    // With -copyts, times count from the film's own first time.
    let end: Double = wanted + film.start + 1e-6
    let begin: Double = span.isFinite ? end - span : -1e9
    let frames = try AssetFrames(
      film, FrameFormat(kCVPixelFormatType_32BGRA)!, size: fitted(size),
      isUpright: appliesPreferredTrackTransform, begin: span.isFinite ? wanted - span : 0,
      filters: ["select=between(t\\,\(begin)\\,\(end))"])
    defer { frames.stop() }
    var found: (buffer: CVPixelBuffer, time: Int64)?
    do {
      while let frame = try frames.next() { found = frame }
    } catch let error as AVError where error.code == .decodeFailed && span.isFinite { return nil }
    guard let found else { return nil }
    return (
      try CGImage(Picture(found.buffer)), CMTime(value: found.time, timescale: 1_000_000)
    )
  }

  private func fitted(_ size: PictureSize) -> PictureSize {
    let (width, height) = (Double(maximumSize.width), Double(maximumSize.height))
    let factor: Double = min(
      1, width > 0 ? width / Double(size.width) : 1, height > 0 ? height / Double(size.height) : 1)
    return PictureSize(
      width: max(1, Int((Double(size.width) * factor).rounded())),
      height: max(1, Int((Double(size.height) * factor).rounded())))
  }
}
