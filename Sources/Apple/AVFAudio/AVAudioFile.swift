import CAudio

/// An audio file to read or to write, through libsndfile: WAV, AIFF, CAF, FLAC, Ogg and MP3, but not M4A.
open class AVAudioFile: NSObject, @unchecked Sendable {
  // Sendable as Apple's: the caller must not use the file on two threads at once.

  /// The file.
  public let url: URL
  /// The format of the samples in the file.
  public let fileFormat: AVAudioFormat
  /// The format of the samples that a caller reads or writes. The default is float32 with a buffer for each channel.
  public let processingFormat: AVAudioFormat
  private var handle: OpaquePointer?
  /// The path of the file until the file is complete; nil for a file to read.
  private let unfinished: String?
  private var frameCount: AVAudioFramePosition
  private var position: AVAudioFramePosition = 0

  /// Opens a file to read.
  public convenience init(forReading fileURL: URL) throws {
    try self.init(forReading: fileURL, commonFormat: .pcmFormatFloat32, interleaved: false)
  }

  /// Opens a file to read samples of a type.
  public init(forReading fileURL: URL, commonFormat format: AVAudioCommonFormat, interleaved: Bool)
    throws
  {
    var info = CAudioInfo()
    guard let handle = caudio_open(fileURL.path, &info) else {
      throw audioError(
        AudioErrorCode.unsupportedFile,
        "The audio file \(fileURL.path) cannot be read: \(String(cString: caudio_error()))."
          + " Expected WAV, AIFF, CAF, FLAC, Ogg or MP3; convert other files with ffmpeg.")
    }
    guard
      let processing = AVAudioFormat(
        commonFormat: format, sampleRate: Double(info.sample_rate),
        channels: AVAudioChannelCount(clamping: info.channels), interleaved: interleaved),
      let stored = FileKind(code: info.format).format(
        rate: Double(info.sample_rate), channels: AVAudioChannelCount(clamping: info.channels))
    else {
      _ = caudio_close(handle)
      throw audioError(
        AudioErrorCode.unsupportedFormat,
        "The audio file \(fileURL.path) has \(info.channels) channels, expected 1 to 65,535.")
    }
    url = fileURL
    processingFormat = processing
    fileFormat = stored
    unfinished = nil
    frameCount = info.frames
    self.handle = handle
  }

  /// Creates a file. See `init(forWriting:settings:commonFormat:interleaved:)`.
  public convenience init(forWriting fileURL: URL, settings: [String: Any]) throws {
    try self.init(
      forWriting: fileURL, settings: settings, commonFormat: .pcmFormatFloat32, interleaved: false)
  }

  /// Creates a file. The extension of its name chooses the container: wav, aiff, caf, flac, ogg or mp3. The file appears
  /// when `close()` is called or the object is released.
  ///
  /// - Parameters:
  ///   - settings: The rate, the number of channels and the type of the samples in the file.
  ///   - format: The type of the samples that the caller writes.
  public init(
    forWriting fileURL: URL, settings: [String: Any], commonFormat format: AVAudioCommonFormat,
    interleaved: Bool
  ) throws {
    var linear: [String: Any] = settings
    linear[AVFormatIDKey] = nil
    guard let wanted = AVAudioFormat(settings: linear),
      let processing = AVAudioFormat(
        commonFormat: format, sampleRate: wanted.sampleRate, channels: wanted.channelCount,
        interleaved: interleaved)
    else {
      throw audioError(
        AudioErrorCode.unsupportedFormat,
        "The audio file \(fileURL.path) cannot be written: its settings lack AVSampleRateKey or"
          + " AVNumberOfChannelsKey.")
    }
    guard let kind = FileKind(fileExtension: fileURL.pathExtension, samples: wanted) else {
      throw audioError(
        AudioErrorCode.unsupportedFile,
        "The audio file \(fileURL.path) cannot be written: its extension is"
          + " '\(fileURL.pathExtension)', expected wav, aiff, caf, flac, ogg or mp3.")
    }
    var info = CAudioInfo(
      frames: 0, sample_rate: Int32(clamping: Int(wanted.sampleRate)),
      channels: Int32(clamping: wanted.channelCount), format: kind.code)
    let path: String = fileURL.path + ".\(UUID().uuidString).part"
    guard let handle = caudio_create(path, &info) else {
      throw audioError(
        AudioErrorCode.unsupportedFile,
        "The audio file \(fileURL.path) cannot be written: \(String(cString: caudio_error())).")
    }
    url = fileURL
    processingFormat = processing
    fileFormat =
      kind.format(rate: wanted.sampleRate, channels: wanted.channelCount) ?? processing
    unfinished = path
    frameCount = 0
    self.handle = handle
  }

  deinit { close() }

