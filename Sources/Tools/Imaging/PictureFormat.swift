import CVips
import Foundation

/// The file formats in which pictures are written.
public enum PictureFormat: String, Sendable, CaseIterable {
  /// JPEG: lossy, no alpha.
  case jpeg
  /// PNG: lossless, with alpha.
  case png
  /// WebP: lossy, with alpha.
  case webp
  /// TIFF: lossless, with alpha.
  case tiff
  /// HEIC: lossy (HEVC), with alpha.
  case heic
  /// AVIF: lossy (AV1), with alpha.
  case avif
  /// GIF: 256 colours, with transparency, and animations.
  case gif

  /// Finds the format with a file name extension, in upper or lower case. Nil if no format has the extension.
  public init?(fileExtension: String) {
    switch fileExtension.lowercased() {
    case "jpg", "jpeg", "jpe", "jfif": self = .jpeg
    case "png": self = .png
    case "webp": self = .webp
    case "tif", "tiff": self = .tiff
    case "heic", "heif", "hif": self = .heic
    case "avif": self = .avif
    case "gif": self = .gif
    default: return nil
    }
  }

  /// Finds the format by the extension of a file's name.
  ///
  /// Call this initialiser before computing the picture, so that the user learns of an unknown extension early.
  ///
  /// - Throws: `ImagingError` with code `unknownFormat`, naming the extensions that are known.
  public init(path: String) throws {
    let found: String = URL(fileURLWithPath: path).pathExtension
    guard let format = PictureFormat(fileExtension: found) else {
      let what: String = found.isEmpty ? "no extension" : "'.\(found)'"
      throw ImagingError(
        code: .unknownFormat,
        message: "Picture '\(path)': expected a name that ends in .jpg, .jpeg, .png, .webp,"
          + " .tif, .tiff, .heic, .avif or .gif, but it has \(what). Choose one of these.")
    }
    self = format
  }

  /// Whether files of this format can contain alpha.
  public var holdsAlpha: Bool { self != .jpeg }

  /// Whether files of this format can have 16 bits per component.
  public var holdsDeepPictures: Bool { self == .png || self == .tiff }

  /// Whether files of this format can hold an animation that Atelier writes.
  public var holdsAnimations: Bool { self == .gif || self == .webp || self == .png }

  /// The longest side that a picture in this format can have, in pixels.
  public var longestSide: Int {
    switch self {
    case .jpeg, .gif: return 65535
    case .heic, .avif: return 16384
    case .webp: return 16383
    case .png, .tiff: return 1 << 20
    }
  }

  /// The name of the format for people, such as `WebP`.
  public var name: String {
    switch self {
    case .jpeg: return "JPEG"
    case .png: return "PNG"
    case .webp: return "WebP"
    case .tiff: return "TIFF"
    case .heic: return "HEIC"
    case .avif: return "AVIF"
    case .gif: return "GIF"
    }
  }

  /// The format as libvips names it. Nil for JPEG, which libjpeg writes.
  var code: CVipsFormat? {
    switch self {
    case .jpeg: return nil
    case .png: return CVIPS_PNG
    case .webp: return CVIPS_WEBP
    case .tiff: return CVIPS_TIFF
    case .heic: return CVIPS_HEIC
    case .avif: return CVIPS_AVIF
    case .gif: return CVIPS_GIF
    }
  }

  /// Checks that this machine's libraries can write the format, before a caller computes a picture for it.
  ///
  /// - Throws: `ImagingError` that names the missing library.
  public func requireEncoder() throws {
    guard self == .heic || self == .avif else { return }
    let probe = try Picture(width: 16, height: 16, pixels: Array(repeating: 128, count: 768))
    _ = try probe.encoded(as: self, PictureEncoding())
  }
}
