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

/// The allocator of the memory. Has no effect.
public let kCVPixelBufferMemoryAllocatorKey: CFString = "MemoryAllocator"

/// The alignment of planes. Has no effect.
public let kCVPixelBufferPlaneAlignmentKey: CFString = "PlaneAlignment"

/// The pixels of padding at the left. Has no effect.
public let kCVPixelBufferExtendedPixelsLeftKey: CFString = "ExtendedPixelsLeft"

/// The rows of padding at the top. Has no effect.
public let kCVPixelBufferExtendedPixelsTopKey: CFString = "ExtendedPixelsTop"

/// The pixels of padding at the right. Has no effect.
public let kCVPixelBufferExtendedPixelsRightKey: CFString = "ExtendedPixelsRight"

/// The rows of padding at the bottom. Has no effect.
public let kCVPixelBufferExtendedPixelsBottomKey: CFString = "ExtendedPixelsBottom"

/// Whether OpenGL can use the buffer. Has no effect.
public let kCVPixelBufferOpenGLCompatibilityKey: CFString = "OpenGLCompatibility"

/// Whether OpenGL can keep the buffer as a texture. Has no effect.
public let kCVPixelBufferOpenGLTextureCacheCompatibilityKey: CFString =
  "OpenGLTextureCacheCompatibility"

/// Whether OpenGL ES can keep the buffer as a texture. Has no effect.
public let kCVPixelBufferOpenGLESTextureCacheCompatibilityKey: CFString =
  "OpenGLESTextureCacheCompatibility"

/// Whether a shared surface can be a texture of OpenGL. Has no effect.
public let kCVPixelBufferIOSurfaceOpenGLTextureCompatibilityKey: CFString =
  "IOSurfaceOpenGLTextureCompatibility"

/// Whether OpenGL can draw into a shared surface. Has no effect.
public let kCVPixelBufferIOSurfaceOpenGLFBOCompatibilityKey: CFString =
  "IOSurfaceOpenGLFBOCompatibility"

/// Whether a shared surface can be a texture of OpenGL ES. Has no effect.
public let kCVPixelBufferIOSurfaceOpenGLESTextureCompatibilityKey: CFString =
  "IOSurfaceOpenGLESTextureCompatibility"

/// Whether OpenGL ES can draw into a shared surface. Has no effect.
public let kCVPixelBufferIOSurfaceOpenGLESFBOCompatibilityKey: CFString =
  "IOSurfaceOpenGLESFBOCompatibility"

/// Whether Core Animation can show a shared surface. Has no effect.
public let kCVPixelBufferIOSurfaceCoreAnimationCompatibilityKey: CFString =
  "IOSurfaceCoreAnimationCompatibility"
