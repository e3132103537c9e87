/// The times of a sample.
public struct CMSampleTimingInfo: Sendable {
  /// The duration.
  public var duration: CMTime
  /// The time at which the sample is shown.
  public var presentationTimeStamp: CMTime
  /// The time at which the sample is decoded.
  public var decodeTimeStamp: CMTime

  /// Makes invalid times.
  public init() {
    self.init(duration: .invalid, presentationTimeStamp: .invalid, decodeTimeStamp: .invalid)
  }

  /// Makes times.
  public init(duration: CMTime, presentationTimeStamp: CMTime, decodeTimeStamp: CMTime) {
    self.duration = duration
    self.presentationTimeStamp = presentationTimeStamp
    self.decodeTimeStamp = decodeTimeStamp
  }

  /// Invalid times.
  public static let invalid: CMSampleTimingInfo = CMSampleTimingInfo()
}

/// A frame of a video: a pixel buffer with its times.
public final class CMSampleBuffer: Sendable {
  /// The pixels.
  public let imageBuffer: CVImageBuffer?
  /// The format of the pixels.
  public let formatDescription: CMFormatDescription?
  private let timing: CMSampleTimingInfo

  /// Makes a frame.
  public init(
    imageBuffer: CVImageBuffer, formatDescription: CMVideoFormatDescription,
    sampleTiming: CMSampleTimingInfo
  ) throws {
    self.imageBuffer = imageBuffer
    self.formatDescription = formatDescription
    timing = sampleTiming
  }

  /// The time at which the frame is shown.
  public var presentationTimeStamp: CMTime { timing.presentationTimeStamp }
  /// The time at which the frame is decoded.
  public var decodeTimeStamp: CMTime { timing.decodeTimeStamp }
  /// The time at which the frame is shown.
  public var outputPresentationTimeStamp: CMTime { timing.presentationTimeStamp }
  /// The time for which the frame is shown.
  public var duration: CMTime { timing.duration }
  /// The number of frames: 1.
  public var numSamples: Int { 1 }
  /// Whether the frame can be used. Always true.
  public var isValid: Bool { true }
}

/// Makes a frame. Returns 0.
@discardableResult
public func CMSampleBufferCreateReadyWithImageBuffer(
  allocator: CFAllocator?, imageBuffer: CVImageBuffer,
  formatDescription: CMVideoFormatDescription, sampleTiming: UnsafePointer<CMSampleTimingInfo>,
  sampleBufferOut: UnsafeMutablePointer<CMSampleBuffer?>
) -> OSStatus {
  sampleBufferOut.pointee = try? CMSampleBuffer(
    imageBuffer: imageBuffer, formatDescription: formatDescription,
    sampleTiming: sampleTiming.pointee)
  return 0
}

/// Returns the pixels.
public func CMSampleBufferGetImageBuffer(_ sbuf: CMSampleBuffer) -> CVImageBuffer? {
  sbuf.imageBuffer
}

/// Returns the format of the pixels.
public func CMSampleBufferGetFormatDescription(_ sbuf: CMSampleBuffer) -> CMFormatDescription? {
  sbuf.formatDescription
}

/// Returns the time at which the frame is shown.
public func CMSampleBufferGetPresentationTimeStamp(_ sbuf: CMSampleBuffer) -> CMTime {
  sbuf.presentationTimeStamp
}

/// Returns the time for which the frame is shown.
public func CMSampleBufferGetDuration(_ sbuf: CMSampleBuffer) -> CMTime { sbuf.duration }

/// Returns the number of frames: 1.
public func CMSampleBufferGetNumSamples(_ sbuf: CMSampleBuffer) -> CMItemCount { sbuf.numSamples }

/// Returns whether the frame can be used. Always true.
public func CMSampleBufferIsValid(_ sbuf: CMSampleBuffer) -> Bool { sbuf.isValid }

/// Returns whether the frame has its pixels. Always true.
public func CMSampleBufferDataIsReady(_ sbuf: CMSampleBuffer) -> Bool { true }

/// Returns `kCMSampleBufferError_InvalidMediaTypeForOperation`, because samples have no sound.
public func CMSampleBufferCopyPCMDataIntoAudioBufferList(
  _ sbuf: CMSampleBuffer, at frameOffset: Int32, frameCount numFrames: Int32,
  into bufferList: UnsafeMutablePointer<AudioBufferList>
) -> OSStatus {
  kCMSampleBufferError_InvalidMediaTypeForOperation
}

/// A number of items.
public typealias CMItemCount = CFIndex

/// A function does not support this kind of samples.
public let kCMSampleBufferError_InvalidMediaTypeForOperation: OSStatus = -12738
