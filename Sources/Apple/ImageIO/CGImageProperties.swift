@_exported import CoreGraphics

// Keys of the options and the properties of image files. Those of properties are answered by
// `CGImageSourceCopyPropertiesAtIndex`; of the options, quality and orientation are read.

/// The width in stored pixels.
public let kCGImagePropertyPixelWidth: CFString = "PixelWidth"

/// The height in stored pixels.
public let kCGImagePropertyPixelHeight: CFString = "PixelHeight"

/// The EXIF orientation, 1 to 8.
public let kCGImagePropertyOrientation: CFString = "Orientation"

/// Whether there is alpha.
public let kCGImagePropertyHasAlpha: CFString = "HasAlpha"

/// Bits of one component in memory.
public let kCGImagePropertyDepth: CFString = "Depth"

/// The quality of lossy formats, 0…1.
public let kCGImageDestinationLossyCompressionQuality: CFString =
  "kCGImageDestinationLossyCompressionQuality"

/// Whether a source keeps what it has decoded. Accepted and ignored.
public let kCGImageSourceShouldCache: CFString = "kCGImageSourceShouldCache"

/// The longest side of a thumbnail in pixels, a number.
public let kCGImageSourceThumbnailMaxPixelSize: CFString = "kCGImageSourceThumbnailMaxPixelSize"

/// Whether a thumbnail is made when the file has none. Thumbnails are always made from the picture.
public let kCGImageSourceCreateThumbnailFromImageIfAbsent: CFString =
  "kCGImageSourceCreateThumbnailFromImageIfAbsent"

/// Whether a thumbnail is made even when the file has one. Thumbnails are always made so.
public let kCGImageSourceCreateThumbnailFromImageAlways: CFString =
  "kCGImageSourceCreateThumbnailFromImageAlways"

/// Whether a thumbnail is turned the way the picture is shown.
public let kCGImageSourceCreateThumbnailWithTransform: CFString =
  "kCGImageSourceCreateThumbnailWithTransform"
