import Foundation
import Imaging
import Testing

/// Chooses one of the 26 styles of the network `stylize.mlmodel`.
@Suite(.enabled(if: Program.isBuilt && Fixtures.areAvailable))
struct StyleIndexTests {
  private static let network = Fixtures.shared.appendingPathComponent(
    "models/fns-style/stylize.mlmodel"
  ).path

  /// Returns a NumPy file of float32 numbers.
  private static func array(_ shape: [Int], _ value: (Int) -> Float) -> Data {
    var header =
      "{'descr': '<f4', 'fortran_order': False, 'shape': (\(shape.map { "\($0), " }.joined())), }"
    header += String(repeating: " ", count: 63 - (10 + header.utf8.count) % 64) + "\n"
    let count: Int = header.utf8.count
    return Data([0x93] + Array("NUMPY".utf8) + [1, 0, UInt8(count & 255), UInt8(count >> 8)])
      + Data(header.utf8)
      + (0..<shape.reduce(1, *)).map(value).withUnsafeBytes { Data($0) }
  }

  private static func predict(_ folder: URL, _ style: String) throws -> Program.Outcome {
    let photo: URL = folder.appendingPathComponent("photo.npy")
    try array([3, 256, 256]) { Float($0 % 251) / 251 }.write(to: photo)
    return try Program.run(
      "predict", network, "-i", "input__0=\(photo.path)", "-i", "style_num__0=\(style)", "-o",
      folder.appendingPathComponent("out").path)
  }

  private static func painting(_ folder: URL) throws -> Data {
    try Data(contentsOf: folder.appendingPathComponent("out/Squeeze__0.npy"))
  }

