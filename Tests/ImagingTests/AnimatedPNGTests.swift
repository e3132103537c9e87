import Foundation
import Testing

@testable import Imaging

/// Tests animated PNGs with files made chunk by chunk, and with files that Atelier wrote.
struct AnimatedPNGTests {
  /// A frame for ``file(width:height:frames:plays:)``: its place, its samples of red, green, blue and alpha, and how it is
  /// drawn.
  private struct Frame {
    var place: (x: UInt32, y: UInt32) = (0, 0)
    var size: (width: Int, height: Int)
    var pixels: [UInt8]
    var delay: (UInt16, UInt16) = (1, 10)
    var disposal: UInt8 = 0
    var blend: UInt8 = 0
  }

  /// Returns an animated PNG. Its first picture belongs to the animation if `hidden` is nil.
  private func file(
    width: Int, height: Int, frames: [Frame], plays: UInt32 = 0, hidden: [UInt8]? = nil,
    stated: Int? = nil
  ) throws -> Data {
    func rows(_ pixels: [UInt8], _ width: Int, _ height: Int) throws -> Data {
      let file = png(
        width: width, height: height, bitDepth: 8, colourType: 6,
        rows: (0..<height).map { Array(pixels[$0 * width * 4..<($0 + 1) * width * 4]) })
      return try #require(PNGChunks.content(of: "IDAT", in: file))
    }
    var header = PNGChunks.bigEndian(UInt32(width)) + PNGChunks.bigEndian(UInt32(height))
    header += Data([8, 6, 0, 0, 0])
    var data: Data = Data(PNGChunks.signature) + PNGChunks.chunk("IHDR", header)
    data += PNGChunks.chunk(
      "acTL",
      PNGChunks.bigEndian(UInt32(stated ?? frames.count)) + PNGChunks.bigEndian(plays))
    if let hidden { data += PNGChunks.chunk("IDAT", try rows(hidden, width, height)) }
    var sequence: UInt32 = 0
    for (index, frame) in frames.enumerated() {
      var control: Data = PNGChunks.bigEndian(sequence)
      sequence += 1
      for number in [
        UInt32(frame.size.width), UInt32(frame.size.height), frame.place.x, frame.place.y,
      ] {
        control += PNGChunks.bigEndian(number)
      }
      control += PNGChunks.bigEndian(frame.delay.0) + PNGChunks.bigEndian(frame.delay.1)
      data += PNGChunks.chunk("fcTL", control + Data([frame.disposal, frame.blend]))
      let content: Data = try rows(frame.pixels, frame.size.width, frame.size.height)
      if index == 0, hidden == nil {
        data += PNGChunks.chunk("IDAT", content)
      } else {
        data += PNGChunks.chunk("fdAT", PNGChunks.bigEndian(sequence) + content)
        sequence += 1
      }
    }
    return data + PNGChunks.chunk("IEND", Data())
  }

  private func animation(_ data: Data) throws -> Animation {
    let folder = try TemporaryFolder()
    let path: String = folder.path("moving.png")
    try data.write(to: URL(fileURLWithPath: path))
    return try Animation(contentsOfFile: path)
  }

  private static let red: [UInt8] = [255, 0, 0, 255]
  private static let clear: [UInt8] = [0, 0, 0, 0]

  /// The pictures' samples of red, green, blue and alpha in one row of two pixels.
  private func samples(_ picture: Picture) -> [UInt8] {
    (0..<picture.width).flatMap { x in
      picture.pixel(x, 0).map { UInt8($0) } + [picture.alpha?[x] ?? 255]
    }
  }

