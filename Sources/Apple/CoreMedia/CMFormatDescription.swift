/// The kind of a medium, as a four-character code.
public typealias CMMediaType = FourCharCode

/// A video: `vide`.
public let kCMMediaType_Video: CMMediaType = 0x7669_6465

/// Sound: `soun`.
public let kCMMediaType_Audio: CMMediaType = 0x736f_756e

/// The size of a video in pixels.
public struct CMVideoDimensions: Equatable, Sendable {
  /// The width.
  public var width: Int32
  /// The height.
  public var height: Int32

  /// Makes the size 0 × 0.
  public init() { self.init(width: 0, height: 0) }

  /// Makes a size.
  public init(width: Int32, height: Int32) {
    self.width = width
    self.height = height
  }
}

/// The format of a sample. Here, all samples are pixel buffers.
public final class CMFormatDescription: Sendable {
  /// The kind of the medium.
  public let mediaType: CMMediaType
  /// The pixel format.
  public let mediaSubType: FourCharCode
  /// The size in pixels.
  public let dimensions: CMVideoDimensions

  /// Describes a pixel buffer.
  public init(imageBuffer: CVImageBuffer) throws {
    mediaType = kCMMediaType_Video
    mediaSubType = CVPixelBufferGetPixelFormatType(imageBuffer)
    dimensions = CMVideoDimensions(
      width: Int32(clamping: CVPixelBufferGetWidth(imageBuffer)),
      height: Int32(clamping: CVPixelBufferGetHeight(imageBuffer)))
  }
}

/// The format of a video sample.
public typealias CMVideoFormatDescription = CMFormatDescription

/// The format of an audio sample. Samples here have no sound.
public typealias CMAudioFormatDescription = CMFormatDescription

/// Returns the kind of the medium.
public func CMFormatDescriptionGetMediaType(_ desc: CMFormatDescription) -> CMMediaType {
  desc.mediaType
}

/// Returns the pixel format.
public func CMFormatDescriptionGetMediaSubType(_ desc: CMFormatDescription) -> FourCharCode {
  desc.mediaSubType
}

/// Returns the size in pixels.
public func CMVideoFormatDescriptionGetDimensions(_ videoDesc: CMVideoFormatDescription)
  -> CMVideoDimensions
{
  videoDesc.dimensions
}

/// Returns nil, because samples have no sound.
public func CMAudioFormatDescriptionGetStreamBasicDescription(_ desc: CMAudioFormatDescription)
  -> UnsafePointer<AudioStreamBasicDescription>?
{
  nil
}

/// The status of a function of format descriptions that got an invalid argument.
public let kCMFormatDescriptionError_InvalidParameter: OSStatus = -12710

/// Describes a pixel buffer. Returns 0, or ``kCMFormatDescriptionError_InvalidParameter`` if the buffer cannot be
/// described.
@discardableResult
public func CMVideoFormatDescriptionCreateForImageBuffer(
  allocator: CFAllocator?, imageBuffer: CVImageBuffer,
  formatDescriptionOut: UnsafeMutablePointer<CMVideoFormatDescription?>
) -> OSStatus {
  formatDescriptionOut.pointee = try? CMFormatDescription(imageBuffer: imageBuffer)
  return formatDescriptionOut.pointee == nil ? kCMFormatDescriptionError_InvalidParameter : 0
}
