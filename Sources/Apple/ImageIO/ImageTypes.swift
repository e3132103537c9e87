import CoreGraphics

// The identifiers of picture types in Apple's older style. Newer code writes `UTType.jpeg.identifier`.

/// Any picture.
public let kUTTypeImage: CFString = "public.image"
/// A JPEG picture.
public let kUTTypeJPEG: CFString = "public.jpeg"
/// A PNG picture.
public let kUTTypePNG: CFString = "public.png"
/// A TIFF picture.
public let kUTTypeTIFF: CFString = "public.tiff"
/// A GIF picture.
public let kUTTypeGIF: CFString = "com.compuserve.gif"
/// A Windows bitmap.
public let kUTTypeBMP: CFString = "com.microsoft.bmp"
