import Foundation
import Testing

@testable import Imaging

@Suite struct WritingTests {
  /// For each format: the largest difference of a sample (0…255) that writing at a high quality may cause.
  static let losses: [(PictureFormat, Int)] = [
    (.jpeg, 8), (.png, 0), (.webp, 14), (.tiff, 0), (.heic, 16), (.avif, 16),
  ]

  @Test("Each format survives a round trip", arguments: losses)
  func roundTrip(format: PictureFormat, loss: Int) throws {
    let folder = try TemporaryFolder()
    let picture: Picture = try gradient(width: 64, height: 48)
    let path: String = folder.path("picture.\(format.rawValue)")
    try picture.write(toFile: path, quality: 97)
    let back = try Picture(contentsOfFile: path)
    #expect(back.largestDifference(to: picture) <= loss)
    #expect(!back.hasAlpha)
    #expect(try folder.contents == ["picture.\(format.rawValue)"])
  }

  @Test("Alpha is written if the format supports it", arguments: losses)
  func alpha(format: PictureFormat, loss: Int) throws {
    let picture: Picture = try gradient(width: 64, height: 48, alpha: true)
    let back = try Picture(data: picture.encoded(as: format, quality: 97))
    #expect(back.hasAlpha == format.holdsAlpha)
    if format.holdsAlpha {
      let (found, expected) = (try #require(back.alpha), try #require(picture.alpha))
      let differences: [Int] = zip(found, expected).map { abs(Int($0) - Int($1)) }
      // HEIC and AVIF compress alpha with a loss.
      let allowed: Int = [.heic, .avif].contains(format) ? 3 : 0
      #expect(found.count == expected.count && differences.allSatisfy { $0 <= allowed })
    }
    if loss == 0 { #expect(back.pixels == picture.pixels) }
  }

  @Test("A lower quality makes a smaller file", arguments: [PictureFormat.jpeg, .webp])
  func quality(format: PictureFormat) throws {
    let picture = try Picture(
      width: 128, height: 128,
      pixels: (0..<(128 * 128 * 3)).map { UInt8(truncatingIfNeeded: ($0 &* 7919) >> 5) })
    let small: Int = try picture.encoded(as: format, quality: 20).count
    #expect(try small < picture.encoded(as: format, quality: 95).count)
    for bad in [0, 101, -3] {
      #expect {
        try picture.encoded(as: format, quality: bad)
      } throws: { "\($0)".contains("between 1 and 100, but is \(bad)") }
    }
  }

  @Test(
    "The extension determines the format, case-insensitively",
    arguments: [
      ("a.JPG", PictureFormat.jpeg), ("b.c.jpeg", .jpeg), ("p.Png", .png), ("w.webp", .webp),
      ("t.tif", .tiff),
    ])
  func extensions(name: String, format: PictureFormat) throws {
    #expect(try PictureFormat(path: "/somewhere/" + name) == format)
  }

  @Test(
    "An unknown extension is refused before work starts",
    arguments: ["painting.bmp", "painting", "painting.xyz"])
  func unknownExtension(name: String) throws {
    let folder = try TemporaryFolder()
    let path: String = folder.path(name)
    #expect {
      try gradient(width: 4, height: 4).write(toFile: path)
    } throws: {
      ($0 as? ImagingError)?.code == .unknownFormat
        && "\($0)".hasPrefix("Picture '\(path)': expected a name that ends in .jpg")
    }
    #expect(try folder.contents.isEmpty)
  }

  @Test("An image too large for a format leaves the old file unchanged")
  func tooLong() throws {
    let folder = try TemporaryFolder()
    let path: String = folder.path("old.webp")
    try Data("old".utf8).write(to: URL(fileURLWithPath: path))
    #expect {
      try gradient(width: 16384, height: 1).write(toFile: path)
    } throws: { "\($0)".contains("WebP allows sides of up to 16383 pixels") }
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data("old".utf8))
    #expect(try folder.contents == ["old.webp"])
  }

  @Test("An unwritable destination gives a message and leaves no file")
  func unwritableTarget() throws {
    let folder = try TemporaryFolder()
    #expect {
      try gradient(width: 4, height: 4).write(toFile: folder.path("no/such/folder/a.png"))
    } throws: { "\($0)".contains("there is no folder") }

    let inTheWay: String = folder.path("folder.png")
    try FileManager.default.createDirectory(
      atPath: inTheWay + "/inside", withIntermediateDirectories: true)
    #expect {
      try gradient(width: 4, height: 4).write(toFile: inTheWay)
    } throws: { "\($0)".hasPrefix("Picture '\(inTheWay)': it cannot be put in its place") }
    #expect(try folder.contents == ["folder.png"])
  }

  @Test("Writing replaces an old file")
  func replacing() throws {
    let folder = try TemporaryFolder()
    let path: String = folder.path("a.png")
    try gradient(width: 9, height: 9).write(toFile: path)
    try gradient(width: 4, height: 5).write(toFile: path)
    #expect(try Picture.probe(path).width == 4)
    #expect(try folder.contents == ["a.png"])
  }
}
