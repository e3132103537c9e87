import Foundation
import Testing

@testable import Imaging

/// Pictures that are cut off or damaged, and those that only look so.
@Suite struct DamageTests {
  /// A JPEG of noise, which leaves no row without data.
  private func jpeg(width: Int = 320, height: Int = 640) throws -> Data {
    var seed: UInt64 = 7
    let pixels: [UInt8] = (0..<width * height * 3).map { _ in
      seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return UInt8(truncatingIfNeeded: seed >> 40)
    }
    return try Picture(width: width, height: height, pixels: pixels).encoded(as: .jpeg)
  }

  /// Where the size stands: after the marker, its length and the precision.
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

  @Test("A few bytes that claim a large picture are damaged, though they have an end")
  func claim() throws {
    var small: Data = try gradient(width: 16, height: 16).encoded(as: .jpeg)
    let size: Int = try frame(small)
    small.replaceSubrange(size..<(size + 4), with: [0x20, 0x00, 0x20, 0x00])
    #expect(try Picture.probe(data: small).width == 8192)
    let words: String = sentence(small)
    #expect(words.hasPrefix("Picture 'photo.jpg': the file is damaged (Corrupt JPEG data:"))
    #expect(words.hasSuffix("Copy it again from where it came."))
  }

  @Test(
    "A claim that takes more memory than there is is refused before a pixel is read",
    arguments: [false, true])
  func largeClaim(isProgressive: Bool) throws {
    var small: Data = try isProgressive ? progressiveJPEG : jpeg(width: 16, height: 16)
    let marker = Data([0xFF, isProgressive ? 0xC2 : 0xC0])
    let size: Int = try #require(small.range(of: marker)).lowerBound + 5
    small.replaceSubrange(size..<(size + 4), with: [0x40, 0x00, 0x40, 0x00])
    // 2^28 pixels: three bytes each, and of a progressive one as many of coefficients.
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
          ? "Picture 'photo.jpg', 16384 × 16384 pixels in a progressive JPEG, needs 1.61 GB of memory,"
            + " and 1.60 GB is free. Use a smaller picture."
          : "Picture 'photo.jpg', 16384 × 16384 pixels, needs 0.81 GB of memory, and 0.80 GB is free."
            + " Use a smaller picture."))
  }

  @Test("A cut-off JPEG says from which row on it is", arguments: [0.2, 0.5, 0.9, 0.99])
  func cutOff(share: Double) throws {
    let whole: Data = try jpeg()
    let words: String = sentence(whole.prefix(Int(Double(whole.count) * share)))
    let match = try #require(
      words.firstMatch(of: /the file is cut off from row (\d+) of 640 on \(/), "\(words)")
    let row: Int = try #require(Int(match.1))
    #expect(abs(Double(row) - 640 * share) <= 32, "\(words)")
  }

  @Test("A JPEG that lacks only its end marker is read as every viewer shows it")
  func missingEnd() throws {
    let whole: Data = try jpeg()
    #expect(try Picture(data: whole.dropLast(2)) == Picture(data: whole))
  }

  @Test("Bytes after the end and between segments cost nothing")
  func strayBytes() throws {
    let whole: Data = try jpeg()
    #expect(try Picture(data: whole + Data([1, 2, 3, 0xFF, 4])) == Picture(data: whole))
    let between: Data = whole.dropLast(2) + Data([0x12, 0x34, 0x56]) + whole.suffix(2)
    #expect(try Picture(data: between) == Picture(data: whole))
  }

  @Test("Data missing before the end marker are slight in the last rows alone")
  func missingTail() throws {
    let whole: Data = try jpeg()
    func without(_ share: Double) -> Data {
      whole.prefix(Int(Double(whole.count) * (1 - share))) + Data([0xFF, 0xD9])
    }
    #expect(try Picture(data: without(0.015)).height == 640)
    let words: String = sentence(without(0.2))
    #expect(words.contains("the file is damaged from row 5"), "\(words)")
  }

  @Test("A progressive JPEG is read whole and refused in parts")
  func progressive() throws {
    let whole: Data = progressiveJPEG
    let picture = try Picture(data: whole)
    #expect(picture.width == 48 && picture.height == 32)
    #expect(try Picture(data: whole.dropLast(2)) == picture)
    for share in [0.5, 0.7, 0.9, 0.97] {
      let cut: Data = whole.prefix(Int(Double(whole.count) * share))
      #expect(sentence(cut).contains("the file is cut off ("), "\(share): \(sentence(cut))")
    }
  }

  @Test("Cut-off GIFs and AVIFs are refused", arguments: [0.3, 0.6, 0.9])
  func otherFormats(share: Double) {
    for whole in [smallGIF, smallAVIF] {
      #expect(throws: ImagingError.self) {
        try Picture(data: whole.prefix(Int(Double(whole.count) * share)))
      }
    }
  }

  @Test("Enlarging beyond the memory is refused before anything is filled")
  func enlarging() throws {
    let picture = try gradient(width: 4, height: 4)
    #expect {
      try picture.scaled(toWidth: 1 << 20, height: 1 << 20)
    } throws: { ($0 as? ImagingError)?.code == .outOfMemory && "\($0)".contains(" is free.") }
    #expect {
      try Picture(width: 1 << 20, height: 1 << 20) { _ in Issue.record("filled") }
    } throws: { ($0 as? ImagingError)?.code == .outOfMemory }
  }

  @Test("A painting says who painted it", arguments: PictureFormat.allCases)
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
