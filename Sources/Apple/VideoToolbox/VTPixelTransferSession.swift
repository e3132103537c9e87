import Imaging

/// Copies pixels between buffers of different sizes and formats.
public final class VTPixelTransferSession {
  fileprivate var mode: CropAndScale = .scaleFill

  fileprivate init() {}
}

/// The property for how a session fits pixels into a buffer with other proportions.
public let kVTPixelTransferPropertyKey_ScalingMode: CFString = "ScalingMode"

/// Stretches the pixels to the buffer.
public let kVTScalingMode_Normal: CFString = "Normal"

/// Fits the pixels into the buffer, with black beside them.
public let kVTScalingMode_Letterbox: CFString = "Letterbox"

/// Fills the buffer, and cuts off what exceeds it.
public let kVTScalingMode_Trim: CFString = "Trim"

/// Makes a session.
///
/// - Parameter allocator: Has no effect.
/// - Returns: 0.
@discardableResult
public func VTPixelTransferSessionCreate(
  allocator: CFAllocator?,
  pixelTransferSessionOut: UnsafeMutablePointer<VTPixelTransferSession?>
) -> OSStatus {
  pixelTransferSessionOut.pointee = VTPixelTransferSession()
  return noErr
}

/// Sets the property `kVTPixelTransferPropertyKey_ScalingMode` of a session.
///
/// - Returns: 0, or an error for other properties and values.
@discardableResult
public func VTSessionSetProperty(
  _ session: VTPixelTransferSession, key: CFString, value: CFTypeRef?
) -> OSStatus {
  setScalingMode(of: session, key: key, value: value as? String)
}

/// Sets the property `kVTPixelTransferPropertyKey_ScalingMode` of a session.
///
/// - Returns: 0, or an error for other properties and values.
@discardableResult
public func VTSessionSetProperty(
  _ session: VTPixelTransferSession, key: CFString, value: CFString
) -> OSStatus {
  setScalingMode(of: session, key: key, value: value)
}

private func setScalingMode(
  of session: VTPixelTransferSession, key: CFString, value: String?
) -> OSStatus {
  guard key == kVTPixelTransferPropertyKey_ScalingMode else { return kVTParameterErr }
  switch value {
  case kVTScalingMode_Normal: session.mode = .scaleFill
  case kVTScalingMode_Letterbox: session.mode = .scaleFit
  case kVTScalingMode_Trim: session.mode = .centerCrop
  default: return kVTParameterErr
  }
  return noErr
}

/// Copies the pixels of a buffer into another, scaled to its size and converted to its format.
///
/// - Returns: 0, or an error if one of the pixel formats is not supported.
@discardableResult
public func VTPixelTransferSessionTransferImage(
  _ session: VTPixelTransferSession, from source: CVPixelBuffer, to destination: CVPixelBuffer
) -> OSStatus {
  do {
    try Picture(source).fitted(
      toWidth: CVPixelBufferGetWidth(destination), height: CVPixelBufferGetHeight(destination),
      mode: session.mode
    ).write(to: destination)
    return noErr
  } catch {
    return kVTPixelTransferNotSupportedErr
  }
}

/// Ends a session.
public func VTPixelTransferSessionInvalidate(_ session: VTPixelTransferSession) {}
