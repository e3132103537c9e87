import Foundation
import Imaging

/// An image file to read.
public final class CGImageSource: Sendable {
  enum Origin: Sendable {
    case file(String)
    case memory(Data)
  }

  let origin: Origin
  let header: PictureHeader

  init?(_ origin: Origin) {
    let header: PictureHeader?
    switch origin {
    case .file(let path): header = try? Picture.probe(path)
    case .memory(let data): header = try? Picture.probe(data: data)
    }
    guard let header else { return nil }
    self.origin = origin
    self.header = header
  }

  func picture(orientation: OrientationHandling) -> Picture? {
    switch origin {
    case .file(let path):
      return try? Picture(contentsOfFile: path, orientation: orientation)
    case .memory(let data):
      return try? Picture(data: data, orientation: orientation)
    }
  }
}

/// Opens an image file. Returns nil if the file is not an image.
public func CGImageSourceCreateWithURL(_ url: CFURL, _ options: CFDictionary?) -> CGImageSource? {
  url.isFileURL ? CGImageSource(.file(url.path)) : nil
}

/// Opens the bytes of an image file. Returns nil if the bytes are not an image.
public func CGImageSourceCreateWithData(
  _ data: CFData, _ options: CFDictionary?
) -> CGImageSource? {
  CGImageSource(.memory(data))
}

/// Returns the number of images in a source. This is always 1, because only the first frame of an animation is read.
public func CGImageSourceGetCount(_ source: CGImageSource) -> Int { 1 }

/// Decodes the image at an index, without applying its orientation.
///
/// - Returns: Nil for an index other than 0, or for a file that cannot be decoded.
public func CGImageSourceCreateImageAtIndex(
  _ source: CGImageSource, _ index: Int, _ options: CFDictionary?
) -> CGImage? {
  guard index == 0 else { return nil }
  return source.picture(orientation: .ignored).map { CGImage($0) }
}

/// Decodes the image at an index and scales it down.
///
/// The option `kCGImageSourceThumbnailMaxPixelSize` limits the longer side. Without this option, the image keeps its
/// size. The orientation is applied if `kCGImageSourceCreateThumbnailWithTransform` is true.
///
/// - Returns: Nil for an index other than 0, or for a file that cannot be decoded.
public func CGImageSourceCreateThumbnailAtIndex(
  _ source: CGImageSource, _ index: Int, _ options: CFDictionary?
) -> CGImage? {
  guard index == 0 else { return nil }
  let isUpright: Bool = options?[kCGImageSourceCreateThumbnailWithTransform] as? Bool ?? false
  guard let picture = source.picture(orientation: isUpright ? .applied : .ignored) else {
    return nil
  }
  let requested = options?[kCGImageSourceThumbnailMaxPixelSize] as? NSNumber
  let limit: Int =
    (options?[kCGImageSourceThumbnailMaxPixelSize] as? Int) ?? requested?.intValue ?? 0
  let longest: Int = max(picture.width, picture.height)
  guard limit > 0, longest > limit else { return CGImage(picture) }
  let width: Int = max(1, picture.width * limit / longest)
  let height: Int = max(1, picture.height * limit / longest)
  return (try? picture.scaled(toWidth: width, height: height)).map { CGImage($0) }
}

/// Returns the size, the orientation and the depth of the image at an index, read from the file's header.
///
/// - Returns: Nil for an index other than 0.
public func CGImageSourceCopyPropertiesAtIndex(
  _ source: CGImageSource, _ index: Int, _ options: CFDictionary?
) -> CFDictionary? {
  guard index == 0 else { return nil }
  let swaps: Bool = source.header.orientation.swapsSides
  return [
    kCGImagePropertyPixelWidth: swaps ? source.header.height : source.header.width,
    kCGImagePropertyPixelHeight: swaps ? source.header.width : source.header.height,
    kCGImagePropertyOrientation: source.header.orientation.rawValue,
    kCGImagePropertyHasAlpha: source.header.hasAlpha,
    kCGImagePropertyDepth: 8,
  ]
}
