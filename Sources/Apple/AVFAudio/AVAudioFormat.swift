/// The format of samples: rate, channels, type and order.
///
/// `@unchecked Sendable`: the description is never changed.
open class AVAudioFormat: NSObject, @unchecked Sendable {
  private let stream: UnsafeMutablePointer<AudioStreamBasicDescription>

  /// Makes the format of a description. Returns nil if the description has no channels or no linear samples.
  public init?(streamDescription asbd: UnsafePointer<AudioStreamBasicDescription>) {
    guard asbd.pointee.mChannelsPerFrame > 0, asbd.pointee.mSampleRate > 0 else { return nil }
    stream = .allocate(capacity: 1)
    stream.initialize(to: asbd.pointee)
  }

  /// Makes the format of float32 samples with a buffer for each channel. Returns nil for 0 channels.
  public convenience init?(
    standardFormatWithSampleRate sampleRate: Double, channels: AVAudioChannelCount
  ) {
    self.init(
      commonFormat: .pcmFormatFloat32, sampleRate: sampleRate, channels: channels,
      interleaved: false)
  }

  /// Makes the format of samples of a type. If `interleaved` is true, the channels alternate in one buffer. Returns nil
  /// for 0 channels.
  public convenience init?(
    commonFormat format: AVAudioCommonFormat, sampleRate: Double, channels: AVAudioChannelCount,
    interleaved: Bool
  ) {
    guard format != .otherFormat, channels > 0, channels < 65_536 else { return nil }
    let isFloat: Bool = format == .pcmFormatFloat32 || format == .pcmFormatFloat64
    let bytes = UInt32(format.byteCount)
    let frame: UInt32 = interleaved ? bytes * channels : bytes
    var asbd = AudioStreamBasicDescription(
      mSampleRate: sampleRate, mFormatID: kAudioFormatLinearPCM,
      mFormatFlags: kAudioFormatFlagIsPacked
        | (isFloat ? kAudioFormatFlagIsFloat : kAudioFormatFlagIsSignedInteger)
        | (interleaved ? 0 : kAudioFormatFlagIsNonInterleaved),
      mBytesPerPacket: frame, mFramesPerPacket: 1, mBytesPerFrame: frame,
      mChannelsPerFrame: channels, mBitsPerChannel: bytes * 8, mReserved: 0)
    self.init(streamDescription: &asbd)
  }

  /// Makes the format that settings describe. Returns nil if the settings do not describe linear samples.
  public convenience init?(settings: [String: Any]) {
    func number(_ key: String) -> Double? {
      (settings[key] as? NSNumber)?.doubleValue ?? plain(settings[key])
    }
    guard number(AVFormatIDKey).map({ $0 == Double(kAudioFormatLinearPCM) }) ?? true,
      let rate = number(AVSampleRateKey), let channels = number(AVNumberOfChannelsKey),
      let count = AVAudioChannelCount(exactly: channels)
    else { return nil }
    let isFloat: Bool = settings[AVLinearPCMIsFloatKey] as? Bool ?? false
    let format: AVAudioCommonFormat
    switch (isFloat, number(AVLinearPCMBitDepthKey) ?? (isFloat ? 32 : 16)) {
    case (true, 64): format = .pcmFormatFloat64
    case (true, _): format = .pcmFormatFloat32
    case (false, 32): format = .pcmFormatInt32
    default: format = .pcmFormatInt16
    }
    self.init(
      commonFormat: format, sampleRate: rate, channels: count,
      interleaved: !(settings[AVLinearPCMIsNonInterleaved] as? Bool ?? false))
  }

  deinit { stream.deallocate() }

  /// The description.
  public var streamDescription: UnsafePointer<AudioStreamBasicDescription> {
    UnsafePointer(stream)
  }

  /// The frames per second.
  public var sampleRate: Double { stream.pointee.mSampleRate }

  /// The number of channels.
  public var channelCount: AVAudioChannelCount { stream.pointee.mChannelsPerFrame }

  /// Whether the channels alternate in one buffer.
  public var isInterleaved: Bool {
    stream.pointee.mFormatFlags & kAudioFormatFlagIsNonInterleaved == 0
  }

  /// Whether samples are float32 with a buffer for each channel.
  public var isStandard: Bool { commonFormat == .pcmFormatFloat32 && !isInterleaved }

  /// The type of the samples.
  public var commonFormat: AVAudioCommonFormat {
    let asbd: AudioStreamBasicDescription = stream.pointee
    guard asbd.mFormatID == kAudioFormatLinearPCM,
      asbd.mFormatFlags & kAudioFormatFlagIsBigEndian == 0
    else { return .otherFormat }
    if asbd.mFormatFlags & kAudioFormatFlagIsFloat != 0 {
      switch asbd.mBitsPerChannel {
      case 32: return .pcmFormatFloat32
      case 64: return .pcmFormatFloat64
      default: return .otherFormat
      }
    }
    guard asbd.mFormatFlags & kAudioFormatFlagIsSignedInteger != 0 else { return .otherFormat }
    switch asbd.mBitsPerChannel {
    case 16: return .pcmFormatInt16
    case 32: return .pcmFormatInt32
    default: return .otherFormat
    }
  }

  /// The settings that describe the format.
  public var settings: [String: Any] {
    let asbd: AudioStreamBasicDescription = stream.pointee
    return [
      AVFormatIDKey: Int(asbd.mFormatID), AVSampleRateKey: asbd.mSampleRate,
      AVNumberOfChannelsKey: Int(asbd.mChannelsPerFrame),
      AVLinearPCMBitDepthKey: Int(asbd.mBitsPerChannel),
      AVLinearPCMIsFloatKey: asbd.mFormatFlags & kAudioFormatFlagIsFloat != 0,
      AVLinearPCMIsBigEndianKey: asbd.mFormatFlags & kAudioFormatFlagIsBigEndian != 0,
      AVLinearPCMIsNonInterleaved: !isInterleaved,
    ]
  }

  /// Formats are equal if their descriptions are equal.
  override open func isEqual(_ object: Any?) -> Bool {
    (object as? AVAudioFormat)?.stream.pointee == stream.pointee
  }

  /// A hash of the rate and the channels.
  override open var hash: Int { sampleRate.hashValue ^ Int(channelCount) }

  /// The channels, the rate and the type, such as “1 ch, 16000 Hz, Float32”.
  override open var description: String {
    let type: String
    switch commonFormat {
    case .pcmFormatFloat32: type = "Float32"
    case .pcmFormatFloat64: type = "Float64"
    case .pcmFormatInt16: type = "Int16"
    case .pcmFormatInt32: type = "Int32"
    case .otherFormat: type = "another format"
    }
    return "<AVAudioFormat: \(channelCount) ch, \(Int(sampleRate)) Hz, \(type)"
      + (isInterleaved ? ", interleaved>" : ">")
  }
}

/// Returns a setting as a number if the value is a Swift number and not an `NSNumber`.
private func plain(_ value: Any?) -> Double? {
  switch value {
  case let number as Double: number
  case let number as any BinaryInteger: Double(Int(clamping: number))
  default: nil
  }
}
