import Foundation
import Imaging

/// A picture file to be read.
public final class CGImageSource: Sendable {
  enum Place: Sendable {
    case file(String)
    case memory(Data)
  }

  let place: Place
  let header: PictureHeader

  init?(_ place: Place) {
    let header: PictureHeader?
    switch place {
    case .file(let path): header = try? Picture.probe(path)
    case .memory(let data): header = try? Picture.probe(data: data)
    }
    guard let header else { return nil }
    self.place = place
    self.header = header
  }

  func picture(orientation: OrientationHandling) -> Picture? {
    switch place {
    case .file(let path):
      return try? Picture(contentsOfFile: path, orientation: orientation)
    case .memory(let data):
      return try? Picture(data: data, orientation: orientation)
    }
  }
}

/// Opens a picture file, or returns `nil` where it is not one.
public func CGImageSourceCreateWithURL(_ url: CFURL, _ options: CFDictionary?) -> CGImageSource? {
  url.isFileURL ? CGImageSource(.file(url.path)) : nil
}

/// Opens a picture file's bytes, or returns `nil` where they are not one.
public func CGImageSourceCreateWithData(
  _ data: CFData, _ options: CFDictionary?
) -> CGImageSource? {
  CGImageSource(.memory(data))
}

/// How many pictures can be read from a source: 1, the first frame of those that have several.
public func CGImageSourceGetCount(_ source: CGImageSource) -> Int { 1 }

/// Decodes the picture at an index as it is stored: the orientation is not applied.
///
/// - Returns: `nil` for an index other than 0, or a file that cannot be decoded.
public func CGImageSourceCreateImageAtIndex(
  _ source: CGImageSource, _ index: Int, _ options: CFDictionary?
) -> CGImage? {
  guard index == 0 else { return nil }
  return source.picture(orientation: .ignored).map { CGImage($0) }
}

/// Decodes the picture at an index and scales it down.
///
/// The longest side is at most `kCGImageSourceThumbnailMaxPixelSize`; the orientation is applied where
/// `kCGImageSourceCreateThumbnailWithTransform` is true.
///
/// - Returns: `nil` for an index other than 0, or a file that cannot be decoded.
public func CGImageSourceCreateThumbnailAtIndex(
  _ source: CGImageSource, _ index: Int, _ options: CFDictionary?
) -> CGImage? {
  guard index == 0 else { return nil }
  let turned: Bool = options?[kCGImageSourceCreateThumbnailWithTransform] as? Bool ?? false
  guard let picture = source.picture(orientation: turned ? .applied : .ignored) else { return nil }
  let wanted = options?[kCGImageSourceThumbnailMaxPixelSize] as? NSNumber
  let limit: Int = (options?[kCGImageSourceThumbnailMaxPixelSize] as? Int) ?? wanted?.intValue ?? 0
  let longest: Int = max(picture.width, picture.height)
  guard limit > 0, longest > limit else { return CGImage(picture) }
  let width: Int = max(1, picture.width * limit / longest)
  let height: Int = max(1, picture.height * limit / longest)
  return (try? picture.scaled(toWidth: width, height: height)).map { CGImage($0) }
}

/// The size, the orientation and the depth of the picture at an index; nothing is decoded.
///
/// - Returns: `nil` for an index other than 0.
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
