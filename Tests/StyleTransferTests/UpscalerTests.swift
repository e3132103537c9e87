import Engine
import Foundation
import Imaging
import Testing

@testable import StyleTransfer

/// Tests enlarging by a network, with networks that are simple enough to say what they make.
struct UpscalerTests {
  /// Writes an ncnn network without weights into a new folder, and opens it.
  private func upscaler(_ layers: String...) throws -> Upscaler {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("upscaler-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("net.param")
    // The convolution of weight 1 states that the input has three channels.
    let lines: [String] =
      [
        "Input input 0 1 data",
        "ConvolutionDepthWise same 1 1 data same 0=3 1=1 6=3 7=3",
      ] + layers
    try Data("7767517\n\(lines.count) \(lines.count)\n\(lines.joined(separator: "\n"))\n".utf8)
      .write(to: file)
    var weights = Data([0, 0, 0, 0])
    for _ in 0..<3 { weights.append(contentsOf: [0, 0, 128, 63]) }
    try weights.write(to: folder.appendingPathComponent("net.bin"))
    return try Upscaler(contentsOf: file, options: ExecutionOptions(threads: 1))
  }

  private static func noise(_ width: Int, _ height: Int) throws -> Picture {
    var random = SmallRandom(seed: 3)
    return try Picture(
      width: width, height: height,
      pixels: (0..<width * height * 3).map { _ in UInt8(random.next() * 255) })
  }

  @Test(arguments: [1, 48, 255, 256, 257, 700, 1024, 4000])
  func `tiles divide a side, and read the same number of pixels, with a margin`(length: Int) {
    let spans: [Upscaler.Span] = Upscaler.spans(length)
    #expect(spans.flatMap { Array($0.core) } == Array(0..<length))
    #expect(Set(spans.map(\.painted.count)).count == 1)
    for span in spans {
      #expect(span.painted.lowerBound == 0 || span.core.lowerBound - span.painted.lowerBound >= 24)
      #expect(
        span.painted.upperBound == length || span.painted.upperBound - span.core.upperBound >= 24)
      #expect(span.core.count <= 256)
    }
  }

  @Test func `a network that repeats pixels repeats each pixel of a picture of several tiles`()
    throws
  {
    let upscaler = try upscaler("Interp twice 1 1 same made 0=1 1=2.0 2=2.0")
    #expect(upscaler.factor == 2)
    let picture: Picture = try Self.noise(530, 300)
    var shares: [Double] = []
    let made: Picture = try upscaler.enlarged(picture) { shares.append($0) }
    #expect(made.size == PictureSize(width: 1060, height: 600))
    #expect(shares == shares.sorted() && shares.count == 6 && shares.last == 1)
    let (before, after): ([UInt8], [UInt8]) = (picture.pixels, made.pixels)
    let wrong: Int? = after.indices.first { index in
      let (x, y) = (index / 3 % 1060, index / 3 / 1060)
      return after[index] != before[(y / 2 * 530 + x / 2) * 3 + index % 3]
    }
    #expect(wrong == nil)
  }

  @Test func `transparency is enlarged, too`() throws {
    let upscaler = try upscaler("Interp twice 1 1 same made 0=1 1=2.0 2=2.0")
    let opaque: Picture = try Self.noise(20, 10)
    let picture = try Picture(
      width: 20, height: 10, pixels: opaque.pixels,
      alpha: (0..<200).map { $0 % 20 < 10 ? 255 : 0 })
    let made: Picture = try upscaler.enlarged(picture)
    let alpha: [UInt8] = try #require(made.alpha)
    #expect(alpha[0] == 255 && alpha[39] == 0 && alpha.count == 800)
  }

  @Test func `a picture gets the size that is asked for, also beyond the network's factor`() throws
  {
    let upscaler = try upscaler("Interp twice 1 1 same made 0=1 1=2.0 2=2.0")
    let picture: Picture = try Self.noise(40, 30)
    for (width, height) in [(60, 45), (80, 60), (200, 150), (20, 15), (40, 30)] {
      let size = PictureSize(width: width, height: height)
      #expect(try upscaler.enlarged(picture, to: size).size == size)
    }
    #expect(try upscaler.enlarged(picture, to: picture.size) == picture)
  }

  @Test func `a network that enlarges nothing is refused`() throws {
    let error = try #require(throws: StyleTransferError.self) {
      try upscaler("ReLU layer 1 1 same made")
    }
    #expect(error.message.contains("'net.param' does not enlarge pictures"), "\(error.message)")
  }
}
