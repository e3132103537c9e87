import Foundation
import Imaging
import Testing

@testable import PhotoMetadata

struct PhotoMetadataTests {
  /// Writes a JPEG with EXIF, XMP, IPTC and a resolution, and calls the closure with its path.
  private func withPhoto<Result>(_ body: (String, URL) throws -> Result) throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "atelier-metadata-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var encoding = PictureEncoding()
    encoding.exif = EXIFBlockTests.block(isBig: true)
    encoding.xmp = PictureOrigin(painter: "before").xmp
    encoding.iptc =
      IPTCRecord(Data([0x1C, 2, 80, 0, 3] + Array("Ada".utf8)))?.segment
    encoding.resolution = PictureResolution(pixelsPerInch: 240)
    let file: URL = folder.appendingPathComponent("photo.jpg")
    try Self.picture().encoded(as: .jpeg, encoding).write(to: file)
    return try body(file.path, folder)
  }

  private static func picture() throws -> Picture {
    try Picture(width: 32, height: 16, pixels: (0..<1536).map { UInt8($0 % 200) })
  }

  private func painted(
    _ photo: String, _ folder: URL, as format: PictureFormat,
    stripping: PhotoMetadata.Stripping = .nothing
  ) throws -> String {
    let metadata = try PhotoMetadata(contentsOfFile: photo, stripping: stripping)
    let picture: Picture = try Self.picture()
    let data: Data = try metadata.encoded(
      picture.size, as: format, PictureEncoding(), origin: PictureOrigin(painter: "scream")
    ) { try picture.encoded(as: format, $0) }
    let file: URL = folder.appendingPathComponent("painted.\(format.rawValue)")
    try data.write(to: file)
    return file.path
  }

  @Test(
    "A painting has the photo's EXIF and resolution, and the name of its style",
    arguments: [PictureFormat.jpeg, .png, .webp, .tiff, .heic, .avif])
  func kept(format: PictureFormat) throws {
    try withPhoto { photo, folder in
      let path: String = try painted(photo, folder, as: format)
      let header: PictureHeader = try Picture.probe(path)
      #expect(header.orientation == .up && header.origin?.painter == "scream")
      #expect((header.width, header.height) == (32, 16))
      let data = try Data(contentsOf: URL(fileURLWithPath: path))
      #expect(data.range(of: Data("Canon".utf8)) != nil)
      #expect(data.range(of: Data("secret".utf8)) == nil)
      if format == .jpeg || format == .tiff {
        #expect(data.range(of: Data("Ada".utf8)) != nil)
      }
      if [.jpeg, .png, .tiff].contains(format) {
        let resolution = try EmbeddedMetadata(contentsOfFile: path).resolution
        #expect(abs((resolution?.horizontal ?? 0) * 25.4 - 240) < 0.1)
      }
      // The painting is itself a photo. Its metadata survive when it is painted.
      let again = try painted(path, folder, as: .jpeg)
      let bytes = try Data(contentsOf: URL(fileURLWithPath: again))
      #expect(bytes.range(of: Data("Canon".utf8)) != nil)
    }
  }

  @Test("Location or everything is left out on demand")
  func stripped() throws {
    try withPhoto { photo, folder in
      let part = try painted(photo, folder, as: .jpeg, stripping: .location)
      let bytes = try Data(contentsOf: URL(fileURLWithPath: part))
      let exif = JPEGSegmentsProbe.exif(bytes)
      #expect(exif?.tags?.tags.directories[0x8825] == nil)
      #expect(exif?.tags?.tags.directories[0x8769] != nil)
      let bare = try painted(photo, folder, as: .jpeg, stripping: .everything)
      let rest = try Data(contentsOf: URL(fileURLWithPath: bare))
      #expect(JPEGSegmentsProbe.exif(rest) == nil && rest.range(of: Data("Ada".utf8)) == nil)
      #expect(try Picture.probe(bare).origin?.painter == "scream")
    }
  }

  @Test("Colours of a wide gamut are the same in a painting with the photo's profile")
  func profile() throws {
    guard let profile = try Self.wideProfile() else { return }
    var encoding = PictureEncoding(quality: 100)
    encoding.profile = profile
    let picture: Picture = try Self.picture()
    for format in [PictureFormat.png, .jpeg, .tiff] {
      let data: Data = try picture.encoded(as: format, encoding)
      #expect(data.range(of: Data("sRGB".utf8)) == nil)
      let back = try Picture(data: data)
      let difference: Int =
        zip(back.pixels, picture.pixels).map { abs(Int($0) - Int($1)) }.max() ?? 0
      #expect(difference <= (format == .jpeg ? 12 : 4), "\(format): \(difference)")
    }
  }

  /// Returns the profile of Adobe RGB (1998) from a file of the system. Nil if the system has no such file.
  private static func wideProfile() throws -> Data? {
    let places: [String] = [
      "/usr/share/color/icc/ghostscript/a98.icc", "/usr/share/color/icc/colord/AdobeRGB1998.icc",
    ]
    guard let place = places.first(where: { FileManager.default.fileExists(atPath: $0) }) else {
      return nil
    }
    return try Data(contentsOf: URL(fileURLWithPath: place))
  }
}

/// Reads EXIF from a JPEG for the tests.
private enum JPEGSegmentsProbe {
  static func exif(_ data: Data) -> EXIFBlock? {
    data.withUnsafeBytes { JPEGSegments.metadata($0) }.exif.flatMap { EXIFBlock($0) }
  }
}
