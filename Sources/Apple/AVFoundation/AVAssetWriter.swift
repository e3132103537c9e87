import CoreVideo
import Dispatch
import FFmpeg
import Foundation
import Imaging
import Platform

/// Writes frames to a film.
///
///     let writer = try AVAssetWriter(outputURL: url, fileType: .mp4)
///     let input = AVAssetWriterInput(mediaType: .video, outputSettings: [
///       AVVideoCodecKey: AVVideoCodecType.h264, AVVideoWidthKey: 640, AVVideoHeightKey: 480,
///     ])
///     let adaptor = AVAssetWriterInputPixelBufferAdaptor(assetWriterInput: input)
///     writer.add(input)
///     writer.startWriting()
///     writer.startSession(atSourceTime: .zero)
///     adaptor.append(buffer, withPresentationTime: time)
///     input.markAsFinished()
///     await writer.finishWriting()
///
/// The film is written beside its place, and gets its name when it is complete.
public final class AVAssetWriter: @unchecked Sendable {
  // Sendable: as in Apple's framework, one thread writes. The state is under a lock.

  /// What a writer does.
  public enum Status: Int, Sendable {
    /// Not yet started.
    case unknown
    /// Frames are written.
    case writing
    /// The film is complete.
    case completed
    /// Writing failed; ``AVAssetWriter/error`` says why.
    case failed
    /// The caller ended writing. There is no film.
    case cancelled
  }

  /// The film.
  public let outputURL: URL
  /// The kind of file.
  public let outputFileType: AVFileType
  /// The inputs.
  public private(set) var inputs: [AVAssetWriterInput] = []
  /// Whether the index comes first in the file, for streaming.
  public var shouldOptimizeForNetworkUse = false
  private let state: Locked<(status: Status, error: AVError?)> = Locked((.unknown, nil))
  private var encoder: AssetEncoder?
  private var start: CMTime = .zero

  /// Creates a writer.
  ///
  /// - Throws: ``AVError`` if ffmpeg is missing, or if there is a file at the URL.
  public init(outputURL: URL, fileType outputFileType: AVFileType) throws {
    self.outputURL = outputURL
    self.outputFileType = outputFileType
    do { _ = try FilmPrograms() } catch { throw AVError(error) }
    try requireNoFile()
  }

  /// Creates a writer.
  ///
  /// - Throws: ``AVError`` if ffmpeg is missing, or if there is a file at the URL.
  public convenience init(url: URL, fileType: AVFileType) throws {
    try self.init(outputURL: url, fileType: fileType)
  }

  private func requireNoFile() throws(AVError) {
    guard !FileManager.default.fileExists(atPath: outputURL.path) else {
      throw AVError(
        .fileAlreadyExists, "'\(outputURL.path)' exists; remove it, or write to another file.")
    }
  }

  /// What the writer does.
  public var status: Status { state.withLock { $0.status } }
  /// Why writing failed.
  public var error: (any Error)? { state.withLock { $0.error } }

  /// Returns whether an input can be added: it takes pictures, and its codec is supported.
  public func canAdd(_ input: AVAssetWriterInput) -> Bool {
    status == .unknown && inputs.isEmpty && input.obstacle == nil
  }

  /// Adds an input. If it cannot be added, writing fails with a sentence that says why.
  public func add(_ input: AVAssetWriterInput) {
    guard inputs.isEmpty else {
      return fail(AVError(.invalidSourceMedia, "A writer writes one track, of pictures."))
    }
    inputs.append(input)
    input.writer = self
    if let obstacle = input.obstacle { fail(AVError(.invalidSourceMedia, obstacle)) }
  }

  /// Starts to write. Returns false if that fails.
  @discardableResult
  public func startWriting() -> Bool {
    guard status == .unknown else { return false }
    do throws(AVError) { try requireNoFile() } catch {
      fail(error)
      return false
    }
    state.withLock { $0.status = .writing }
    return true
  }

  /// Says which time of the frames is the beginning of the film.
  public func startSession(atSourceTime startTime: CMTime) { start = startTime }

  /// Says which time of the frames is the end of the film. Has no effect: the last frame is shown as long as the one
  /// before.
  public func endSession(atSourceTime endTime: CMTime) {}

  /// Completes the film. Afterwards ``status`` is `completed`, or `failed`.
  public func finishWriting() async {
    await withCheckedContinuation { continuation in
      finishWriting { continuation.resume() }
    }
  }

  /// Completes the film on another thread, then calls the closure.
  public func finishWriting(completionHandler handler: @escaping @Sendable () -> Void) {
    DispatchQueue.global().async {
      self.finish()
      handler()
    }
  }

