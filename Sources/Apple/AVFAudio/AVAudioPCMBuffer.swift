/// Memory for samples.
open class AVAudioBuffer: NSObject, @unchecked Sendable {
  // Sendable as Apple's: the caller must not use the samples on two threads at once.

  /// The format of the samples.
  public let format: AVAudioFormat
  fileprivate let list: UnsafeMutableAudioBufferListPointer

  fileprivate init(format: AVAudioFormat, list: UnsafeMutableAudioBufferListPointer) {
    self.format = format
    self.list = list
  }

  /// The buffers, with the number of used bytes.
  public var audioBufferList: UnsafePointer<AudioBufferList> { list.unsafePointer }

  /// The buffers, with the number of used bytes.
  public var mutableAudioBufferList: UnsafeMutablePointer<AudioBufferList> {
    list.unsafeMutablePointer
  }
}

/// Memory for linear samples.
open class AVAudioPCMBuffer: AVAudioBuffer, @unchecked Sendable {
  /// The number of frames for which there is memory.
  public let frameCapacity: AVAudioFrameCount
  private let channels: UnsafeMutablePointer<UnsafeMutableRawPointer>

  /// Allocates memory, filled with zeros. Returns nil for a format that is not linear, or if there is no memory.
  public init?(pcmFormat format: AVAudioFormat, frameCapacity: AVAudioFrameCount) {
    let sample: Int = format.commonFormat.byteCount
    let count = Int(format.channelCount)
    guard format.commonFormat != .otherFormat else { return nil }
    let buffers: Int = format.isInterleaved ? 1 : count
    let perBuffer: Int = max(1, Int(frameCapacity)) * sample * (count / buffers)
    guard let memory = calloc(buffers, perBuffer) else { return nil }
    self.frameCapacity = frameCapacity
    channels = .allocate(capacity: count)
    for channel in 0..<count {
      // Safe: each channel begins inside the memory: at its sample of the first frame, or at its buffer.
      channels[channel] = memory + channel * (format.isInterleaved ? sample : perBuffer)
    }
    let list = AudioBufferList.allocate(maximumBuffers: buffers)
    for index in 0..<buffers {
      list[index] = AudioBuffer(
        mNumberChannels: UInt32(count / buffers), mDataByteSize: 0,
        mData: memory + index * perBuffer)
    }
    super.init(format: format, list: list)
  }

  deinit {
    free(channels[0])
    channels.deallocate()
    free(list.unsafeMutablePointer)
  }

  /// The number of frames that are used, at most `frameCapacity`.
  public var frameLength: AVAudioFrameCount = 0 {
    didSet {
      precondition(
        frameLength <= frameCapacity,
        "a buffer's frameLength is \(frameLength), expected at most its capacity \(frameCapacity)")
      let bytes: UInt32 = frameLength * format.streamDescription.pointee.mBytesPerFrame
      for index in list.indices { list[index].mDataByteSize = bytes }
    }
  }

  /// The distance in samples from one frame of a channel to the next: 1, or the number of channels if the channels
  /// alternate.
  public var stride: Int { format.isInterleaved ? Int(format.channelCount) : 1 }

  /// The samples of each channel; nil if the samples are not float32.
  public var floatChannelData: UnsafePointer<UnsafeMutablePointer<Float>>? {
    samples(.pcmFormatFloat32)
  }

  /// The samples of each channel; nil if the samples are not int16.
  public var int16ChannelData: UnsafePointer<UnsafeMutablePointer<Int16>>? {
    samples(.pcmFormatInt16)
  }

  /// The samples of each channel; nil if the samples are not int32.
  public var int32ChannelData: UnsafePointer<UnsafeMutablePointer<Int32>>? {
    samples(.pcmFormatInt32)
  }

  /// The samples of each channel; nil if the samples are not float64. Apple's class has no such property.
  var doubleChannelData: UnsafePointer<UnsafeMutablePointer<Double>>? {
    samples(.pcmFormatFloat64)
  }

  private func samples<Sample>(_ type: AVAudioCommonFormat)
    -> UnsafePointer<UnsafeMutablePointer<Sample>>?
  {
    guard format.commonFormat == type else { return nil }
    // Safe: the pointers have the same size, and the memory holds samples of this type only.
    return UnsafeRawPointer(channels).assumingMemoryBound(to: UnsafeMutablePointer<Sample>.self)
  }
}
