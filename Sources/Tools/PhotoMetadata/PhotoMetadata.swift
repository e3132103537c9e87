import Foundation
import Imaging

/// The metadata that a painting gets from its photo: EXIF, XMP, IPTC, the ICC profile, and the resolution for printing.
public struct PhotoMetadata: Sendable {
  /// The parts of the metadata that the painting does not get.
  public enum Stripping: Sendable {
    /// The painting gets everything.
    case nothing
    /// The painting does not get the place where the photo was taken.
    case location
    /// The painting gets no metadata, and is in sRGB.
    case everything
  }

  private var exif: EXIFBlock?
  private var xmp: XMPPacket?
  private var iptc: IPTCRecord?
  private var profile: Data?
  private var resolution: PictureResolution?

  /// Metadata without any part, for a picture that comes from no photo.
  public init() {}

  /// Reads the metadata of a picture file. Parts that are damaged are left out.
  ///
  /// - Throws: `ImagingError` for a file that cannot be read or is not a picture.
  public init(contentsOfFile path: String, stripping: Stripping = .nothing) throws {
    let data: Data = try Self.contents(path)
    guard stripping != .everything else { return }
    var found = EmbeddedMetadata()
    if data.starts(with: [0xFF, 0xD8]) {
      found = data.withUnsafeBytes { JPEGSegments.metadata($0) }
    } else if !data.starts(with: Data("BM".utf8)) {
      found = try EmbeddedMetadata(contentsOfFile: path)
      found.exif = found.exif ?? PNGChunks.content(of: "eXIf", in: data)
    }
    exif = found.exif.flatMap { EXIFBlock($0) }
    if exif == nil, data.starts(with: Data("II*\0".utf8)) || data.starts(with: Data("MM\0*".utf8)) {
      exif = EXIFBlock(ofTIFF: Array(data))
    }
    xmp = found.xmp.flatMap { XMPPacket($0) }
    iptc = found.iptc.flatMap { IPTCRecord($0) }
    profile = found.profile
    resolution = found.resolution ?? exif?.resolution
    if stripping == .location {
      exif?.removeLocation()
      xmp?.removeLocation()
      iptc?.removeLocation()
    }
  }

  private static func contents(_ path: String) throws -> Data {
    do {
      return try Data(contentsOf: URL(fileURLWithPath: path), options: .mappedIfSafe)
    } catch {
      throw ImagingError(
        code: .unreadableFile,
        message: "Picture '\(path)': the file cannot be read. Check its path and permissions.")
    }
  }

  /// Encodes a painting with this metadata.
  ///
  /// - Parameters:
  ///   - size: The size of the painting.
  ///   - settings: The quality and the other settings. This metadata replaces the metadata in `settings`.
  ///   - origin: The entry that names the painter. Nil to add none.
  ///   - encode: Encodes the pixels with settings.
  public func encoded(
    _ size: PictureSize, as format: PictureFormat, _ settings: PictureEncoding,
    origin: PictureOrigin?, encode: (PictureEncoding) throws -> Data
  ) throws -> Data {
    var settings: PictureEncoding = settings
    settings.resolution = resolution
    settings.profile = profile
    var exif: EXIFBlock? = exif
    exif?.describe(size)
    var packet: XMPPacket? = xmp
    packet?.describe(size)
    if let origin { packet?.add(origin) }
    // A JPEG segment holds at most 65,533 bytes, including its name.
    if format == .jpeg, (packet?.data.count ?? 0) > 65_500 { packet?.removePadding() }
    if format == .jpeg, (packet?.data.count ?? 0) > 65_500 { packet = nil }
    if format == .jpeg, (exif?.data.count ?? 0) > 65_500 { exif = nil }
    settings.xmp = packet?.data ?? origin?.xmp
    switch format {
    case .jpeg:
      settings.exif = exif?.data
      settings.iptc = (iptc?.segment).flatMap { $0.count > 65_500 ? nil : $0 }
    case .heic, .avif: settings.exif = exif?.data
    default: break
    }
    let file: Data = try encode(settings)
    if format == .tiff { return TIFFDirectories.adding(exif, iptc: iptc?.record, to: file) }
    guard let exif else { return file }
    switch format {
    case .png: return PNGChunks.adding("eXIf", exif.data, to: file)
    case .webp: return WebPChunks.adding(exif: exif.data, to: file)
    default: return file
    }
  }
}