  private func finish() {
    guard status == .writing else { return }
    do {
      guard let encoder else {
        throw AVError(.exportFailed, "'\(outputURL.path)' got no frames; append at least one.")
      }
      try encoder.finish()
      state.withLock { $0.status = .completed }
    } catch { fail(AVError(error)) }
    encoder = nil
  }

  /// Ends writing and removes what was written.
  public func cancelWriting() {
    state.withLock { if $0.status == .writing { $0.status = .cancelled } }
    encoder?.cancel()
    encoder = nil
  }

  fileprivate func fail(_ error: AVError) {
    state.withLock { $0 = (.failed, $0.error ?? error) }
  }

  /// Adds a frame. Returns false if that fails.
  fileprivate func append(
    _ buffer: CVPixelBuffer, at time: CMTime, _ input: AVAssetWriterInput
  ) -> Bool {
    guard status == .writing else { return false }
    do {
      guard time.isNumeric else {
        throw AVError(.invalidSourceMedia, "A frame needs a time, but its time is not a number.")
      }
      let picture = try Picture(buffer)
      let opened: AssetEncoder =
        try encoder
        ?? AssetEncoder(
          outputURL, outputFileType, input,
          PictureSize(width: picture.width, height: picture.height),
          isForNetwork: shouldOptimizeForNetworkUse)
      encoder = opened
      try opened.add(picture, time: Int64(((time - start).seconds * 1e6).rounded()))
      return true
    } catch {
      fail(AVError(error))
      encoder?.cancel()
      encoder = nil
      return false
    }
  }
}

/// An input of a writer: frames of a track.
public final class AVAssetWriterInput: @unchecked Sendable {
  // Sendable: as in Apple's framework, one thread writes.

  /// The kind of the track.
  public let mediaType: AVMediaType
  /// The codec, the width and the height.
  public let outputSettings: [String: Any]?
  /// Whether frames come from a camera. Has no effect.
  public var expectsMediaDataInRealTime = false
  /// The rotation that shows frames upright. Frames are stored rotated accordingly if it is not the identity.
  public var transform = CGAffineTransform(a: 1, b: 0, c: 0, d: 1, tx: 0, ty: 0)
  fileprivate weak var writer: AVAssetWriter?
  private let isFinished = Locked(false)

  /// Creates an input.
  public init(mediaType: AVMediaType, outputSettings: [String: Any]?) {
    self.mediaType = mediaType
    self.outputSettings = outputSettings
  }

  /// Creates an input. The format has no effect, because the first frame states it.
  public convenience init(
    mediaType: AVMediaType, outputSettings: [String: Any]?, sourceFormatHint: CMFormatDescription?
  ) {
    self.init(mediaType: mediaType, outputSettings: outputSettings)
  }

  /// The codec of the settings. H.264 without settings, nil for an unknown one.
  var codec: AVVideoCodecType? {
    guard let value = outputSettings?[AVVideoCodecKey] else { return .h264 }
    let codec =
      (value as? AVVideoCodecType) ?? (value as? String).map { AVVideoCodecType(rawValue: $0) }
    return codec?.encoder == nil ? nil : codec
  }

  /// The clockwise rotation in degrees that the transform has. Nil for other transforms.
  var rotation: Int? {
    switch (transform.a, transform.b, transform.c, transform.d) {
    case (1, 0, 0, 1): 0
    case (0, 1, -1, 0): 90
    case (-1, 0, 0, -1): 180
    case (0, -1, 1, 0): 270
    default: nil
    }
  }

  /// A sentence that says why the input cannot be used, or nil.
  fileprivate var obstacle: String? {
    guard mediaType == .video else {
      return
        "A film is written without sound: add an input of pictures only. `atelier film` keeps the sound."
    }
    guard codec != nil else {
      return
        "The codec '\(outputSettings?[AVVideoCodecKey] ?? "")' is not supported: use h264, hevc or proRes422."
    }
    guard rotation != nil else { return "Frames can be rotated by 90°, 180° and 270° only." }
    return nil
  }

  /// Whether a frame can be appended. While the encoder is busy, appending waits.
  public var isReadyForMoreMediaData: Bool {
    writer?.status == .writing && !isFinished.withLock { $0 }
  }

  /// Adds a frame. Returns false if that fails.
  @discardableResult
  public func append(_ sampleBuffer: CMSampleBuffer) -> Bool {
    guard let buffer = sampleBuffer.imageBuffer else { return false }
    return append(buffer, at: sampleBuffer.presentationTimeStamp)
  }

