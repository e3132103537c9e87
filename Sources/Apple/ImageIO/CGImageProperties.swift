@_exported import CoreGraphics

// Keys of options and properties of image files. `CGImageSourceCopyPropertiesAtIndex` returns the properties. Only the
// quality, the orientation, and the options for thumbnails have an effect.

/// The width in pixels as stored, before the orientation is applied.
public let kCGImagePropertyPixelWidth: CFString = "PixelWidth"

/// The height in pixels as stored, before the orientation is applied.
public let kCGImagePropertyPixelHeight: CFString = "PixelHeight"

/// The EXIF orientation, 1 to 8.
public let kCGImagePropertyOrientation: CFString = "Orientation"

/// Whether the image has alpha.
public let kCGImagePropertyHasAlpha: CFString = "HasAlpha"

/// The bits per component of a decoded image.
public let kCGImagePropertyDepth: CFString = "Depth"

/// The quality of lossy compression, 0…1.
public let kCGImageDestinationLossyCompressionQuality: CFString =
  "kCGImageDestinationLossyCompressionQuality"

/// Whether a source caches decoded images. Has no effect.
public let kCGImageSourceShouldCache: CFString = "kCGImageSourceShouldCache"

/// The maximum length of a thumbnail's longer side, in pixels.
public let kCGImageSourceThumbnailMaxPixelSize: CFString = "kCGImageSourceThumbnailMaxPixelSize"

/// Whether to make a thumbnail from the image if the file contains no thumbnail. Has no effect, because thumbnails are
/// always made from the image.
public let kCGImageSourceCreateThumbnailFromImageIfAbsent: CFString =
  "kCGImageSourceCreateThumbnailFromImageIfAbsent"

/// Whether to make a thumbnail from the image even if the file contains a thumbnail. Has no effect, because thumbnails
/// are always made from the image.
public let kCGImageSourceCreateThumbnailFromImageAlways: CFString =
  "kCGImageSourceCreateThumbnailFromImageAlways"

/// Whether the orientation is applied to a thumbnail.
public let kCGImageSourceCreateThumbnailWithTransform: CFString =
  "kCGImageSourceCreateThumbnailWithTransform"
