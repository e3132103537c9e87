import Foundation
import Imaging
import Testing

@testable import PhotoMetadata

struct EXIFBlockTests {
  /// EXIF data with a camera, an orientation, a place, an EXIF directory with a size, and a thumbnail.
  static func block(isBig: Bool) -> Data {
    func number(_ value: Int, _ size: Int) -> [UInt8] {
      ByteOrder.bytes(value, size, isBig: isBig)
    }
    func entry(_ tag: Int, _ type: Int, _ count: Int, _ field: [UInt8]) -> [UInt8] {
      number(tag, 2) + number(type, 2) + number(count, 4) + field
        + [UInt8](repeating: 0, count: 4 - field.count)
    }
    let header: [UInt8] = (isBig ? [0x4D, 0x4D, 0, 0x2A] : [0x49, 0x49, 0x2A, 0]) + number(8, 4)
    // The first directory has 4 entries and ends at 62.
    let first: [UInt8] =
      number(4, 2) + entry(0x010F, 2, 6, number(62, 4)) + entry(0x0112, 3, 1, number(6, 2))
      + entry(0x8769, 4, 1, number(68, 4)) + entry(0x8825, 4, 1, number(98, 4)) + number(124, 4)
    let maker: [UInt8] = Array("Canon\0".utf8)
    let exif: [UInt8] =
      number(2, 2) + entry(0xA002, 4, 1, number(4000, 4)) + entry(0xA003, 3, 1, number(3000, 2))
      + number(0, 4)
    let place: [UInt8] =
      number(1, 2) + entry(0x0002, 5, 1, number(116, 4)) + number(0, 4) + number(48, 4)
      + number(1, 4)
    let thumbnail: [UInt8] =
      number(2, 2) + entry(0x0201, 4, 1, number(154, 4)) + entry(0x0202, 4, 1, number(6, 4))
      + number(0, 4)
    let bytes: [UInt8] = header + first + maker + exif + place + thumbnail
    return Data(bytes + Array("secret".utf8))
  }

  @Test("Orientation, size and thumbnail change, all else stays", arguments: [true, false])
  func describes(isBig: Bool) throws {
    let data: Data = Self.block(isBig: isBig)
    #expect(data.count == 160)
    var block = try #require(EXIFBlock(data))
    block.describe(PictureSize(width: 640, height: 480))
    let tags = try #require(block.tags?.tags)
    func value(_ tag: Int, _ tags: TIFFTags) -> [UInt8]? {
      tags.tags.first { $0.number == tag }?.value
    }
    #expect(value(0x010F, tags) == Array("Canon\0".utf8))
    #expect(value(0x0112, tags) == ByteOrder.bytes(1, 2, isBig: isBig))
    let exif = try #require(tags.directories[0x8769])
    #expect(value(0xA002, exif) == ByteOrder.bytes(640, 4, isBig: isBig))
    #expect(value(0xA003, exif) == ByteOrder.bytes(480, 2, isBig: isBig))
    #expect(tags.directories[0x8825] != nil)
    #expect(block.data.range(of: Data("secret".utf8)) == nil && block.data.count < 160)
  }

  @Test("The place is removed with its values", arguments: [true, false])
  func location(isBig: Bool) throws {
    var block = try #require(EXIFBlock(Self.block(isBig: isBig)))
    block.removeLocation()
    let tags = try #require(block.tags?.tags)
    #expect(tags.directories[0x8825] == nil && tags.directories[0x8769] != nil)
    #expect(tags.tags.contains { $0.number == 0x010F })
    #expect(block.data[116..<124].allSatisfy { $0 == 0 })
  }

  @Test("Tags keep their values in the other byte order, and in a TIFF", arguments: [true, false])
  func tiff(isBig: Bool) throws {
    let picture = try Picture(width: 8, height: 8, pixels: Array(repeating: 9, count: 192))
    let file: Data = try picture.encoded(as: .tiff, PictureEncoding())
    let block = try #require(EXIFBlock(Self.block(isBig: isBig)))
    let joined: Data = TIFFDirectories.adding(block, to: file)
    #expect(try Picture(data: joined) == picture)
    let back = try #require(EXIFBlock(ofTIFF: Array(joined))?.tags)
    #expect(back.tags.tags.contains { $0.value == Array("Canon\0".utf8) })
    let exif = try #require(back.tags.directories[0x8769])
    #expect(exif.tags.contains { $0.value == ByteOrder.bytes(4000, 4, isBig: back.isBig) })
    let place = try #require(back.tags.directories[0x8825])
    #expect(place.tags[0].value.count == 8 && place.tags[0].value.contains(48))
  }

  @Test("Every prefix and many changed bytes of EXIF data are read without a fault")
  func damaged() {
    let data: Data = Self.block(isBig: false)
    for count in 0...data.count {
      var block = EXIFBlock(data.prefix(count))
      block?.describe(PictureSize(width: 1, height: 1))
      block?.removeLocation()
      _ = block?.tags
      _ = block?.resolution
    }
    for position in 0..<data.count {
      for value: UInt8 in [0, 1, 0x7F, 0xFF] {
        var bytes: Data = data
        bytes[position] = value
        var block = EXIFBlock(bytes)
        block?.removeLocation()
        block?.describe(PictureSize(width: 1, height: 1))
        _ = block?.tags
      }
    }
  }

  @Test("IPTC places are removed, and other datasets and the copyright flag stay")
  func iptc() throws {
    func dataset(_ number: UInt8, _ text: String) -> [UInt8] {
      [0x1C, 2, number, 0, UInt8(text.utf8.count)] + Array(text.utf8)
    }
    let record: [UInt8] = dataset(80, "Ada") + dataset(90, "Paris") + dataset(25, "storm!")
    func resource(_ number: Int, _ content: [UInt8]) -> [UInt8] {
      Array("8BIM".utf8) + ByteOrder.bytes(number, 2, isBig: true) + [0, 0]
        + ByteOrder.bytes(content.count, 4, isBig: true) + content
        + (content.count % 2 == 0 ? [] : [0])
    }
    let segment = Data(
      resource(1036, Array("thumbnail".utf8)) + resource(0x0404, record) + resource(0x040A, [1]))
    var iptc = try #require(IPTCRecord(segment))
    #expect(iptc.record == Data(record))
    #expect(iptc.segment.range(of: Data("thumbnail".utf8)) == nil)
    iptc.removeLocation()
    #expect(iptc.record == Data(dataset(80, "Ada") + dataset(25, "storm!")))
    #expect(IPTCRecord(iptc.segment)?.record == iptc.record)
    #expect(IPTCRecord(Data(record))?.record == Data(record) && IPTCRecord(Data([1, 2])) == nil)
  }

  @Test("IPTC places after a dataset with an extended size, or in a damaged record, are removed")
  func longDatasets() throws {
    let long: [UInt8] =
      [0x1C, 2, 120, 0x80, 4, 0, 0, 0x9C, 0x40] + [UInt8](repeating: 65, count: 40_000)
    let place: [UInt8] = [0x1C, 2, 90, 0, 5] + Array("Paris".utf8)
    let author: [UInt8] = [0x1C, 2, 80, 0, 3] + Array("Ada".utf8)
    var iptc = try #require(IPTCRecord(Data(long + place + author)))
    iptc.removeLocation()
    #expect(iptc.record == Data(long + author))
    let damaged: [UInt8] = [0x1C, 2, 120, 0x80, 9, 0] + place
    iptc = try #require(IPTCRecord(Data(author + damaged)))
    iptc.removeLocation()
    #expect(iptc.record == Data(author))
  }
}
