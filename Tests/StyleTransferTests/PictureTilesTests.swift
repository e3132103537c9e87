import Imaging
import Testing

@testable import StyleTransfer

/// Tests the division of large pictures into tiles.
struct PictureTilesTests {
  @Test func `a small picture is one tile`() throws {
    let tiles = PictureTiles(PictureSize(width: 640, height: 512))
    #expect(tiles.tiles == [.init(x: 0, y: 0, width: 640, height: 512)])
    let picture = try Picture(
      width: 640, height: 512, pixels: [UInt8](repeating: 7, count: 983_040))
    #expect(try tiles.blended([picture], over: picture) == picture)
  }

  @Test(arguments: [(1024, 768), (4096, 400), (700, 700), (3000, 2000)])
  func `tiles cover a large picture and overlap by 64 pixels or more`(width: Int, height: Int) {
    let tiles: [PictureTiles.Tile] = PictureTiles(PictureSize(width: width, height: height)).tiles
    #expect(tiles.count > 1)
    for (length, starts, side) in [
      (width, Set(tiles.map(\.x)).sorted(), tiles[0].width),
      (height, Set(tiles.map(\.y)).sorted(), tiles[0].height),
    ] {
      #expect(starts.first == 0 && (starts.last ?? 0) + side == length)
      for (one, next) in zip(starts, starts.dropFirst()) { #expect(one + side - next >= 64) }
    }
  }

  @Test func `the tiles of a picture blend to the picture, and missing ones show the base`() throws
  {
    var random = SmallRandom(seed: 1)
    let picture = try Picture(
      width: 900, height: 640,
      pixels: (0..<900 * 640 * 3).map { _ in UInt8(random.next() * 255) })
    let base = try Picture(width: 900, height: 640, pixels: [UInt8](repeating: 9, count: 1_728_000))
    let tiles = PictureTiles(picture.size)
    let parts: [Picture] = try tiles.tiles.map { try tiles.part($0, of: picture) }
    #expect(try tiles.blended(parts, over: base) == picture)
    let first: Picture = try tiles.blended([parts[0]], over: base)
    #expect(try tiles.part(tiles.tiles[0], of: first) == parts[0])
    #expect(first.pixels.last == 9)
  }
}
