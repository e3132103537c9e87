import Foundation
import Testing

@testable import Imaging

/// Tests the code that runs on a machine without libvips, by calling it directly.
@Suite("Pictures without libvips")
struct WithoutLibvipsTests {
  private static func picture(alpha: Bool) throws -> Picture {
    let (width, height) = (37, 23)
    var bytes: [UInt8] = []
    for y in 0..<height {
      for x in 0..<width {
        bytes += [UInt8(x * 6), UInt8(y * 11), UInt8((x * y) & 255)]
        if alpha { bytes.append(UInt8(255 - x)) }
      }
    }
    return try bytes.withUnsafeBytes { rows in
      let start = try #require(rows.baseAddress)
      return try Picture(
        width: width, height: height, layout: alpha ? .rgba(.straight) : .rgb, rows: start,
        bytesPerRow: width * (alpha ? 4 : 3))
    }
  }

  private static func source(_ data: Data) -> PictureSource {
    PictureSource(name: "test", place: .memory(data), memoryLimit: nil)
  }

  @Test(
    "A PNG that libpng alone wrote has the same pixels, read with and without libvips",
    arguments: [false, true])
  func roundTrip(alpha: Bool) throws {
    let picture = try Self.picture(alpha: alpha)
    let data = try picture.encodeWithoutLibvips(as: .png, PictureEncoding(), name: "test")
    let source = Self.source(data)
    let alone = try source.decodeWithoutLibvips(orientation: .applied, pixelLimit: 1 << 20)
    let together = try source.decodeByLibvips(orientation: .applied, pixelLimit: 1 << 20)
    for read in [alone, together] {
      #expect(read.width == picture.width && read.height == picture.height)
      #expect((read.opacity != nil) == alpha)
      #expect(try read.encoded(as: .png) == picture.encoded(as: .png))
    }
    #expect(try source.headerWithoutLibvips().hasAlpha == alpha)
  }

  @Test("Libvips finds the entry of the painter in a PNG that libpng alone wrote")
  func origin() throws {
    let origin = PictureOrigin(painter: "Scream")
    var encoding = PictureEncoding()
    encoding.xmp = origin.xmp
    let data = try Self.picture(alpha: false).encodeWithoutLibvips(
      as: .png, encoding, name: "test")
    #expect(try Self.source(data).headerByLibvips().origin == origin)
  }

  @Test("A truncated PNG is refused in words")
  func truncated() throws {
    let data = try Self.picture(alpha: false).encodeWithoutLibvips(
      as: .png, PictureEncoding(), name: "test")
    let error = #expect(throws: ImagingError.self) {
      try Self.source(data.prefix(data.count / 2)).decodeWithoutLibvips(
        orientation: .applied, pixelLimit: 1 << 20)
    }
    #expect(error?.message.contains("cannot be decoded") == true)
  }

  @Test("Other formats name libvips, which they need")
  func otherFormats() throws {
    let picture = try Self.picture(alpha: false)
    let webp = try picture.encoded(as: .webp)
    let reading = #expect(throws: ImagingError.self) {
      try Self.source(webp).headerWithoutLibvips()
    }
    #expect(reading?.message.contains("libvips42") == true)
    let writing = #expect(throws: ImagingError.self) {
      try picture.encodeWithoutLibvips(as: .webp, PictureEncoding(), name: "test")
    }
    #expect(writing?.message.contains("WebP needs libvips") == true)
  }

  @Test("A JPEG has the same pixels with and without libvips")
  func jpeg() throws {
    let source = Self.source(try Self.picture(alpha: false).encoded(as: .jpeg, quality: 92))
    let alone = try source.decodeWithoutLibvips(orientation: .applied, pixelLimit: 1 << 20)
    let together = try source.decodeByLibvips(orientation: .applied, pixelLimit: 1 << 20)
    #expect(try alone.encoded(as: .png) == together.encoded(as: .png))
  }
}