  @Test("A number and a list give the same painting as an array file")
  func choices() throws {
    try Fixtures.withFolder { folder in
      let file: URL = folder.appendingPathComponent("style.npy")
      try Self.array([26, 1, 1, 1, 1]) { $0 == 11 ? 1 : 0 }.write(to: file)
      let fromFile = try Self.predict(folder, file.path)
      #expect(fromFile.status == 0, "\(fromFile.errors)")
      let expected: Data = try Self.painting(folder)
      let list: String = (0..<26).map { $0 == 11 ? "1" : "0" }.joined(separator: ",")
      for choice in ["11", list, "[\(list)]"] {
        let outcome = try Self.predict(folder, choice)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try Self.painting(folder) == expected, "\(choice)")
      }
      #expect(try Self.predict(folder, "12").status == 0)
      #expect(try Self.painting(folder) != expected)
    }
  }

  @Test(
    "A style that the network does not have is refused with what it expects",
    arguments: [
      ("26", "a number from 0 to 25"), ("-1", "a number from 0 to 25"),
      ("wave", "a number from 0 to 25"), ("1,0,0", "has 3 numbers, expected 26"),
    ])
  func refusal(_ choice: String, _ sentence: String) throws {
    try Fixtures.withFolder { folder in
      let outcome = try Self.predict(folder, choice)
      #expect(outcome.status == 2)
      #expect(outcome.errors.contains(sentence), "\(outcome.errors)")
    }
  }

  private static func writePhoto(_ folder: URL) throws {
    let pixels: [UInt8] = (0..<256 * 256 * 3).map { (index: Int) -> UInt8 in
      let (row, column) = (index / 768, index / 3 % 256)
      return UInt8(row ^ column)
    }
    try Picture(width: 256, height: 256, pixels: pixels).write(
      toFile: folder.appendingPathComponent("photo.png").path)
  }

  @Test("stylize paints a photo through the network's arrays as predict does")
  func stylize() throws {
    try Fixtures.withFolder { folder in
      func painted(_ words: String...) throws -> [UInt8] {
        let outcome = try Program.run(
          [
            "stylize", folder.appendingPathComponent("photo.png").path, "--model", Self.network,
            "-o", folder.appendingPathComponent("out.png").path, "--compute-units", "cpuOnly",
          ] + words)
        #expect(outcome.status == 0, "\(outcome.errors)")
        return try Picture(contentsOf: folder.appendingPathComponent("out.png")).pixels
      }
      try Self.writePhoto(folder)
      let byNumber: [UInt8] = try painted("--style", "11")
      // The same through `predict`, with numbers of 0…255, as the network returns them.
      let photo = try Picture(contentsOf: folder.appendingPathComponent("photo.png"))
      let area: Int = 256 * 256
      let pixels: [UInt8] = photo.pixels
      try Self.array([3, 256, 256]) { Float(pixels[$0 % area * 3 + $0 / area]) }
        .write(to: folder.appendingPathComponent("photo.npy"))
      let predicted = try Program.run(
        "predict", Self.network, "-i",
        "input__0=\(folder.appendingPathComponent("photo.npy").path)", "-i", "style_num__0=11",
        "-o", folder.appendingPathComponent("out").path, "--compute-units", "cpuOnly")
      #expect(predicted.status == 0, "\(predicted.errors)")
      let numbers: [Float] = try Self.painting(folder).suffix(3 * area * 4).withUnsafeBytes {
        Array($0.bindMemory(to: Float.self))
      }
      var farthest: Float = 0
      for index in 0..<3 * area {
        let painted = Float(byNumber[index % area * 3 + index / area])
        farthest = max(farthest, abs(min(255, max(0, numbers[index])) - painted))
      }
      #expect(farthest < 1.01, "\(farthest)")

      let list: String = (0..<26).map { $0 == 11 ? "1" : "0" }.joined(separator: ",")
      #expect(try painted("--style", list) == byNumber)
      let names: URL = folder.appendingPathComponent("names.txt")
      try (0..<26).map { "style-\($0)" }.joined(separator: "\n")
        .write(to: names, atomically: true, encoding: .utf8)
      #expect(try painted("--style", "style-11", "--style-names", names.path) == byNumber)
      #expect(try painted("--style", "12") != byNumber)
      let mixed: [UInt8] = try painted("--style", "11:0.5,12:0.5")
      #expect(mixed != byNumber)
    }
  }

  @Test("A photo of another size is painted at the declared size, and the painting scaled back")
  func size() throws {
    try Fixtures.withFolder { folder in
      let photo: URL = folder.appendingPathComponent("wide.png")
      try Picture(
        width: 200, height: 120, pixels: (0..<200 * 120 * 3).map { UInt8($0 % 251) }
      ).write(toFile: photo.path)
      let out: URL = folder.appendingPathComponent("out.png")
      let outcome = try Program.run(
        "stylize", photo.path, "--model", Self.network, "--style", "3", "-o", out.path)
      #expect(outcome.status == 0, "\(outcome.errors)")
      let painting = try Picture(contentsOf: out)
      #expect(painting.size == PictureSize(width: 200, height: 120))
      // At 200 × 120, the averages of this network's norms would be wrong and the painting flat.
      #expect(Set(painting.pixels).count > 100)
    }
  }

  @Test(
    "stylize refuses a missing or unknown style, and names that do not fit, with what it expects",
    arguments: [
      ([], "has 26 styles; choose with --style: a number from 0 to 25"),
      (["--style", "26"], "--style is '26', expected a style: a number from 0 to 25"),
      (["--style", "wave"], "--style is 'wave', expected a style"),
      (["--style-names", "NAMES"], "choose one with --style"),
      (["--style", "1", "--array-range", "0..2"], "expected 0..1, -1..1 or 0..255"),
      (["--style", "a", "--style-names", "NAMES"], "has 2 names (2 different ones), expected 26"),
    ])
  func stylizeRefusal(_ words: [String], _ sentence: String) throws {
    try Fixtures.withFolder { folder in
      let photo: URL = folder.appendingPathComponent("photo.png")
      try Picture(width: 8, height: 8, pixels: [UInt8](repeating: 9, count: 192))
        .write(toFile: photo.path)
      let names: URL = folder.appendingPathComponent("names.txt")
      try "a\nb\n".write(to: names, atomically: true, encoding: .utf8)
      let outcome = try Program.run(
        ["stylize", photo.path, "--model", Self.network]
          + words.map { $0 == "NAMES" ? names.path : $0 })
      #expect(outcome.status != 0)
      #expect(outcome.errors.contains(sentence), "\(outcome.errors)")
    }
  }
}
