import Foundation
import Testing

@testable import Imaging

@Suite struct OrientationTests {
  /// For each of the eight orientations: the rows of the image as displayed. The stored rows are "abc" and "def".
  static let shown: [(Orientation, [String])] = [
    (.up, ["abc", "def"]), (.upMirrored, ["cba", "fed"]), (.down, ["fed", "cba"]),
    (.downMirrored, ["def", "abc"]), (.leftMirrored, ["ad", "be", "cf"]),
    (.right, ["da", "eb", "fc"]), (.rightMirrored, ["fc", "eb", "da"]),
    (.left, ["cf", "be", "ad"]),
  ]

  static func picture(_ rows: [String], alpha: Bool = false) throws -> Picture {
    let letters: [UInt8] = rows.flatMap { Array($0.utf8) }
    return try Picture(
      width: rows[0].count, height: rows.count, pixels: letters.flatMap { [$0, $0 + 100, 7] },
      alpha: alpha ? letters : nil)
  }

  @Test("Each orientation moves each pixel as EXIF specifies", arguments: shown)
  func rotation(orientation: Orientation, rows: [String]) throws {
    let stored: Picture = try Self.picture(["abc", "def"], alpha: true)
    #expect(try stored.oriented(orientation) == Self.picture(rows, alpha: true))
  }

  @Test("A rotated image larger than a tile keeps all its pixels", arguments: Orientation.allCases)
  func largePictures(orientation: Orientation) throws {
    let stored: Picture = try gradient(width: 200, height: 131)
    let back: [Orientation: Orientation] = [.right: .left, .left: .right]
    let rotated: Picture = try stored.oriented(orientation)
    #expect(try rotated.oriented(back[orientation] ?? orientation) == stored)
  }

  @Test("A JPEG's orientation is applied, or ignored on request", arguments: shown)
  func jpeg(orientation: Orientation, rows: [String]) throws {
    let folder = try TemporaryFolder()
    let stored: Picture = try Self.picture(["abc", "def"]).scaled(toWidth: 96, height: 64)
    let plain: Data = try stored.encoded(as: .jpeg, quality: 100)
    let path: String = folder.path("rotated.jpg")
    try addingOrientation(Int(orientation.rawValue), toJPEG: plain)
      .write(to: URL(fileURLWithPath: path))

    let asStored = try Picture(contentsOfFile: path, orientation: .ignored)
    #expect(asStored == (try Picture(data: plain)))
    #expect(try Picture(contentsOfFile: path) == asStored.oriented(orientation))

    let header: PictureHeader = try Picture.probe(path)
    #expect(header.orientation == orientation)
    #expect(header.width == (orientation.swapsSides ? 64 : 96))
    #expect(header.height == (orientation.swapsSides ? 96 : 64))
  }
}
