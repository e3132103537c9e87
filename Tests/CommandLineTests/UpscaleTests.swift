import Foundation
import Imaging
import Testing

/// Tests `atelier upscale`.
@Suite(.enabled(if: Program.isBuilt))
struct UpscaleTests {
  /// Whether the network is fetched or can be fetched.
  private static let isFetched: Bool =
    Program.isBuilt && (try? Program.run("fetch", "upscaler"))?.status == 0

  private func picture(_ width: Int, _ height: Int, at file: URL) throws {
    let pixels: [UInt8] = (0..<width * height * 3).map { index in
      let (x, y, channel) = (index / 3 % width, index / 3 / width, index % 3)
      return UInt8((x * 11 + y * 7 + channel * 40) % 256)
    }
    try Picture(width: width, height: height, pixels: pixels).write(toFile: file.path)
  }

  /// Writes an ncnn network that repeats each pixel of a picture three times.
  private func network(in folder: URL, name: String = "thrice") throws -> String {
    let file: URL = folder.appendingPathComponent("\(name).param")
    let layers = """
      7767517
      3 3
      Input input 0 1 data
      ConvolutionDepthWise same 1 1 data same 0=3 1=1 6=3 7=3
      Interp thrice 1 1 same made 0=1 1=3.0 2=3.0

      """
    try Data(layers.utf8).write(to: file)
    let one: [UInt8] = [0, 0, 128, 63]
    try Data([0, 0, 0, 0] + one + one + one).write(to: folder.appendingPathComponent("\(name).bin"))
    return file.path
  }

  @Test("Without the network, the message names the command that fetches it")
  func notFetched() throws {
    try Fixtures.withFolder { folder in
      let file: URL = folder.appendingPathComponent("small.png")
      try picture(8, 8, at: file)
      let outcome = try Program.run(
        ["upscale", file.path], environment: ["XDG_CACHE_HOME": folder.path])
      #expect(outcome.status == 1)
      #expect(outcome.errors.contains("Run `atelier fetch upscaler` first."), "\(outcome.errors)")
    }
  }

  @Test("Pictures are enlarged beside their files, to a size, or through pipes")
  func sizes() throws {
    try Fixtures.withFolder { folder in
      let model: String = try network(in: folder)
      let names: [String] = try ["one", "other"].map { name in
        let file: URL = folder.appendingPathComponent("\(name).png")
        try picture(20, 10, at: file)
        return file.path
      }
      let both = try Program.run(["upscale"] + names + ["--model", model, "--json"])
      #expect(both.status == 0, "\(both.errors)")
      let made = try Picture(contentsOfFile: folder.path + "/one-upscaled.png")
      #expect(made.size == PictureSize(width: 60, height: 30))
      #expect(try Picture(contentsOfFile: folder.path + "/other-upscaled.png") == made)
      let sized: String = folder.path + "/sized.jpg"
      let outcome = try Program.run(
        "upscale", names[0], "--model", model, "--size", "50", "-o", sized)
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(outcome.output.contains("(50 × 25)"), "\(outcome.output)")
      #expect(try Picture(contentsOfFile: sized).size == PictureSize(width: 50, height: 25))
    }
  }

  @Test("`stylize --upscale` paints at a smaller size, and the network enlarges the painting")
  func stylized() throws {
    try Fixtures.withFolder { folder in
      let cache: URL = folder.appendingPathComponent("atelier")
      try FileManager.default.createDirectory(at: cache, withIntermediateDirectories: true)
      _ = try network(in: cache, name: "Upscaler")
      let photo: URL = folder.appendingPathComponent("photo.png")
      try picture(96, 72, at: photo)
      let made: String = folder.path + "/made.png"
      let arguments: [String] = [
        "stylize", photo.path, "--style", "scream", "--size", "192", "--upscale", "3", "-o", made,
      ]
      let outcome = try Program.run(arguments, environment: ["XDG_CACHE_HOME": folder.path])
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(outcome.output.contains("painted at 64 × 48"), "\(outcome.output)")
      let painting = try Picture(contentsOfFile: made)
      #expect(painting.size == PictureSize(width: 192, height: 144))
      // The network repeats each pixel of the painting three times.
      let pixels: [UInt8] = painting.pixels
      let repeats: Bool = (0..<144).allSatisfy { y in
        (0..<192).allSatisfy { x in
          let (here, first) = (y * 192 + x, y / 3 * 3 * 192 + x / 3 * 3)
          return (0..<3).allSatisfy { pixels[here * 3 + $0] == pixels[first * 3 + $0] }
        }
      }
      #expect(repeats)
      #expect(Set(pixels).count > 50)
      let refused = try Program.run(arguments + ["--crop-and-scale", "centerCrop"])
      #expect(refused.status != 0)
    }
  }

  @Test("A network that enlarges nothing is refused, and nothing is written")
  func wrongNetwork() throws {
    try Fixtures.withFolder { folder in
      let model: String = try network(in: folder)
      let text = try String(contentsOfFile: model, encoding: .utf8)
      try Data(text.replacingOccurrences(of: "3.0", with: "1.0").utf8)
        .write(to: URL(fileURLWithPath: model))
      let file: URL = folder.appendingPathComponent("small.png")
      try picture(8, 8, at: file)
      let made: String = folder.path + "/made.png"
      let outcome = try Program.run("upscale", file.path, "--model", model, "-o", made)
      #expect(outcome.status == 1)
      #expect(
        outcome.errors.contains("'thrice.param' does not enlarge pictures"), "\(outcome.errors)")
      #expect(!FileManager.default.fileExists(atPath: made))
    }
  }

  @Test("The fetched network gives ncnn's pixels", .enabled(if: isFetched))
  func fetched() throws {
    try Fixtures.withFolder { folder in
      let file: URL = folder.appendingPathComponent("small.png")
      try picture(16, 16, at: file)
      let made: String = folder.path + "/made.png"
      let outcome = try Program.run(
        "upscale", file.path, "-o", made, "--compute-units", "cpuOnly")
      #expect(outcome.status == 0, "\(outcome.errors)")
      let enlarged = try Picture(contentsOfFile: made)
      let pixels: [UInt8] = enlarged.pixels
      #expect(enlarged.size == PictureSize(width: 64, height: 64))
      // Row, column and colours of pixels that ncnn 1.0.20261020 computes with the same files.
      let expected: [(Int, Int, [Int])] = [
        (0, 0, [9, 46, 79]), (5, 40, [108, 151, 191]), (17, 9, [45, 89, 131]),
        (30, 30, [127, 165, 209]), (33, 62, [154, 0, 0]), (47, 20, [128, 170, 214]),
        (63, 63, [23, 41, 118]), (60, 3, [103, 146, 187]),
      ]
      for (row, column, colors) in expected {
        for channel in 0..<3 {
          let found = Int(pixels[(row * 64 + column) * 3 + channel])
          #expect(abs(found - colors[channel]) <= 1, "\(row), \(column): \(found)")
        }
      }
    }
  }
}
