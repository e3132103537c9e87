import Foundation
import Testing

@testable import Imaging

/// Images that are truncated or damaged, and valid images that look damaged.
@Suite struct DamageTests {
  /// Creates a JPEG of noise, so that every row of the image takes bytes in the file.
  private func jpeg(width: Int = 320, height: Int = 640) throws -> Data {
    var seed: UInt64 = 7
    let pixels: [UInt8] = (0..<width * height * 3).map { _ in
      seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return UInt8(truncatingIfNeeded: seed >> 40)
    }
    return try Picture(width: width, height: height, pixels: pixels).encoded(as: .jpeg)
  }

  /// Returns the byte position of the image size in a JPEG. The size comes after the marker, the length and the
  /// precision.
  private func frame(_ jpeg: Data) throws -> Int {
    let marker = Data([0xFF, 0xC0])
    return try #require(jpeg.range(of: marker)).lowerBound + 5
  }

  private func sentence(_ data: Data) -> String {
    do {
      _ = try Picture(data: data, name: "photo.jpg")
      return "no error"
    } catch {
      return "\(error)"
    }
  }

  @Test("A short file that declares a large image is damaged, even with an end marker")
  func claim() throws {
    var small: Data = try gradient(width: 16, height: 16).encoded(as: .jpeg)
    let size: Int = try frame(small)
    small.replaceSubrange(size..<(size + 4), with: [0x20, 0x00, 0x20, 0x00])
    #expect(try Picture.probe(data: small).width == 8192)
    let words: String = sentence(small)
    #expect(words.hasPrefix("Picture 'photo.jpg': the file is damaged (Corrupt JPEG data:"))
    #expect(words.hasSuffix("Copy it again from its source."))
  }

  @Test(
    "A declared size that exceeds the free memory is refused before a pixel is read",
    arguments: [false, true])
  func largeClaim(isProgressive: Bool) throws {
    var small: Data = try isProgressive ? progressiveJPEG : jpeg(width: 16, height: 16)
    let marker = Data([0xFF, isProgressive ? 0xC2 : 0xC0])
    let size: Int = try #require(small.range(of: marker)).lowerBound + 5
    small.replaceSubrange(size..<(size + 4), with: [0x40, 0x00, 0x40, 0x00])
    // The image has 2^28 pixels of three bytes each. A progressive JPEG also needs the same number of bytes for its
    // coefficients.
    let source = PictureSource(
      name: "photo.jpg", place: .memory(small),
      memoryLimit: isProgressive ? 1_600_000_000 : 800_000_000
    )
    let error = #expect(throws: ImagingError.self) {
      try source.decode(orientation: .applied, pixelLimit: .max)
    }
    #expect(error?.code == .outOfMemory)
    #expect(
      error?.message
        == (isProgressive
          ? "Picture 'photo.jpg', 16384 × 16384 pixels in a progressive JPEG, needs 1.61 GB of"
            + " memory, but only 1.60 GB is free. Use a smaller picture."
          : "Picture 'photo.jpg', 16384 × 16384 pixels, needs 0.81 GB of memory, but only 0.80 GB"
            + " is free. Use a smaller picture."))
  }

  @Test(
    "For a truncated JPEG, the error names the first missing row", arguments: [0.2, 0.5, 0.9, 0.99])
  func cutOff(share: Double) throws {
    let complete: Data = try jpeg()
    let words: String = sentence(complete.prefix(Int(Double(complete.count) * share)))
    let match = try #require(
      words.firstMatch(of: /the file is truncated from row (\d+) of 640 \(/), "\(words)")
    let row: Int = try #require(Int(match.1))
    #expect(abs(Double(row) - 640 * share) <= 32, "\(words)")
  }

  @Test("A JPEG that lacks only its end marker is read, as in every viewer")
  func missingEnd() throws {
    let complete: Data = try jpeg()
    #expect(try Picture(data: complete.dropLast(2)) == Picture(data: complete))
  }

  @Test("Extra bytes after the end and between segments are ignored")
  func strayBytes() throws {
    let complete: Data = try jpeg()
    #expect(try Picture(data: complete + Data([1, 2, 3, 0xFF, 4])) == Picture(data: complete))
    let between: Data = complete.dropLast(2) + Data([0x12, 0x34, 0x56]) + complete.suffix(2)
    #expect(try Picture(data: between) == Picture(data: complete))
  }

  @Test("Missing data before the end marker are tolerated only in the last rows")
  func missingTail() throws {
    let complete: Data = try jpeg()
    func without(_ share: Double) -> Data {
      complete.prefix(Int(Double(complete.count) * (1 - share))) + Data([0xFF, 0xD9])
    }
    #expect(try Picture(data: without(0.015)).height == 640)
    let words: String = sentence(without(0.2))
    #expect(words.contains("the file is damaged from row 5"), "\(words)")
  }

  @Test("A progressive JPEG is read if complete and refused if truncated")
  func progressive() throws {
    let complete: Data = progressiveJPEG
    let picture = try Picture(data: complete)
    #expect(picture.width == 48 && picture.height == 32)
    #expect(try Picture(data: complete.dropLast(2)) == picture)
    for share in [0.5, 0.7, 0.9, 0.97] {
      let cut: Data = complete.prefix(Int(Double(complete.count) * share))
      #expect(sentence(cut).contains("the file is truncated ("), "\(share): \(sentence(cut))")
    }
  }

  @Test("Truncated GIFs and AVIFs are refused", arguments: [0.3, 0.6, 0.9])
  func otherFormats(share: Double) {
    for complete in [smallGIF, smallAVIF] {
      #expect(throws: ImagingError.self) {
        try Picture(data: complete.prefix(Int(Double(complete.count) * share)))
      }
    }
  }

  @Test("Enlarging beyond the memory is refused before anything is allocated")
  func enlarging() throws {
    let picture = try gradient(width: 4, height: 4)
    #expect {
      try picture.scaled(toWidth: 1 << 20, height: 1 << 20)
    } throws: { ($0 as? ImagingError)?.code == .outOfMemory && "\($0)".contains(" is free.") }
    #expect {
      try Picture(width: 1 << 20, height: 1 << 20) { _ in Issue.record("filled") }
    } throws: { ($0 as? ImagingError)?.code == .outOfMemory }
  }

  @Test(
    "A result records the style that painted it",
    arguments: PictureFormat.allCases.filter { $0 != .gif })
  func origin(format: PictureFormat) throws {
    let picture = try gradient(width: 20, height: 10, alpha: true)
    let origin = PictureOrigin(painter: "wave & <storm> ☂")
    let data: Data = try picture.encoded(as: format, origin: origin)
    let header = try Picture.probe(data: data)
    #expect(header.origin == origin)
    #expect(header.width == 20)
    let plain: Data = try picture.encoded(as: format)
    #expect(try Picture.probe(data: plain).origin == nil)
    #expect(try Picture(data: plain) == Picture(data: data))
  }
}
