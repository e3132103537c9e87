import CVips
import Foundation

/// The metadata of a picture file, as the file stores them.
public struct EmbeddedMetadata: Sendable {
  /// EXIF data, which begin with their TIFF header.
  public var exif: Data?
  /// The XMP packet.
  public var xmp: Data?
  /// The IPTC record, or the Photoshop segment that holds it.
  public var iptc: Data?
  /// The ICC profile.
  public var profile: Data?
  /// The resolution for printing. Nil if the file states none.
  public var resolution: PictureResolution?

  /// Creates metadata without any part.
  public init() {}

  /// Reads the metadata of a file with libvips, which cannot read BMP. On a machine without libvips, they are empty.
  ///
  /// - Throws: `ImagingError` for a file that cannot be read or is not a picture.
  public init(contentsOfFile path: String) throws {
    guard Vips.isAvailable else {
      self = EmbeddedMetadata()
      return
    }
    let source = PictureSource(name: path, place: .file(path))
    self = try source.withImage(CVIPS_LENIENT) { image in
      func blob(_ name: String) -> Data? {
        var count: Int = 0
        guard let bytes = cvips_blob(image.handle, name, &count), count > 0 else { return nil }
        return Data(bytes: bytes, count: count)
      }
      var metadata = EmbeddedMetadata()
      metadata.exif = blob("exif-data").map {
        $0.starts(with: Data("Exif\0\0".utf8)) ? Data($0.dropFirst(6)) : $0
      }
      metadata.xmp = blob("xmp-data")
      metadata.iptc = blob("iptc-data")
      metadata.profile = blob("icc-profile-data")
      let across: Double = cvips_horizontal_resolution(image.handle)
      let down: Double = cvips_vertical_resolution(image.handle)
      if across > 0, down > 0, across != 1 || down != 1 {
        metadata.resolution = PictureResolution(horizontal: across, vertical: down)
      }
      return metadata
    }
  }
}
