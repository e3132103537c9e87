@_exported import CoreAudioTypes
@_exported import Foundation

/// A number of frames.
public typealias AVAudioFrameCount = UInt32
/// A number of packets. A packet of linear samples is a frame.
public typealias AVAudioPacketCount = UInt32
/// A number of channels.
public typealias AVAudioChannelCount = UInt32
/// The number of a frame.
public typealias AVAudioFramePosition = Int64

/// The type of samples.
public enum AVAudioCommonFormat: UInt, Sendable {
  /// None of the other types.
  case otherFormat = 0
  /// Float32.
  case pcmFormatFloat32 = 1
  /// Float64.
  case pcmFormatFloat64 = 2
  /// Int16.
  case pcmFormatInt16 = 3
  /// Int32.
  case pcmFormatInt32 = 4

  /// The bytes of a sample.
  var byteCount: Int {
    switch self {
    case .pcmFormatInt16: 2
    case .pcmFormatFloat64: 8
    default: 4
    }
  }
}

/// The quality of a conversion or an encoder.
public enum AVAudioQuality: Int, Sendable {
  /// The lowest.
  case min = 0
  /// Low.
  case low = 0x20
  /// Medium.
  case medium = 0x40
  /// High.
  case high = 0x60
  /// The highest.
  case max = 0x7F
}

/// The settings key of the format, an `AudioFormatID`.
public let AVFormatIDKey: String = "AVFormatIDKey"
/// The settings key of the number of frames per second.
public let AVSampleRateKey: String = "AVSampleRateKey"
/// The settings key of the number of channels.
public let AVNumberOfChannelsKey: String = "AVNumberOfChannelsKey"
/// The settings key of the number of bits per sample.
public let AVLinearPCMBitDepthKey: String = "AVLinearPCMBitDepthKey"
/// The settings key of a Boolean: whether samples are big-endian.
public let AVLinearPCMIsBigEndianKey: String = "AVLinearPCMIsBigEndianKey"
/// The settings key of a Boolean: whether samples are floating-point numbers.
public let AVLinearPCMIsFloatKey: String = "AVLinearPCMIsFloatKey"
/// The settings key of a Boolean: whether each channel has its own buffer.
public let AVLinearPCMIsNonInterleaved: String = "AVLinearPCMIsNonInterleaved"
/// The settings key of an encoder's quality. Has no effect.
public let AVEncoderAudioQualityKey: String = "AVEncoderQualityKey"
/// The settings key of an encoder's bits per second. Has no effect.
public let AVEncoderBitRateKey: String = "AVEncoderBitRateKey"
/// The settings key of a resampler's quality. Has no effect.
public let AVSampleRateConverterAudioQualityKey: String = "AVSampleRateConverterAudioQualityKey"

/// An error of this module, in the domain of Apple's errors.
func audioError(_ code: Int, _ sentence: String) -> NSError {
  NSError(
    domain: "com.apple.coreaudio.avfaudio", code: code,
    userInfo: [NSLocalizedDescriptionKey: sentence])
}

/// The numbers of Apple's errors that this module throws.
enum AudioErrorCode {
  /// The file has no format that the library reads or writes: `typ?`.
  static let unsupportedFile: Int = 0x7479_703f
  /// There are no frames after the end of a file.
  static let endOfFile: Int = -39
  /// A format is not supported, or two formats differ: `fmt?`.
  static let unsupportedFormat: Int = 0x666d_743f
  /// A call failed for another reason: `wht?`.
  static let failed: Int = 0x7768_743f
}
