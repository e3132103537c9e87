import Foundation
import Testing

@testable import Imaging

/// Tests the support for BMP, 16 bits per sample, animations, colour profiles and encoding options.
struct PhotoFormatTests {
  // MARK: BMP

  /// Returns a BMP file with a header of 40 bytes.
  private func bitmap(
    width: Int32, height: Int32, bits: UInt16, compression: UInt32 = 0, palette: [UInt8] = [],
    pixels: [UInt8]
  ) -> Data {
    var data = Data("BM".utf8)
    func append<Value: FixedWidthInteger>(_ value: Value) {
      withUnsafeBytes(of: value.littleEndian) { data.append(contentsOf: $0) }
    }
    let start = UInt32(54 + palette.count)
    append(start + UInt32(pixels.count))
    append(UInt32(0))
    append(start)
    append(UInt32(40))
    append(width)
    append(height)
    append(UInt16(1))
    append(bits)
    append(compression)
    for value in [UInt32(pixels.count), 0, 0, UInt32(palette.count / 4), 0] { append(value) }
    return data + palette + pixels
  }

  @Test("A BMP of 24 bits is stored from the bottom, blue first, with padded rows")
  func colors() throws {
    let rows: [UInt8] = [1, 2, 3, 4, 5, 6, 0, 0, 7, 8, 9, 10, 11, 12, 0, 0]
    let picture = try Picture(data: bitmap(width: 2, height: 2, bits: 24, pixels: rows))
    #expect(picture.pixels == [9, 8, 7, 12, 11, 10, 3, 2, 1, 6, 5, 4])
    let flipped = try Picture(data: bitmap(width: 2, height: -2, bits: 24, pixels: rows))
    #expect(flipped.pixels == [3, 2, 1, 6, 5, 4, 9, 8, 7, 12, 11, 10])
  }

  @Test("BMPs with palettes and run lengths are read")
  func palettes() throws {
    let palette: [UInt8] = [0, 0, 0, 0, 255, 0, 0, 0, 0, 0, 255, 0]
    let plain = try Picture(
      data: bitmap(width: 4, height: 1, bits: 4, palette: palette, pixels: [0x01, 0x20, 0, 0]))
    #expect(plain.pixels == [0, 0, 0, 0, 0, 255, 255, 0, 0, 0, 0, 0])
    let runs = try Picture(
      data: bitmap(
        width: 3, height: 2, bits: 8, compression: 1, palette: palette,
        pixels: [2, 1, 0, 0, 0, 3, 2, 1, 2, 0, 0, 1]))
    #expect(runs.pixels == [255, 0, 0, 0, 0, 255, 255, 0, 0, 0, 0, 255, 0, 0, 255, 0, 0, 0])
  }

  @Test("A BMP that ends early or claims too much is refused")
  func damagedBitmaps() {
    for data in [
      bitmap(width: 2, height: 2, bits: 24, pixels: [1, 2, 3]),
      bitmap(width: 0, height: 2, bits: 24, pixels: [1]),
      bitmap(width: 9000, height: 9000, bits: 8, compression: 1, pixels: [0, 1]),
      bitmap(width: 2, height: 2, bits: 7, pixels: [1, 2, 3, 4, 5, 6, 7, 8]),
    ] {
      #expect { try Picture(data: data, name: "a.bmp") } throws: {
        "\($0)".hasPrefix("Picture 'a.bmp': the BMP cannot be read (")
      }
    }
  }

  // MARK: 16 bits

  private func ramp() throws -> DeepPicture {
    try DeepPicture(width: 1024, height: 2) { target in
      for index in target.indices { target[index] = UInt16(index / 3 % 1024 * 64) }
    }
  }

  @Test("A ramp of 1024 grey levels survives 16-bit files", arguments: [PictureFormat.png, .tiff])
  func deep(format: PictureFormat) throws {
    let folder = try TemporaryFolder()
    let path: String = folder.path("deep.\(format.rawValue)")
    try ramp().encoded(as: format, PictureEncoding()).write(to: URL(fileURLWithPath: path))
    #expect(try Picture.probe(path).bitsPerComponent == 16)
    let back = try DeepPicture(contentsOfFile: path)
    #expect(back.withComponents { Set($0).count } == 1024)
    #expect(try back.withComponents { Array($0) } == ramp().withComponents { Array($0) })
    // libvips drops the lower bits instead of rounding.
    #expect(try back.rounded().largestDifference(to: Picture(contentsOfFile: path)) <= 1)
  }

  @Test("Formats of 8 bits get the rounded picture")
  func rounded() throws {
    let data = try ramp().encoded(as: .webp, PictureEncoding(quality: 100))
    #expect(try Picture(data: data).largestDifference(to: ramp().rounded()) < 12)
  }

  // MARK: Animations

  @Test("An animation keeps its pictures and their timing", arguments: [PictureFormat.gif, .webp])
  func animation(format: PictureFormat) throws {
    let folder = try TemporaryFolder()
    let path: String = folder.path("moving.\(format.rawValue)")
    let pictures: [Picture] = try (0..<12).map { index in
      try Picture(
        width: 20, height: 10, pixels: (0..<600).map { UInt8(($0 * 7 + index * 20) % 256) })
    }
    let delays: [Int] = (0..<12).map { 50 + $0 * 10 }
    let animation = Animation(pictures: pictures, delays: delays, loopCount: 4)
    try animation.encoded(as: format, PictureEncoding()).write(to: URL(fileURLWithPath: path))
    #expect(try Picture.probe(path).pageCount == 12)
    let back = try Animation(contentsOfFile: path)
    #expect(back.pictures.count == 12 && back.delays == delays && back.loopCount == 4)
    #expect(throws: ImagingError.self) { try animation.encoded(as: .jpeg, PictureEncoding()) }
  }

  // MARK: Settings of files

  @Test("A JPEG is progressive and has the wanted chroma and resolution")
  func jpegSettings() throws {
    let picture: Picture = try gradient(width: 64, height: 48)
    var encoding = PictureEncoding(quality: 95)
    encoding.isProgressive = true
    encoding.chroma = .half
    encoding.resolution = PictureResolution(pixelsPerInch: 300)
    let bytes: [UInt8] = try Array(picture.encoded(as: .jpeg, encoding))
    let frame: Int = try #require(bytes.indices.first { bytes[$0...].starts(with: [0xFF, 0xC2]) })
    #expect(bytes[frame + 11] == 0x22)
    // The JFIF segment: unit 1 (inch), then the two densities.
    #expect(bytes[13] == 1 && bytes[14...17].elementsEqual([1, 44, 1, 44]))
    let plain: [UInt8] = try Array(picture.encoded(as: .jpeg, PictureEncoding(quality: 95)))
    let baseline: Int = try #require(
      plain.indices.first { plain[$0...].starts(with: [0xFF, 0xC0]) })
    #expect(plain[baseline + 11] == 0x11)
  }

  @Test("A TIFF's compression changes its size and not its pixels")
  func compression() throws {
    let picture: Picture = try gradient(width: 128, height: 96)
    let files: [Data] = try PictureEncoding.Compression.allCases.map { compression in
      var encoding = PictureEncoding()
      encoding.compression = compression
      return try picture.encoded(as: .tiff, encoding)
    }
    for file in files { #expect(try Picture(data: file) == picture) }
    #expect(files[1].count < files[0].count && files[2].count < files[0].count)
  }
}
