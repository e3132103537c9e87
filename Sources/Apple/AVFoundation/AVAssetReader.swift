import CoreVideo
import FFmpeg
import Foundation
import Imaging
import Platform

/// Reads the frames of a film.
///
///     let reader = try AVAssetReader(asset: asset)
///     let output = AVAssetReaderTrackOutput(track: track, outputSettings: [
///       kCVPixelBufferPixelFormatTypeKey as String: kCVPixelFormatType_32BGRA
///     ])
///     reader.add(output)
///     reader.startReading()
///     while let sample = output.copyNextSampleBuffer() { … }
///
/// Frames are as they are stored, so a film with a rotation gives frames that ``AVAssetTrack/preferredTransform`` turns
/// upright.
public final class AVAssetReader: @unchecked Sendable {
  // Sendable: as in Apple's framework, one thread reads. The state is under a lock.

  /// What a reader does.
  public enum Status: Int, Sendable {
    /// Not yet started.
    case unknown
    /// Frames are read.
    case reading
    /// All frames were read.
    case completed
    /// Reading failed; ``AVAssetReader/error`` says why.
    case failed
    /// The caller ended reading.
    case cancelled
  }

  /// The film.
  public let asset: AVAsset
  /// The outputs.
  public private(set) var outputs: [AVAssetReaderOutput] = []
  /// The part of the film that is read. Set it before reading.
  public var timeRange = CMTimeRange(start: .zero, duration: .positiveInfinity)
  private let state: Locked<(status: Status, error: AVError?)> = Locked((.unknown, nil))

  /// Creates a reader.
  ///
  /// - Throws: ``AVError`` if the file is no film.
  public init(asset: AVAsset) throws {
    self.asset = asset
    _ = try asset.film
  }

  /// What the reader does.
  public var status: Status { state.withLock { $0.status } }
  /// Why reading failed.
  public var error: (any Error)? { state.withLock { $0.error } }

  /// Returns whether an output can be added: its track is the film's pictures, and its format is supported.
  public func canAdd(_ output: AVAssetReaderOutput) -> Bool {
    status == .unknown && outputs.isEmpty && output.obstacle == nil
  }

  /// Adds an output. If it cannot be added, reading fails with a sentence that says why.
  public func add(_ output: AVAssetReaderOutput) {
    guard outputs.isEmpty else {
      return fail(
        AVError(.invalidSourceMedia, "A reader reads one track; use another reader for the next."))
    }
    outputs.append(output)
    output.reader = self
    if let obstacle = output.obstacle { fail(AVError(.invalidSourceMedia, obstacle)) }
  }

  /// Starts to read. Returns false if that fails.
  @discardableResult
  public func startReading() -> Bool {
    guard status == .unknown else { return false }
    do {
      for output in outputs { try output.open(timeRange) }
      state.withLock { $0.status = .reading }
      return true
    } catch {
      fail(AVError(error))
      return false
    }
  }

  /// Ends reading.
  public func cancelReading() {
    state.withLock { if $0.status == .reading { $0.status = .cancelled } }
    for output in outputs { output.close() }
  }

  fileprivate func fail(_ error: AVError) {
    state.withLock { $0 = (.failed, $0.error ?? error) }
  }

  fileprivate func complete() {
    state.withLock { if $0.status == .reading { $0.status = .completed } }
  }
}

/// An output of a reader.
public class AVAssetReaderOutput: @unchecked Sendable {
  // Sendable: as in Apple's framework, one thread reads.

  /// The kind of the track.
  public let mediaType: AVMediaType
  /// Whether each sample has memory of its own. Samples always have.
  public var alwaysCopiesSampleData = true
  fileprivate weak var reader: AVAssetReader?

  fileprivate init(_ type: AVMediaType) { mediaType = type }

  /// A sentence that says why the output cannot be used, or nil.
  fileprivate var obstacle: String? { nil }
  fileprivate func open(_ range: CMTimeRange) throws {}
  fileprivate func close() {}