  @Test("Frames are placed, blended and removed as their control chunks say")
  func composing() throws {
    let half: [UInt8] = [0, 0, 255, 128]
    let data = try file(
      width: 2, height: 1,
      frames: [
        Frame(size: (2, 1), pixels: Self.red + Self.red, delay: (1, 30)),
        // Half of blue over red, at the right. It is removed, so that red is there again.
        Frame(place: (1, 0), size: (1, 1), pixels: half, delay: (5, 0), disposal: 2, blend: 1),
        // The same without blending. Its place is clear afterwards.
        Frame(place: (1, 0), size: (1, 1), pixels: half, disposal: 1),
        // Nothing, over the rest.
        Frame(size: (2, 1), pixels: Self.clear + Self.clear, blend: 1),
      ], plays: 3)
    #expect(try Picture.probe(data: data).pageCount == 4)
    let moving = try animation(data)
    #expect(moving.loopCount == 3 && moving.delays == [33, 50, 100, 100])
    let blended: [UInt8] = [127, 0, 128, 255]
    #expect(
      moving.pictures.map(samples) == [
        Self.red + Self.red, Self.red + blended, Self.red + half, Self.red + Self.clear,
      ])
  }

  @Test("A first picture without a control chunk is not a part of the animation")
  func hiddenPicture() throws {
    let blue: [UInt8] = [0, 0, 255, 255]
    let data = try file(
      width: 1, height: 1,
      frames: [
        Frame(size: (1, 1), pixels: blue), Frame(size: (1, 1), pixels: Self.red),
      ], hidden: Self.clear)
    #expect(try animation(data).pictures.map(samples) == [blue, Self.red])
  }

  @Test("A written animation keeps its pictures, its exact timing and its metadata")
  func written() throws {
    var moving = try animation(
      file(
        width: 2, height: 1,
        frames: [
          Frame(size: (2, 1), pixels: Self.red + Self.red, delay: (1, 30)),
          Frame(size: (2, 1), pixels: Self.red + Self.clear, delay: (1001, 30000)),
        ], plays: 7))
    // Painting replaces pictures and leaves the rest.
    moving.pictures[0] = try Picture(width: 2, height: 1, pixels: [1, 2, 3, 4, 5, 6])
    var encoding = PictureEncoding()
    encoding.xmp = PictureOrigin(painter: "scream").xmp
    encoding.resolution = PictureResolution(pixelsPerInch: 300)
    let data = try moving.encoded(as: .png, encoding)
    let header = try Picture.probe(data: data)
    #expect(header.pageCount == 2 && header.origin?.painter == "scream")
    let back = try animation(data)
    #expect(back.pictures.map(samples) == moving.pictures.map(samples))
    #expect(back.fractions == moving.fractions && back.loopCount == 7)
    // Programs without animations show the first picture.
    #expect(try Picture(data: data).pixels == moving.pictures[0].pixels)
    var controls: [UInt32] = []
    PNGChunks.forEach(in: data) { type, content in
      if type == "fcTL" || type == "fdAT" {
        controls.append(content.prefix(4).reduce(0) { $0 << 8 | UInt32($1) })
      }
      return true
    }
    #expect(controls == Array(0..<UInt32(controls.count)) && controls.count >= 3)
  }

  @Test("A GIF becomes an animated PNG with its timing")
  func converted() throws {
    let pictures: [Picture] = try (0..<3).map {
      try Picture(width: 8, height: 8, pixels: Array(repeating: UInt8($0 * 80), count: 192))
    }
    let data = try Animation(pictures: pictures, delays: [40, 50, 70000], loopCount: 0)
      .encoded(as: .png, PictureEncoding())
    let back = try animation(data)
    #expect(back.pictures == pictures && back.delays == [40, 50, 65535] && back.loopCount == 0)
  }

  @Test("Damaged animations are refused in a sentence")
  func damaged() throws {
    let frame = Frame(size: (1, 1), pixels: Self.red)
    var outside: Frame = frame
    outside.place = (x: 1, y: 0)
    var unknown: Frame = frame
    unknown.disposal = 3
    let whole = try file(width: 1, height: 1, frames: [frame, frame])
    for (data, reason) in [
      (try file(width: 1, height: 1, frames: [frame, outside]), "frame 2 has an impossible size"),
      (try file(width: 1, height: 1, frames: [unknown]), "frame 1 has an impossible size"),
      (try file(width: 1, height: 1, frames: [frame], stated: 5), "it has 1 of its 5 frames"),
      (try file(width: 1, height: 1, frames: [frame], stated: 1 << 31), "of its 2147483648"),
      (whole.dropLast(12), "it has 2 of its 2 frames"), (whole.prefix(60), "of its 2 frames"),
    ] {
      #expect {
        try animation(Data(data))
      } throws: {
        "\($0)".contains(reason)
      }
    }
  }
}
