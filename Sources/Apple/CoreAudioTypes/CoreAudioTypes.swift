@_exported import CoreFoundation
@_exported import Foundation

/// The identifier of a format, as a four-character code.
public typealias AudioFormatID = UInt32

/// The bits that describe a format.
public typealias AudioFormatFlags = UInt32

/// Linear pulse-code modulation: `lpcm`.
public let kAudioFormatLinearPCM: AudioFormatID = 0x6c70_636d
/// AAC: `aac `.
public let kAudioFormatMPEG4AAC: AudioFormatID = 0x6161_6320
/// Apple Lossless: `alac`.
public let kAudioFormatAppleLossless: AudioFormatID = 0x616c_6163
/// FLAC: `flac`.
public let kAudioFormatFLAC: AudioFormatID = 0x666c_6163
/// Opus: `opus`.
public let kAudioFormatOpus: AudioFormatID = 0x6f70_7573
/// MP3: `.mp3`.
public let kAudioFormatMPEGLayer3: AudioFormatID = 0x2e6d_7033

/// Samples are floating-point numbers.
public let kAudioFormatFlagIsFloat: AudioFormatFlags = 1
/// Samples are big-endian.
public let kAudioFormatFlagIsBigEndian: AudioFormatFlags = 2
/// Samples are signed integers.
public let kAudioFormatFlagIsSignedInteger: AudioFormatFlags = 4
/// Samples fill all their bits.
public let kAudioFormatFlagIsPacked: AudioFormatFlags = 8
/// Samples are at the high bits of their bytes.
public let kAudioFormatFlagIsAlignedHigh: AudioFormatFlags = 16
/// Each channel has its own buffer.
public let kAudioFormatFlagIsNonInterleaved: AudioFormatFlags = 32
/// The order of bytes of this machine.
public let kAudioFormatFlagsNativeEndian: AudioFormatFlags = 0
/// Packed float32 samples in the order of bytes of this machine.
public let kAudioFormatFlagsNativeFloatPacked: AudioFormatFlags = 9
/// Samples are floating-point numbers.
public let kLinearPCMFormatFlagIsFloat: AudioFormatFlags = kAudioFormatFlagIsFloat
/// Samples are big-endian.
public let kLinearPCMFormatFlagIsBigEndian: AudioFormatFlags = kAudioFormatFlagIsBigEndian
/// Samples are signed integers.
public let kLinearPCMFormatFlagIsSignedInteger: AudioFormatFlags = kAudioFormatFlagIsSignedInteger
/// Samples fill all their bits.
public let kLinearPCMFormatFlagIsPacked: AudioFormatFlags = kAudioFormatFlagIsPacked
/// Each channel has its own buffer.
public let kLinearPCMFormatFlagIsNonInterleaved: AudioFormatFlags =
  kAudioFormatFlagIsNonInterleaved

/// The format of a stream of samples.
public struct AudioStreamBasicDescription: Equatable, Sendable {
  /// The frames per second.
  public var mSampleRate: Float64
  /// The format.
  public var mFormatID: AudioFormatID
  /// The bits that describe the format.
  public var mFormatFlags: AudioFormatFlags
  /// The bytes of a packet.
  public var mBytesPerPacket: UInt32
  /// The frames of a packet.
  public var mFramesPerPacket: UInt32
  /// The bytes of a frame in one buffer.
  public var mBytesPerFrame: UInt32
  /// The channels of a frame.
  public var mChannelsPerFrame: UInt32
  /// The bits of a sample.
  public var mBitsPerChannel: UInt32
  /// Always 0.
  public var mReserved: UInt32

  /// Makes a description of zeros.
  public init() {
    self.init(
      mSampleRate: 0, mFormatID: 0, mFormatFlags: 0, mBytesPerPacket: 0, mFramesPerPacket: 0,
      mBytesPerFrame: 0, mChannelsPerFrame: 0, mBitsPerChannel: 0, mReserved: 0)
  }

  /// Makes a description.
  public init(
    mSampleRate: Float64, mFormatID: AudioFormatID, mFormatFlags: AudioFormatFlags,
    mBytesPerPacket: UInt32, mFramesPerPacket: UInt32, mBytesPerFrame: UInt32,
    mChannelsPerFrame: UInt32, mBitsPerChannel: UInt32, mReserved: UInt32
  ) {
    self.mSampleRate = mSampleRate
    self.mFormatID = mFormatID
    self.mFormatFlags = mFormatFlags
    self.mBytesPerPacket = mBytesPerPacket
    self.mFramesPerPacket = mFramesPerPacket
    self.mBytesPerFrame = mBytesPerFrame
    self.mChannelsPerFrame = mChannelsPerFrame
    self.mBitsPerChannel = mBitsPerChannel
    self.mReserved = mReserved
  }
}

