import Foundation

/// What a picture file says about itself before it is decoded.
public struct PictureHeader: Sendable, Hashable {
  /// Columns of pixels, as shown: after the orientation has been applied.
  public let width: Int
  /// Rows of pixels, as shown: after the orientation has been applied.
  public let height: Int
  /// How the stored pixels lie.
  public let orientation: Orientation
  /// Whether the file has an alpha channel.
  public let hasAlpha: Bool
  /// Who painted the picture, where Atelier did.
  public let origin: PictureOrigin?
}

/// What reading does about the EXIF orientation.
public enum OrientationHandling: Sendable {
  /// Pixels are turned the way the picture is shown.
  case applied
  /// Pixels stay as they are stored.
  case ignored
}

extension Picture {
  /// Pixels that a file may have unless the caller says otherwise: 2²⁸, that is 16 384 × 16 384,
  /// or 805 MB in memory. A small file can claim far more.
  public static let defaultPixelLimit: Int = 1 << 28

  /// Reads a picture file: JPEG, PNG, WebP, TIFF, GIF (its first frame), HEIC or AVIF.
  ///
  /// Embedded profiles, CMYK, grey and 16-bit components are converted to 8-bit sRGB; alpha is kept
  /// apart. The kind of file is found by its first bytes, not by its name.
  ///
  /// What every viewer shows is read: a JPEG without its end marker, with bytes too many between its
  /// segments, or with data missing in the last 32nd of its rows.
  ///
  /// - Throws: `ImagingError` for a file that cannot be read, is not a picture, is cut off or damaged,
  ///   has more than `pixelLimit` pixels, or takes more memory to read than is free.
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

  /// Reads a picture file's bytes. `name` stands for the file in errors.
  public init(
    data: Data, name: String = "data", orientation: OrientationHandling = .applied,
    pixelLimit: Int = Picture.defaultPixelLimit
  ) throws {
    let source = PictureSource(name: name, place: .memory(data))
    self = try source.decode(orientation: orientation, pixelLimit: pixelLimit)
  }

  /// The size and the orientation of a picture file. Nothing is decoded.
  ///
  /// - Throws: `ImagingError` for a file that cannot be read or is not a picture.
  public static func probe(_ path: String) throws -> PictureHeader {
    try PictureSource(name: path, place: .file(path)).header()
  }

  /// The size and the orientation in a picture file's bytes. Nothing is decoded.
  public static func probe(data: Data, name: String = "data") throws -> PictureHeader {
    try PictureSource(name: name, place: .memory(data)).header()
  }
}
