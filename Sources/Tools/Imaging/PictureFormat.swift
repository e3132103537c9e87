import CVips
import Foundation

/// The file formats that pictures are written in.
public enum PictureFormat: String, Sendable, CaseIterable {
  /// JPEG: lossy, no alpha.
  case jpeg
  /// PNG: lossless, with alpha.
  case png
  /// WebP: lossy, with alpha.
  case webp
  /// TIFF: lossless (Deflate), with alpha.
  case tiff

  /// The format for a file name extension, upper or lower case, or `nil` for an unknown one.
  public init?(fileExtension: String) {
    switch fileExtension.lowercased() {
    case "jpg", "jpeg", "jpe", "jfif": self = .jpeg
    case "png": self = .png
    case "webp": self = .webp
    case "tif", "tiff": self = .tiff
    default: return nil
    }
  }

  /// The format that a file's name asks for.
  ///
  /// Ask before the work starts whose result goes there.
  ///
  /// - Throws: `ImagingError` with code `unknownFormat`, naming the extensions that are known.
  public init(path: String) throws {
    let found: String = URL(fileURLWithPath: path).pathExtension
    guard let format = PictureFormat(fileExtension: found) else {
      let what: String = found.isEmpty ? "no extension" : "'.\(found)'"
      throw ImagingError(
        code: .unknownFormat,
        message: "Picture '\(path)': expected a name that ends in .jpg, .jpeg, .png, .webp,"
          + " .tif or .tiff, but it has \(what). Choose one of these.")
    }
    self = format
  }

  /// Whether files hold alpha.
  public var holdsAlpha: Bool { self != .jpeg }

  /// The longest side that files can have, in pixels.
  public var longestSide: Int {
    switch self {
    case .jpeg: return 65535
    case .webp: return 16383
    case .png, .tiff: return 1 << 20
    }
  }

  /// The name as people write it.
  public var name: String {
    switch self {
    case .jpeg: return "JPEG"
    case .png: return "PNG"
    case .webp: return "WebP"
    case .tiff: return "TIFF"
    }
  }

  /// libvips' code; nil for JPEG, which libjpeg writes alone.
  var code: CVipsFormat? {
    switch self {
    case .jpeg: return nil
    case .png: return CVIPS_PNG
    case .webp: return CVIPS_WEBP
    case .tiff: return CVIPS_TIFF
    }
  }
}
