import Foundation
import Testing

@testable import Imaging

/// Tests that libjpeg alone decodes a JPEG to exactly the same pixels as libvips.
@Suite struct PlainJPEGTests {
  private func source(_ data: Data) -> PictureSource {
    PictureSource(name: "photo.jpg", place: .memory(data))
  }

  /// Calls the closure for a JPEG that libjpeg decodes alone. Returns nil for any other file.
  private func plain<Result>(
    _ data: Data, _ body: (PlainJPEG) throws -> Result?
  ) rethrows -> Result? {
    try data.withUnsafeBytes { try PlainJPEG(bytes: $0).flatMap(body) }
  }

  private func isPlain(_ data: Data) -> Bool { plain(data) { _ in true } ?? false }

  /// Creates an image whose colours change from pixel to pixel. So any difference in chroma upsampling is visible.
  private func noise(width: Int, height: Int) throws -> Picture {
    var state: UInt32 = 7
    let pixels: [UInt8] = (0..<width * height * 3).map { _ in
      state = state &* 1_664_525 &+ 1_013_904_223
      return UInt8(state >> 24)
    }
    return try Picture(width: width, height: height, pixels: pixels)
  }

  @Test(
    "The pixels and the header of a JPEG match libvips's",
    arguments: [(1, 1), (7, 5), (16, 16), (333, 211)], [30, 89, 90, 100])
  func same(size: (Int, Int), quality: Int) throws {
    let data: Data = try noise(width: size.0, height: size.1).encoded(
      as: .jpeg, quality: quality, origin: PictureOrigin(painter: "wave & <sea>"))
    #expect(isPlain(data))
    #expect(try source(data).header() == source(data).headerByLibvips())
    #expect(try source(data).header().origin?.painter == "wave & <sea>")
    #expect(
      try Picture(data: data)
        == source(data).decodeByLibvips(orientation: .applied, pixelLimit: .max))
  }

  @Test("The pixels of a progressive JPEG and of a JPEG from a file match libvips's")
  func progressive() throws {
    #expect(plain(progressiveJPEG) { $0.isProgressive } == true)
    #expect(
      try Picture(data: progressiveJPEG)
        == source(progressiveJPEG).decodeByLibvips(orientation: .applied, pixelLimit: .max))
    let folder = try TemporaryFolder()
    try progressiveJPEG.write(to: URL(fileURLWithPath: folder.path("a.jpg")))
    #expect(PlainJPEG(path: folder.path("a.jpg")) != nil)
    #expect(
      try Picture(contentsOfFile: folder.path("a.jpg")) == Picture(data: progressiveJPEG))
  }

  @Test("The EXIF orientation matches libvips's in both byte orders", arguments: 1...8)
  func orientation(_ code: Int) throws {
    let data: Data = try addingOrientation(
      code, toJPEG: gradient(width: 24, height: 16).encoded(as: .jpeg))
    #expect(plain(data) { $0.orientation.rawValue } == UInt32(code))
    #expect(try source(data).header() == source(data).headerByLibvips())
    #expect(
      try Picture(data: data)
        == source(data).decodeByLibvips(orientation: .applied, pixelLimit: .max))
  }

  @Test("A truncated or changed EXIF segment is never misread")
  func damagedEXIF() throws {
    let complete: Data = try addingOrientation(
      6, toJPEG: gradient(width: 24, height: 16).encoded(as: .jpeg))
    // Changes each byte of the 26-byte TIFF structure. This structure comes after the segment's marker, length and
    // name.
    for position in 12..<38 {
      for value: UInt8 in [0, 1, 2, 9, 0x7F, 0xFF] {
        var changed: Data = complete
        changed[position] = value
        guard let found = plain(changed, { $0.orientation }) else { continue }
        let known: Orientation = try source(changed).headerByLibvips().orientation
        #expect(found == known, "byte \(position) is \(value)")
      }
    }
  }

  @Test("Missing or damaged data are left to libvips, which reports the problem")
  func damaged() throws {
    let complete: Data = try noise(width: 64, height: 48).encoded(as: .jpeg)
    for share in [0.1, 0.3, 0.6, 0.95] {
      let part: Data = complete.prefix(Int(Double(complete.count) * share))
      #expect(try plain(part) { try $0.decoded() } == nil)
    }
    #expect(!isPlain(Data("no picture".utf8)))
    #expect(!isPlain(Data([0xFF, 0xD8, 0xFF])))
  }

  @Test("Grey and CMYK JPEGs are left to libvips")
  func others() throws {
    // Changes the header of a JPEG of 8 × 8 pixels, so that it declares one component, as for a grey image.
    var grey: Data = try gradient(width: 8, height: 8).encoded(as: .jpeg)
    let frame: Int = try #require(grey.range(of: Data([0xFF, 0xC0]))).lowerBound
    grey[frame + 9] = 1
    #expect(!isPlain(grey))
  }
}