  /// Returns the next sample. Nil after the last one, and if reading fails.
  public func copyNextSampleBuffer() -> CMSampleBuffer? { nil }
}

/// Frames of a track as pixel buffers.
public final class AVAssetReaderTrackOutput: AVAssetReaderOutput, @unchecked Sendable {
  /// The track.
  public let track: AVAssetTrack
  /// The settings: the pixel format, and optionally a width and a height.
  public let outputSettings: [String: Any]?
  private let format: FrameFormat?
  private var frames: AssetFrames?
  private var range: Range<Int64> = 0..<Int64.max
  /// The frame that comes next. Its successor says how long it is shown.
  private var waiting: (buffer: CVPixelBuffer, time: Int64)?

  /// Creates an output.
  ///
  /// - Parameter outputSettings: The pixel format under `kCVPixelBufferPixelFormatTypeKey`.
  public init(track: AVAssetTrack, outputSettings: [String: Any]?) {
    self.track = track
    self.outputSettings = outputSettings
    let wanted: Any? = outputSettings?[kCVPixelBufferPixelFormatTypeKey]
    format = ((wanted as? OSType) ?? (wanted as? NSNumber)?.uint32Value).flatMap { FrameFormat($0) }
    super.init(track.mediaType)
  }

  override fileprivate var obstacle: String? {
    guard track.mediaType == .video, track.track == track.film.video else {
      return "Track \(track.trackID) of '\(track.film.path)' has no pictures that can be read;"
        + " AVAudioFile reads sound files."
    }
    guard format != nil else {
      return "Frames can be read as 32BGRA, 32ARGB, 32RGBA, 24RGB, OneComponent8, 420v or 420f:"
        + " set kCVPixelBufferPixelFormatTypeKey to one of these."
    }
    return nil
  }

  override fileprivate func open(_ wanted: CMTimeRange) throws {
    guard let format else { return }
    let stored: PictureSize = track.film.storedSize
    let (width, height) = (
      outputSettings?[kCVPixelBufferWidthKey] as? Int,
      outputSettings?[kCVPixelBufferHeightKey] as? Int
    )
    let size = PictureSize(width: width ?? stored.width, height: height ?? stored.height)
    let begin: Double = wanted.start.isNumeric ? max(0, wanted.start.seconds) : 0
    let end: Double =
      wanted.duration.isNumeric ? begin + wanted.duration.seconds : Double.infinity
    range = Int64(min(begin, 1e9) * 1e6)..<(end < 1e9 ? Int64((end * 1e6).rounded()) : Int64.max)
    let opened = try AssetFrames(track.film, format, size: size, isUpright: false, begin: begin)
    frames = opened
  }

  override fileprivate func close() {
    frames?.stop()
    frames = nil
    waiting = nil
  }

  override public func copyNextSampleBuffer() -> CMSampleBuffer? {
    guard let reader, reader.status == .reading else { return nil }
    do {
      guard let frame = try waiting ?? next() else {
        reader.complete()
        return nil
      }
      waiting = try next()
      let duration: CMTime =
        waiting.map { CMTime(value: $0.time - frame.time, timescale: 1_000_000) }
        ?? track.film.frameRate.map {
          CMTime(value: Int64($0.denominator), timescale: Int32(clamping: $0.numerator))
        } ?? .invalid
      return try CMSampleBuffer(
        imageBuffer: frame.buffer,
        formatDescription: CMFormatDescription(imageBuffer: frame.buffer),
        sampleTiming: CMSampleTimingInfo(
          duration: duration,
          presentationTimeStamp: CMTime(value: frame.time, timescale: 1_000_000),
          decodeTimeStamp: .invalid))
    } catch {
      reader.fail(AVError(error))
      return nil
    }
  }

  private func next() throws -> (buffer: CVPixelBuffer, time: Int64)? {
    while let frame = try frames?.next() {
      guard frame.time < range.upperBound else { break }
      if frame.time >= range.lowerBound { return frame }
    }
    close()
    return nil
  }
}