/// The samples of one channel, or of several alternating channels.
public struct AudioBuffer {
  /// The number of alternating channels.
  public var mNumberChannels: UInt32
  /// The number of bytes.
  public var mDataByteSize: UInt32
  /// The bytes.
  public var mData: UnsafeMutableRawPointer?

  /// Makes a buffer without bytes.
  public init() { self.init(mNumberChannels: 0, mDataByteSize: 0, mData: nil) }

  /// Makes a buffer.
  public init(mNumberChannels: UInt32, mDataByteSize: UInt32, mData: UnsafeMutableRawPointer?) {
    self.mNumberChannels = mNumberChannels
    self.mDataByteSize = mDataByteSize
    self.mData = mData
  }
}

/// A list of buffers. In memory, further buffers follow the first; `UnsafeMutableAudioBufferListPointer` reads them.
public struct AudioBufferList {
  /// The number of buffers.
  public var mNumberBuffers: UInt32
  /// The first buffer.
  public var mBuffers: AudioBuffer

  /// Makes a list of one empty buffer.
  public init() { self.init(mNumberBuffers: 1, mBuffers: AudioBuffer()) }

  /// Makes a list.
  public init(mNumberBuffers: UInt32, mBuffers: AudioBuffer) {
    self.mNumberBuffers = mNumberBuffers
    self.mBuffers = mBuffers
  }

  /// Returns the size of a list in bytes.
  public static func sizeInBytes(maximumBuffers: Int) -> Int {
    MemoryLayout<AudioBufferList>.size
      + MemoryLayout<AudioBuffer>.stride * (Swift.max(maximumBuffers, 1) - 1)
  }

  /// Allocates a list of empty buffers. Free it with `free`.
  public static func allocate(maximumBuffers: Int) -> UnsafeMutableAudioBufferListPointer {
    let size: Int = sizeInBytes(maximumBuffers: maximumBuffers)
    guard let memory = calloc(1, size) else {
      preconditionFailure("There is no memory for a list of \(maximumBuffers) audio buffers.")
    }
    // Safe: the memory is new and large enough; `calloc` aligns it for every type.
    let list = memory.bindMemory(to: AudioBufferList.self, capacity: 1)
    list.pointee.mNumberBuffers = UInt32(clamping: maximumBuffers)
    return UnsafeMutableAudioBufferListPointer(list)
  }
}

/// The buffers of a list, as a collection.
public struct UnsafeMutableAudioBufferListPointer: MutableCollection, RandomAccessCollection {
  /// The list.
  public var unsafeMutablePointer: UnsafeMutablePointer<AudioBufferList>

  /// Uses a list.
  public init(_ pointer: UnsafeMutablePointer<AudioBufferList>) { unsafeMutablePointer = pointer }

  /// Uses a list; nil for nil.
  public init?(_ pointer: UnsafeMutablePointer<AudioBufferList>?) {
    guard let pointer else { return nil }
    unsafeMutablePointer = pointer
  }

  /// The list.
  public var unsafePointer: UnsafePointer<AudioBufferList> { UnsafePointer(unsafeMutablePointer) }

  /// The number of buffers.
  public var count: Int {
    get { Int(unsafeMutablePointer.pointee.mNumberBuffers) }
    nonmutating set { unsafeMutablePointer.pointee.mNumberBuffers = UInt32(clamping: newValue) }
  }

  /// 0.
  public var startIndex: Int { 0 }
  /// The number of buffers.
  public var endIndex: Int { count }

  /// A buffer.
  public subscript(index: Int) -> AudioBuffer {
    get {
      precondition(index >= 0 && index < count, "the list has no audio buffer \(index)")
      return buffers[index]
    }
    nonmutating set {
      precondition(index >= 0 && index < count, "the list has no audio buffer \(index)")
      buffers[index] = newValue
    }
  }

  private var buffers: UnsafeMutablePointer<AudioBuffer> {
    // Safe: the buffers follow each other from the first on.
    let offset: Int = MemoryLayout<AudioBufferList>.offset(of: \.mBuffers) ?? 8
    return (UnsafeMutableRawPointer(unsafeMutablePointer) + offset)
      .assumingMemoryBound(to: AudioBuffer.self)
  }
}
