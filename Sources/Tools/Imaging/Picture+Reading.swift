import Foundation

/// The header of a picture file.
public struct PictureHeader: Sendable, Hashable {
  /// The number of columns of the picture as shown, after the orientation has been applied.
  public let width: Int
  /// The number of rows of the picture as shown, after the orientation has been applied.
  public let height: Int
  /// The orientation of the stored pixels.
  public let orientation: Orientation
  /// Whether the file has an alpha channel.
  public let hasAlpha: Bool
  /// The entry that says that Atelier painted the picture. Nil for other pictures.
  public let origin: PictureOrigin?
  /// The number of bits for each component, 8 or 16. Files with 10 or 12 bits count as 16.
  public var bitsPerComponent: Int = 8
  /// The number of pictures of an animated GIF, WebP or PNG. 1 for other files.
  public var pageCount: Int = 1
  /// The format of the file. Nil for a format that Atelier does not write, such as BMP.
  public var format: PictureFormat?
}

/// How reading handles the EXIF orientation.
public enum OrientationHandling: Sendable {
  /// The pixels are mirrored and rotated to how the picture is shown.
  case applied
  /// Pixels stay as they are stored.
  case ignored
}

extension Picture {
  /// The default limit for the pixels of a file: 2²⁸, that is 16,384 × 16,384, or 805 MB in memory. The limit protects
  /// against small files that state far larger sizes.
  public static let defaultPixelLimit: Int = 1 << 28

  /// Reads a picture file: JPEG, PNG, WebP, TIFF, GIF (its first frame), HEIC, AVIF or BMP.
  ///
  /// Embedded profiles, CMYK, grey and 16-bit components are converted to 8-bit sRGB. Alpha is stored in a separate
  /// plane. The format is detected from the first bytes, not from the name.
  ///
  /// JPEGs with slight damage are accepted, because every viewer shows them. The end marker may be missing, extra bytes
  /// may be between segments, and data may be missing in the last 1/32 of the rows.
  ///
  /// - Throws: `ImagingError` for a file that cannot be read, is not a picture, is truncated or damaged, has more than
  ///   `pixelLimit` pixels, or needs more memory to read than is free.
  public init(
    contentsOfFile path: String, orientation: OrientationHandling = .applied,
    pixelLimit: Int = Picture.defaultPixelLimit
  ) throws {
    let source = PictureSource(name: path, place: .file(path))
    self = try source.decode(orientation: orientation, pixelLimit: pixelLimit)
  }

  /// Reads a picture file. See `init(contentsOfFile:orientation:pixelLimit:)`.
  public init(
    contentsOf url: URL, orientation: OrientationHandling = .applied,
    pixelLimit: Int = Picture.defaultPixelLimit
  ) throws {
    guard url.isFileURL else {
      throw ImagingError(
        code: .unreadableFile,
        message: "Picture '\(url.absoluteString)': expected the URL of a file."
          + " Download the picture first.")
    }
    try self.init(contentsOfFile: url.path, orientation: orientation, pixelLimit: pixelLimit)
  }

  /// Reads a picture file's bytes. Errors name the file as `name`.
  public init(
    data: Data, name: String = "data", orientation: OrientationHandling = .applied,
    pixelLimit: Int = Picture.defaultPixelLimit
  ) throws {
    let source = PictureSource(name: name, place: .memory(data))
    self = try source.decode(orientation: orientation, pixelLimit: pixelLimit)
  }

  /// Reads the header of a picture file, without decoding pixels.
  ///
  /// - Throws: `ImagingError` for a file that cannot be read or is not a picture.
  public static func probe(_ path: String) throws -> PictureHeader {
    try PictureSource(name: path, place: .file(path)).header()
  }

  /// Reads the header from a picture file's bytes, without decoding pixels.
  public static func probe(data: Data, name: String = "data") throws -> PictureHeader {
    try PictureSource(name: name, place: .memory(data)).header()
  }
}
