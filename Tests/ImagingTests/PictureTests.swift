import Foundation
import Testing

@testable import Imaging

@Suite struct PictureTests {
  @Test("Arrays of a wrong length are refused with both lengths")
  func lengths() {
    #expect {
      try Picture(width: 2, height: 2, pixels: [1, 2, 3])
    } throws: {
      "\($0)" == "A picture of 2 × 2 needs 12 bytes of colour (3 for each pixel), but 3 were given."
    }
    #expect(throws: ImagingError.self) {
      try Picture(width: 1, height: 1, pixels: [1, 2, 3], alpha: [])
    }
    #expect(throws: ImagingError.self) { try Picture(width: 0, height: 1, pixels: []) }
    #expect(throws: ImagingError.self) { try Picture(width: -1, height: 1, pixels: []) }
    #expect(throws: ImagingError.self) { try Picture(width: .max, height: .max, pixels: []) }
  }

  @Test("The memory of an image is known before it is allocated")
  func memory() throws {
    #expect(Picture.estimatedBytes(width: 4000, height: 3000) == 36_000_000)
    #expect(try gradient(width: 10, height: 10, alpha: true).estimatedBytes == 400)
  }

  @Test("A crop has the pixels of its rectangle")
  func cutting() throws {
    let picture: Picture = try gradient(width: 20, height: 10, alpha: true)
    let cut: Picture = try picture.cropped(x: 3, y: 4, width: 5, height: 6)
    #expect(cut.pixel(0, 0) == picture.pixel(3, 4))
    #expect(cut.pixel(4, 5) == picture.pixel(7, 9))
    #expect(cut.alpha?.count == 30)
    #expect(cut.alpha?.first == picture.alpha?[4 * 20 + 3])
    #expect(throws: ImagingError.self) { try picture.cropped(x: 16, y: 0, width: 5, height: 5) }
    #expect(throws: ImagingError.self) { try picture.cropped(x: -1, y: 0, width: 5, height: 5) }
  }

  @Test("Alpha can be copied between images of the same size")
  func alphaOfAnother() throws {
    let clear: Picture = try gradient(width: 5, height: 5, alpha: true)
    let opaque: Picture = try gradient(width: 5, height: 5)
    #expect(try opaque.withAlpha(of: clear) == clear)
    #expect(clear.withoutAlpha == opaque)
    #expect(throws: ImagingError.self) {
      try opaque.withAlpha(of: gradient(width: 4, height: 5, alpha: true))
    }
  }

  static let orders: [(PixelLayout, [UInt8])] = [
    (.rgb, [10, 20, 30]), (.bgr, [30, 20, 10]), (.rgba(.skipped), [10, 20, 30, 255]),
    (.bgra(.skipped), [30, 20, 10, 255]), (.argb(.skipped), [255, 10, 20, 30]),
    (.abgr(.skipped), [255, 30, 20, 10]), (.rgba(.straight), [10, 20, 30, 51]),
    (.bgra(.straight), [30, 20, 10, 51]), (.argb(.straight), [51, 10, 20, 30]),
    (.abgr(.straight), [51, 30, 20, 10]), (.rgba(.premultiplied), [2, 4, 6, 51]),
    (.argb(.premultiplied), [51, 2, 4, 6]),
  ]

  @Test("Each layout has the byte order of its name, in both directions", arguments: orders)
  func layouts(layout: PixelLayout, bytes: [UInt8]) throws {
    let picture = try Picture(width: 1, height: 1, pixels: [10, 20, 30], alpha: [51])
    var written: [UInt8] = [UInt8](repeating: 0, count: 8)
    try written.withUnsafeMutableBytes { (rows: UnsafeMutableRawBufferPointer) in
      try picture.write(to: try #require(rows.baseAddress), bytesPerRow: 8, layout: layout)
    }
    #expect(Array(written.prefix(bytes.count)) == bytes)
    #expect(written.dropFirst(bytes.count).allSatisfy { $0 == 0 }, "no write beyond the row")

    let read: Picture = try written.withUnsafeBytes { (rows: UnsafeRawBufferPointer) in
      try Picture(
        width: 1, height: 1, layout: layout, rows: try #require(rows.baseAddress), bytesPerRow: 8)
    }
    #expect(read.pixels == [10, 20, 30])
    #expect(read.hasAlpha == (layout.alpha != nil && layout.alpha != .skipped))
  }

  @Test(
    "Rows with padding between them are read and written row by row",
    arguments: [PixelLayout.rgb, .bgra(.skipped), .argb(.straight), .bgr])
  func gaps(layout: PixelLayout) throws {
    let picture: Picture = try gradient(width: 13, height: 7)
    let bytesPerRow: Int = 64
    var memory: [UInt8] = [UInt8](repeating: 9, count: bytesPerRow * 7)
    try memory.withUnsafeMutableBytes { (rows: UnsafeMutableRawBufferPointer) in
      try picture.write(
        to: try #require(rows.baseAddress), bytesPerRow: bytesPerRow, layout: layout)
    }
    #expect(memory[63] == 9)
    let read: Picture = try memory.withUnsafeBytes { (rows: UnsafeRawBufferPointer) in
      try Picture(
        width: 13, height: 7, layout: layout, rows: try #require(rows.baseAddress),
        bytesPerRow: bytesPerRow)
    }
    #expect(read.withoutAlpha == picture)
  }

  @Test("Grey is luma, and white stays white")
  func luma() throws {
    let picture = try Picture(
      width: 5, height: 1,
      pixels: [255, 255, 255, 0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0, 255])
    var bytes: [UInt8] = [0, 0, 0, 0, 0]
    try bytes.withUnsafeMutableBytes {
      try picture.write(to: try #require($0.baseAddress), bytesPerRow: 5, layout: .grey8)
    }
    #expect(bytes == [255, 0, 76, 150, 29])
    var halves: [Float16] = [0, 0, 0, 0, 0]
    try halves.withUnsafeMutableBytes {
      try picture.write(to: try #require($0.baseAddress), bytesPerRow: 10, layout: .greyHalf)
    }
    #expect(halves[0] == 1 && halves[1] == 0)
    let read: Picture = try halves.withUnsafeBytes {
      try Picture(
        width: 5, height: 1, layout: .greyHalf, rows: try #require($0.baseAddress), bytesPerRow: 10)
    }
    #expect(read.pixels == bytes.flatMap { [$0, $0, $0] })
    let floats: [Float] = [-1, 0.5, 2, .nan, .infinity]
    let clamped: Picture = try floats.withUnsafeBytes {
      try Picture(
        width: 5, height: 1, layout: .greyFloat, rows: try #require($0.baseAddress),
        bytesPerRow: 20)
    }
    #expect(clamped.pixels == [0, 128, 255, 0, 255].flatMap { [$0, $0, $0] })
  }
}
