@_exported import CoreFoundation
@_exported import CoreGraphics
@_exported import CoreMedia
@_exported import CoreVideo
import Imaging

/// The status of a parameter that the functions of this module do not accept.
public let kVTParameterErr: OSStatus = -12902

/// The status of pixels that cannot be transferred between two buffers.
public let kVTPixelTransferNotSupportedErr: OSStatus = -12905

/// Makes an image with a copy of a pixel buffer's pixels.
///
/// - Parameter options: Has no effect, as on Apple's systems.
/// - Returns: 0, or an error if the buffer's pixel format is not supported. The image is then nil.
@discardableResult
public func VTCreateCGImageFromCVPixelBuffer(
  _ pixelBuffer: CVPixelBuffer, options: CFDictionary?, imageOut: UnsafeMutablePointer<CGImage?>
) -> OSStatus {
  guard let picture = try? Picture(pixelBuffer) else {
    imageOut.pointee = nil
    return kVTParameterErr
  }
  imageOut.pointee = CGImage(picture)
  return noErr
}