  fileprivate func append(_ buffer: CVPixelBuffer, at time: CMTime) -> Bool {
    guard isReadyForMoreMediaData else { return false }
    return writer?.append(buffer, at: time, self) ?? false
  }

  /// Says that no more frames come.
  public func markAsFinished() { isFinished.withLock { $0 = true } }

  /// Calls the closure on a queue once; it appends frames until it marks the input as finished.
  public func requestMediaDataWhenReady(
    on queue: DispatchQueue, using block: @escaping @Sendable () -> Void
  ) {
    queue.async { block() }
  }
}

/// Appends pixel buffers to an input of a writer.
public final class AVAssetWriterInputPixelBufferAdaptor: @unchecked Sendable {
  // Sendable: as in Apple's framework, one thread writes.

  /// The input.
  public let assetWriterInput: AVAssetWriterInput
  /// The attributes of the pool's buffers.
  public let sourcePixelBufferAttributes: [String: Any]?
  /// A pool of buffers of the input's size. Nil if neither the attributes nor the input's settings have a size.
  public let pixelBufferPool: CVPixelBufferPool?

  /// Creates an adaptor.
  public init(
    assetWriterInput input: AVAssetWriterInput, sourcePixelBufferAttributes: [String: Any]? = nil
  ) {
    assetWriterInput = input
    self.sourcePixelBufferAttributes = sourcePixelBufferAttributes
    var attributes: [String: Any] = [
      kCVPixelBufferPixelFormatTypeKey: kCVPixelFormatType_32BGRA
    ]
    attributes[kCVPixelBufferWidthKey] = input.outputSettings?[AVVideoWidthKey]
    attributes[kCVPixelBufferHeightKey] = input.outputSettings?[AVVideoHeightKey]
    attributes.merge(sourcePixelBufferAttributes ?? [:]) { $1 }
    var pool: CVPixelBufferPool?
    CVPixelBufferPoolCreate(kCFAllocatorDefault, nil, attributes as CFDictionary, &pool)
    pixelBufferPool = pool
  }

  /// Adds a frame. Returns false if that fails; the writer's ``AVAssetWriter/error`` says why.
  @discardableResult
  public func append(
    _ pixelBuffer: CVPixelBuffer, withPresentationTime presentationTime: CMTime
  ) -> Bool {
    assetWriterInput.append(pixelBuffer, at: presentationTime)
  }
}

/// The kind of a film's file.
public struct AVFileType: RawRepresentable, Hashable, Sendable {
  /// The uniform type identifier.
  public let rawValue: String

  /// Creates a kind.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// QuickTime.
  public static let mov = AVFileType(rawValue: "com.apple.quicktime-movie")
  /// MPEG-4.
  public static let mp4 = AVFileType(rawValue: "public.mpeg-4")
  /// MPEG-4 of Apple's programs.
  public static let m4v = AVFileType(rawValue: "com.apple.m4v-video")

  /// ffmpeg's name. Nil for another kind.
  var muxer: String? {
    switch self {
    case .mov: "mov"
    case .mp4, .m4v: "mp4"
    default: nil
    }
  }
}

/// A codec of pictures.
public struct AVVideoCodecType: RawRepresentable, Hashable, Sendable {
  /// The four characters of the codec.
  public let rawValue: String

  /// Creates a codec.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// H.264.
  public static let h264 = AVVideoCodecType(rawValue: "avc1")
  /// H.265.
  public static let hevc = AVVideoCodecType(rawValue: "hvc1")
  /// ProRes 422.
  public static let proRes422 = AVVideoCodecType(rawValue: "apcn")

  /// The arguments for ffmpeg's encoder. Nil for another codec.
  var encoder: [String]? {
    switch self {
    case .h264: ["-c:v", "libx264", "-preset", "veryfast", "-crf", "18"]
    case .hevc:
      [
        "-c:v", "libx265", "-preset", "veryfast", "-crf", "20", "-tag:v", "hvc1", "-x265-params",
        "log-level=error",
      ]
    case .proRes422: ["-c:v", "prores_ks", "-profile:v", "2"]
    default: nil
    }
  }
}

/// The codec in the settings of an input.
public let AVVideoCodecKey: String = "AVVideoCodecKey"
/// The width in the settings of an input.
public let AVVideoWidthKey: String = "AVVideoWidthKey"
/// The height in the settings of an input.
public let AVVideoHeightKey: String = "AVVideoHeightKey"
/// Further settings of the codec. Not used here.
public let AVVideoCompressionPropertiesKey: String = "AVVideoCompressionPropertiesKey"
/// The bits per second of the codec. Not used here: the quality is constant.
public let AVVideoAverageBitRateKey: String = "AverageBitRate"
