import Foundation
import Imaging
import Testing

@Suite("Memory", .enabled(if: Fixtures.areAvailable && Program.isBuilt), .serialized)
struct MemoryTests {
  private static let model = Fixtures.model("createml-style/StyleBlue.mlmodel").path

  /// Writes an image of 12 megapixels without larger areas of one colour.
  private static func writePhoto(to file: URL) throws {
    let (width, height) = (4000, 3000)
    try Picture(width: width, height: height) { pixels in
      let wave: [UInt8] = (0..<width * 3 + height * 6).map { (index: Int) -> UInt8 in
        UInt8(truncatingIfNeeded: index / 16 ^ index % 3 * 40)
      }
      for row in 0..<height {
        let rowOfPixels = wave[row * 6..<row * 6 + width * 3]
        _ = UnsafeMutableBufferPointer(rebasing: pixels[row * width * 3..<(row + 1) * width * 3])
          .update(fromContentsOf: rowOfPixels)
      }
    }.write(toFile: file.path)
  }

  @Test("12 megapixels are painted at full size within 4 GB", arguments: ["cpuOnly", "all"])
  func largePhoto(units: String) throws {
    try Fixtures.withFolder { folder in
      let photo: URL = folder.appendingPathComponent("photo.jpg")
      let painting: URL = folder.appendingPathComponent("painting.jpg")
      try Self.writePhoto(to: photo)
      let outcome = try Program.run([
        "stylize", photo.path, "--model", Self.model, "-o", painting.path, "--compute-units", units,
      ])
      print("12 megapixels, \(units): \(outcome.peakBytes >> 20) MB")
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(outcome.peakBytes < 4 << 30)
      let header = try Picture.probe(painting.path)
      #expect(header.width == 4000 && header.height == 3000)
    }
  }

  @Test("A size beyond the maximum is refused immediately")
  func tooLarge() throws {
    try Fixtures.withFolder { folder in
      let photo: URL = folder.appendingPathComponent("photo.jpg")
      let painting: URL = folder.appendingPathComponent("painting.jpg")
      try Picture(width: 40, height: 30) { $0.update(repeating: 128) }.write(toFile: photo.path)
      let outcome = try Program.run([
        "stylize", photo.path, "--model", Self.model, "-o", painting.path, "--size", "60000",
      ])
      #expect(outcome.status == 1)
      #expect(outcome.errors.contains("Choose a smaller size"), "\(outcome.errors)")
      #expect(!FileManager.default.fileExists(atPath: painting.path))
      #expect(outcome.peakBytes < 1 << 30)
    }
  }
}
