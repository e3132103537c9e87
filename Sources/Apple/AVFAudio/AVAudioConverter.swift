import CAudio

/// The status of a conversion's source.
public enum AVAudioConverterInputStatus: Int, Sendable {
  /// The source returned frames.
  case haveData = 0
  /// The source has no frames now, but may have some later.
  case noDataNow = 1
  /// The source has ended.
  case endOfStream = 2
}

/// The status of a conversion.
public enum AVAudioConverterOutputStatus: Int, Sendable {
  /// The conversion wrote frames.
  case haveData = 0
  /// The source had too few frames. The conversion wrote the frames that the source had.
  case inputRanDry = 1
  /// The source has ended. The conversion wrote nothing.
  case endOfStream = 2
  /// The conversion failed.
  case error = 3
}

/// Returns the next frames of a source, and sets its status.
public typealias AVAudioConverterInputBlock = (
  AVAudioPacketCount, UnsafeMutablePointer<AVAudioConverterInputStatus>
) -> AVAudioBuffer?

/// Converts samples to another rate, number of channels and type. libsoxr resamples, with its quality HQ.
///
/// If the source is mono, all channels of the result get its samples. If the result has fewer channels, it gets the
/// first channels of the source. If the result is mono and `downmix` is true, it gets the mean of all channels.
open class AVAudioConverter: NSObject, @unchecked Sendable {
  // Sendable as Apple's: the caller must not use the converter on two threads at once.

  /// The format of the source.
  public let inputFormat: AVAudioFormat
  /// The format of the result.
  public let outputFormat: AVAudioFormat
  /// Whether a mono result is the mean of the source's channels.
  public var downmix: Bool = false
  /// Has no effect: the quality is libsoxr's HQ.
  public var sampleRateConverterQuality: Int = AVAudioQuality.high.rawValue
  /// Has no effect: libsoxr resamples.
  public var sampleRateConverterAlgorithm: String?
  /// Has no effect: the result begins with the first frame of the source.
  public var primeMethod: AVAudioConverterPrimeMethod = .normal
  /// Has no effect: samples are rounded.
  public var dither: Bool = false

  private var resampler: OpaquePointer?
  /// Converted frames that did not fit into the output, interleaved.
  private var waiting: ArraySlice<Float> = []
  private var hasEnded: Bool = false

  /// Makes a converter. Returns nil if a format is not linear.
  public init?(from fromFormat: AVAudioFormat, to toFormat: AVAudioFormat) {
    guard fromFormat.commonFormat != .otherFormat, toFormat.commonFormat != .otherFormat else {
      return nil
    }
    inputFormat = fromFormat
    outputFormat = toFormat
  }

  deinit { caudio_resampler_free(resampler) }

  /// Discards the state of the conversion, so that another source can begin.
  open func reset() {
    caudio_resampler_free(resampler)
    resampler = nil
    waiting = []
    hasEnded = false
  }

  /// Converts a buffer into another buffer with the same rate.
  ///
  /// - Throws: `NSError` if the rates differ, a format is not the converter's, or the result has too little capacity.
  open func convert(to outputBuffer: AVAudioPCMBuffer, from inputBuffer: AVAudioPCMBuffer) throws {
    try check(output: outputBuffer)
    try check(input: inputBuffer)
    guard inputFormat.sampleRate == outputFormat.sampleRate else {
      throw audioError(
        AudioErrorCode.unsupportedFormat,
        "A converter was asked to convert one buffer from \(Int(inputFormat.sampleRate)) to"
          + " \(Int(outputFormat.sampleRate)) Hz, expected equal rates. Use"
          + " convert(to:error:withInputFrom:).")
    }
    guard outputBuffer.frameCapacity >= inputBuffer.frameLength else {
      throw audioError(
        AudioErrorCode.failed,
        "A converter's output has space for \(outputBuffer.frameCapacity) frames, expected"
          + " \(inputBuffer.frameLength).")
    }
    outputBuffer.store(mapped(inputBuffer)[...], from: 0)
  }

  /// Converts frames of a source until the result is full or the source has no more.
  ///
  /// - Parameter inputBlock: The closure that returns frames of the source. Its argument is the number of needed
  ///   frames. The closure may return more or fewer frames.
  @discardableResult
  open func convert(
    to outputBuffer: AVAudioBuffer, error outError: UnsafeMutablePointer<NSError?>?,
    withInputFrom inputBlock: AVAudioConverterInputBlock
  ) -> AVAudioConverterOutputStatus {
    do {
      guard let output = outputBuffer as? AVAudioPCMBuffer else {
        throw audioError(AudioErrorCode.unsupportedFormat, "A converter's output is not linear.")
      }
      try check(output: output)
      return try fill(output, from: inputBlock)
    } catch {
      outError?.pointee = error as NSError
      return .error
    }
  }