  /// Closes the file. Completes a file to write before closing it. Later calls have no effect.
  open func close() {
    guard let handle else { return }
    self.handle = nil
    let isComplete: Bool = caudio_close(handle) == 0
    guard let unfinished else { return }
    if !isComplete || rename(unfinished, url.path) != 0 { unlink(unfinished) }
  }

  /// Whether the file is open.
  public var isOpen: Bool { handle != nil }

  /// The number of frames.
  public var length: AVAudioFramePosition { frameCount }

  /// The frame that is read next.
  public var framePosition: AVAudioFramePosition {
    get { position }
    set {
      guard let handle, unfinished == nil else { return }
      let found: Int64 = caudio_seek(handle, max(0, min(newValue, frameCount)))
      if found >= 0 { position = found }
    }
  }

  /// Reads as many frames as the buffer can hold.
  open func read(into buffer: AVAudioPCMBuffer) throws {
    try read(into: buffer, frameCount: buffer.frameCapacity)
  }

  /// Reads frames, and sets the buffer's `frameLength` to their number. This number is smaller than `frames` at the end
  /// of the file.
  ///
  /// - Throws: `NSError` if the file has ended, or if the buffer's format is not `processingFormat`.
  open func read(into buffer: AVAudioPCMBuffer, frameCount frames: AVAudioFrameCount) throws {
    guard buffer.format == processingFormat else { throw unfitting(buffer) }
    buffer.frameLength = 0
    guard let handle, unfinished == nil else {
      throw audioError(AudioErrorCode.failed, "The audio file \(url.path) is not open to read.")
    }
    let wanted = Int(min(frames, buffer.frameCapacity))
    var samples = [Float](repeating: 0, count: wanted * Int(processingFormat.channelCount))
    let count: Int64 = caudio_read(handle, &samples, Int64(wanted))
    guard count > 0 || wanted == 0 else {
      throw audioError(
        AudioErrorCode.endOfFile,
        "The audio file \(url.path) has ended after \(position) frames: there is nothing to read.")
    }
    position += count
    buffer.store(samples[..<(Int(count) * Int(processingFormat.channelCount))], from: 0)
  }

  /// Writes all frames of a buffer.
  open func write(from buffer: AVAudioPCMBuffer) throws {
    guard buffer.format == processingFormat else { throw unfitting(buffer) }
    guard let handle, unfinished != nil else {
      throw audioError(AudioErrorCode.failed, "The audio file \(url.path) is not open to write.")
    }
    let frames = Int(buffer.frameLength)
    let samples: [Float] = buffer.interleaved(0..<frames)
    guard caudio_write(handle, samples, Int64(frames)) == frames else {
      throw audioError(
        AudioErrorCode.failed,
        "The audio file \(url.path) could not be written: \(String(cString: caudio_error())).")
    }
    frameCount += Int64(frames)
    position = frameCount
  }

  private func unfitting(_ buffer: AVAudioPCMBuffer) -> NSError {
    audioError(
      AudioErrorCode.unsupportedFormat,
      "The audio file \(url.path) got a buffer with the format \(buffer.format), expected its"
        + " processingFormat \(processingFormat).")
  }
}

/// The container and the sample type of a file, as numbers of libsndfile.
struct FileKind {
  let code: Int32

  init(code: Int32) { self.code = code }

  /// The kind for a file's extension; nil if libsndfile writes no such file.
  init?(fileExtension: String, samples: AVAudioFormat) {
    let isFloat: Bool =
      samples.commonFormat == .pcmFormatFloat32 || samples.commonFormat == .pcmFormatFloat64
    let linear: Int32
    switch samples.commonFormat {
    case .pcmFormatFloat64: linear = 0x07
    case .pcmFormatFloat32: linear = 0x06
    case .pcmFormatInt32: linear = 0x04
    default: linear = 0x02
    }
    switch fileExtension.lowercased() {
    case "wav", "wave": code = 0x01_0000 | linear
    case "aif", "aiff": code = 0x02_0000 | linear
    case "caf": code = 0x18_0000 | linear
    case "flac": code = 0x17_0000 | (isFloat || linear == 0x04 ? 0x03 : 0x02)
    case "ogg", "oga": code = 0x20_0000 | 0x60
    case "mp3": code = 0x23_0000 | 0x82
    default: return nil
    }
  }

  /// The format of the file's samples.
  func format(rate: Double, channels: AVAudioChannelCount) -> AVAudioFormat? {
    let common: AVAudioCommonFormat
    switch code & 0xffff {
    case 0x01, 0x02, 0x05: common = .pcmFormatInt16
    case 0x03, 0x04: common = .pcmFormatInt32
    case 0x07: common = .pcmFormatFloat64
    default: common = .pcmFormatFloat32
    }
    return AVAudioFormat(
      commonFormat: common, sampleRate: rate, channels: channels, interleaved: true)
  }
}
