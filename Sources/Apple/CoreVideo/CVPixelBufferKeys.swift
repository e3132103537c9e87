// Attribute keys of pixel buffers. The alignment is read; size and format come as arguments of the
// functions that make buffers; the compatibility keys are accepted and change nothing: every buffer
// here is plain memory.

@_exported import CoreFoundation

/// The pixel format, a number or an array of numbers.
public let kCVPixelBufferPixelFormatTypeKey: CFString = "PixelFormatType"

/// The width in pixels, a number.
public let kCVPixelBufferWidthKey: CFString = "Width"

/// The height in pixels, a number.
public let kCVPixelBufferHeightKey: CFString = "Height"

/// Rows start at multiples of this many bytes, a number that is a power of two.
public let kCVPixelBufferBytesPerRowAlignmentKey: CFString = "BytesPerRowAlignment"

/// Whether a `CGImage` can be made from the buffer. Always true here.
public let kCVPixelBufferCGImageCompatibilityKey: CFString = "CGImageCompatibility"

/// Whether a `CGContext` can draw into the buffer. Always true here.
public let kCVPixelBufferCGBitmapContextCompatibilityKey: CFString =
  "CGBitmapContextCompatibility"

/// Whether Metal can use the buffer. Accepted and ignored.
public let kCVPixelBufferMetalCompatibilityKey: CFString = "MetalCompatibility"

/// Whether OpenGL ES can use the buffer. Accepted and ignored.
public let kCVPixelBufferOpenGLESCompatibilityKey: CFString = "OpenGLESCompatibility"

/// Shared surfaces' properties. Accepted and ignored.
public let kCVPixelBufferIOSurfacePropertiesKey: CFString = "IOSurfaceProperties"