  private func fill(_ output: AVAudioPCMBuffer, from inputBlock: AVAudioConverterInputBlock) throws
    -> AVAudioConverterOutputStatus
  {
    let channels = Int(outputFormat.channelCount)
    output.frameLength = 0
    while true {
      let capacity = Int(output.frameCapacity - output.frameLength)
      let count: Int = min(capacity, waiting.count / channels)
      if count > 0 {
        output.store(waiting.prefix(count * channels), from: Int(output.frameLength))
        waiting = waiting.dropFirst(count * channels)
      }
      let isFull: Bool = output.frameLength == output.frameCapacity
      if isFull { return .haveData }
      if hasEnded { return output.frameLength > 0 ? .haveData : .endOfStream }
      let needed: Double =
        (Double(capacity - count) * inputFormat.sampleRate / outputFormat.sampleRate).rounded(.up)
      var status: AVAudioConverterInputStatus = .haveData
      let buffer: AVAudioBuffer? = inputBlock(AVAudioPacketCount(max(1, min(needed, 1e9))), &status)
      switch status {
      case .haveData:
        guard let input = buffer as? AVAudioPCMBuffer, input.frameLength > 0 else {
          return .inputRanDry
        }
        try check(input: input)
        waiting += try resampled(mapped(input))
      case .noDataNow: return .inputRanDry
      case .endOfStream:
        hasEnded = true
        waiting += try resampled(nil)
      }
    }
  }

  /// The samples of a buffer with the result's channels, interleaved.
  private func mapped(_ input: AVAudioPCMBuffer) -> [Float] {
    remapped(
      input.interleaved(0..<Int(input.frameLength)), from: Int(inputFormat.channelCount),
      to: Int(outputFormat.channelCount), mixes: downmix)
  }

  /// Resamples frames to the result's rate. If `samples` is nil, returns the rest after the last frame.
  private func resampled(_ samples: [Float]?) throws -> [Float] {
    guard inputFormat.sampleRate != outputFormat.sampleRate else { return samples ?? [] }
    let channels = Int(outputFormat.channelCount)
    if resampler == nil {
      resampler = caudio_resampler_new(
        inputFormat.sampleRate, outputFormat.sampleRate, Int32(clamping: channels))
    }
    guard let resampler else {
      throw audioError(
        AudioErrorCode.failed,
        "Samples cannot be resampled: \(String(cString: caudio_error())).")
    }
    let ratio: Double = outputFormat.sampleRate / inputFormat.sampleRate
    let count: Int = (samples?.count ?? 0) / channels
    let capacity: Int = max(4096, Int(Double(count) * ratio) + 4096)
    var result: [Float] = []
    var chunk = [Float](repeating: 0, count: capacity * channels)
    var done: Int = 0
    while true {
      var (taken, written): (Int, Int) = (0, 0)
      let status: Int32
      if let samples {
        status = samples.withUnsafeBufferPointer { source in
          // Safe: the resampler has read `done` frames, and the rest follows them.
          caudio_resample(
            resampler, source.baseAddress.map { $0 + done * channels }, count - done, &taken,
            &chunk, capacity, &written)
        }
      } else {
        status = caudio_resample(resampler, nil, 0, &taken, &chunk, capacity, &written)
      }
      guard status == 0 else {
        throw audioError(
          AudioErrorCode.failed, "Samples cannot be resampled: \(String(cString: caudio_error())).")
      }
      result += chunk[..<(written * channels)]
      done += taken
      if samples == nil ? written == 0 : done >= count { return result }
    }
  }

  private func check(input: AVAudioPCMBuffer) throws {
    guard input.format == inputFormat else {
      throw audioError(
        AudioErrorCode.unsupportedFormat,
        "A converter's source has the format \(input.format), expected \(inputFormat).")
    }
  }

  private func check(output: AVAudioPCMBuffer) throws {
    guard output.format == outputFormat else {
      throw audioError(
        AudioErrorCode.unsupportedFormat,
        "A converter's result has the format \(output.format), expected \(outputFormat).")
    }
  }
}

/// The frames that a conversion assumes before the first frame. Has no effect here.
public enum AVAudioConverterPrimeMethod: Int, Sendable {
  /// Frames of the source before the first frame.
  case pre = 0
  /// Silence.
  case normal = 1
  /// No frames.
  case none = 2
}

/// The name of Apple's standard resampler. Has no effect.
public let AVSampleRateConverterAlgorithm_Normal: String = "AVSampleRateConverterAlgorithm_Normal"
/// The name of Apple's slowest resampler. Has no effect.
public let AVSampleRateConverterAlgorithm_Mastering: String =
  "AVSampleRateConverterAlgorithm_Mastering"
/// The name of Apple's resampler with the shortest delay. Has no effect.
public let AVSampleRateConverterAlgorithm_MinimumPhase: String =
  "AVSampleRateConverterAlgorithm_MinimumPhase"
