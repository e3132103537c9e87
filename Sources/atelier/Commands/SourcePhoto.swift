import Foundation
import Imaging

/// A photo to paint, or its painting: a picture of 8 or 16 bits for each component, or an animation.
enum SourcePhoto: Sendable {
  case picture(Picture)
  case deep(DeepPicture)
  case animated(Animation)

  /// Reads a photo with everything that the format of its painting can hold.
  ///
  /// - Parameter keepsDepth: Whether pictures of 16 bits are read as such.
  /// - Throws: `CommandError` for an animation that the format cannot hold, or `ImagingError`.
  init(_ path: String, for format: PictureFormat, keepsDepth: Bool) throws {
    let header: PictureHeader = try Picture.probe(path)
    if header.pageCount > 1 {
      guard format.holdsAnimations else {
        throw CommandError(
          "Photo '\(path)' is an animation of \(header.pageCount) pictures, which a \(format.name)"
            + " does not hold. Name a .gif, .webp or .png file with -o, or give --format gif.")
      }
      self = .animated(try Animation(contentsOfFile: path))
      return
    }
    if keepsDepth, header.bitsPerComponent > 8, format.holdsDeepPictures {
      self = .deep(try DeepPicture(contentsOfFile: path))
    } else {
      self = .picture(try Picture(contentsOfFile: path))
    }
  }

  /// Reads a single picture of 8 bits.
  ///
  /// - Throws: `CommandError` for an animation, or `ImagingError`.
  static func still(_ path: String) throws -> Picture {
    guard case .picture(let picture) = try SourcePhoto(path, for: .jpeg, keepsDepth: false) else {
      preconditionFailure("a JPEG holds one picture of 8 bits")
    }
    return picture
  }

  /// The width and height in pixels.
  var size: PictureSize {
    switch self {
    case .picture(let picture): picture.size
    case .deep(let picture): picture.size
    case .animated(let animation): animation.pictures[0].size
    }
  }

  /// The animation. Nil for a single picture.
  var animation: Animation? {
    if case .animated(let animation) = self { animation } else { nil }
  }

  /// Encodes the picture or animation as the bytes of a file.
  func encoded(as format: PictureFormat, _ encoding: PictureEncoding) throws -> Data {
    switch self {
    case .picture(let picture): try picture.encoded(as: format, encoding)
    case .deep(let picture): try picture.encoded(as: format, encoding)
    case .animated(let animation): try animation.encoded(as: format, encoding)
    }
  }
}
