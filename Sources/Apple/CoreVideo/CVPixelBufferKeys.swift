// Attribute keys of pixel buffers. Size and format have an effect in the attributes of a pool; elsewhere they are
// arguments of the functions that create buffers. The alignment always has an effect. The compatibility keys have no effect, because every buffer here is plain memory.

@_exported import CoreFoundation

/// The pixel format, a number or an array of numbers.
public let kCVPixelBufferPixelFormatTypeKey: CFString = "PixelFormatType"

/// The width in pixels, a number.
public let kCVPixelBufferWidthKey: CFString = "Width"

/// The height in pixels, a number.
public let kCVPixelBufferHeightKey: CFString = "Height"

/// The alignment of rows in bytes, a power of two.
public let kCVPixelBufferBytesPerRowAlignmentKey: CFString = "BytesPerRowAlignment"

/// Whether a `CGImage` can be made from the buffer. Always true here.
public let kCVPixelBufferCGImageCompatibilityKey: CFString = "CGImageCompatibility"

/// Whether a `CGContext` can draw into the buffer. Always true here.
public let kCVPixelBufferCGBitmapContextCompatibilityKey: CFString =
  "CGBitmapContextCompatibility"

/// Whether Metal can use the buffer. Has no effect.
public let kCVPixelBufferMetalCompatibilityKey: CFString = "MetalCompatibility"

/// Whether OpenGL ES can use the buffer. Has no effect.
public let kCVPixelBufferOpenGLESCompatibilityKey: CFString = "OpenGLESCompatibility"

/// The properties of a shared surface. Has no effect.
public let kCVPixelBufferIOSurfacePropertiesKey: CFString = "IOSurfaceProperties"
