import CoreML
import Foundation
import Imaging
import StyleTransfer
import Testing

/// Magenta's two networks, if they are available outside the repository.
private enum MagentaPair {
  private static let models: URL = {
    if let path = ProcessInfo.processInfo.environment["ATELIER_SHARED"] {
      return URL(fileURLWithPath: path).appendingPathComponent("models/tflite-style")
    }
    return URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("shared/models/tflite-style")
  }()
  static let files: [URL] = ["style_predict.tflite", "style_transfer.tflite"].map {
    models.appendingPathComponent($0)
  }
  static let areAvailable: Bool = files.allSatisfy {
    FileManager.default.fileExists(atPath: $0.path)
  }
}

/// Tests style transfer from any painting with Magenta's pair as TensorFlow Lite files.
@Suite("Arbitrary styles", .enabled(if: MagentaPair.areAvailable))
struct ArbitraryStyleTests {
  private func pair() throws -> ArbitraryStyle {
    let configuration = MLModelConfiguration()
    configuration.computeUnits = .cpuOnly
    return try ArbitraryStyle(
      predictor: MagentaPair.files[0], transformer: MagentaPair.files[1],
      configuration: configuration)
  }

  /// Draws stripes of two colours, each the given number of pixels wide.
  private func stripes(
    _ width: Int, _ height: Int, every step: Int, _ first: [UInt8], _ second: [UInt8]
  ) throws -> Picture {
    try Picture(
      width: width, height: height,
      pixels: (0..<width * height).flatMap { $0 % width / step % 2 == 0 ? first : second })
  }

  @Test("A photo of any size is painted at its own size")
  func sizes() throws {
    let pair: ArbitraryStyle = try pair()
    let style = try pair.style(
      of: try stripes(300, 280, every: 20, [20, 40, 160], [240, 220, 40]))
    #expect(style.numbers.count == 100)
    for (width, height) in [(97, 64), (128, 96)] {
      let photo = try stripes(width, height, every: 9, [200, 200, 200], [60, 80, 60])
      let painting = try pair.painter(in: style, of: photo).paint(photo)
      #expect(painting.picture.size == photo.size)
      #expect(painting.paintedSize == photo.size)
      #expect(painting.picture.pixels != photo.pixels)
    }
  }

  @Test("Styles are mixed by their weights, and with the photo's own style by the strength")
  func mixing() throws {
    let pair: ArbitraryStyle = try pair()
    let photo = try stripes(96, 96, every: 9, [200, 200, 200], [60, 80, 60])
    let styles: [ArbitraryStyle.Style] = try [
      stripes(256, 256, every: 20, [20, 40, 160], [240, 220, 40]),
      stripes(256, 256, every: 3, [160, 10, 10], [10, 10, 10]),
    ].map(pair.style(of:))
    #expect(styles[0] != styles[1])
    let mixed = try ArbitraryStyle.Style(mixing: [(styles[0], 3), (styles[1], 1)])
    let expected: Float = 0.75 * styles[0].numbers[7] + 0.25 * styles[1].numbers[7]
    #expect(abs(mixed.numbers[7] - expected) < 1e-5)
    func painted(_ style: ArbitraryStyle.Style, _ strength: Double) throws -> [UInt8] {
      try pair.painter(in: style, strength: strength, of: photo).paint(photo).picture.pixels
    }
    // With strength 0 the result does not depend on the style.
    #expect(try painted(styles[0], 0) == painted(styles[1], 0))
    #expect(try painted(styles[0], 1) != painted(styles[1], 1))
    #expect(throws: StyleTransferError.self) { try painted(styles[0], 1.5) }
    #expect(throws: StyleTransferError.self) {
      try ArbitraryStyle.Style(mixing: [(styles[0], 0)])
    }
  }

  @Test("Networks that do not form such a pair are refused with their names")
  func wrongPair() throws {
    #expect {
      try ArbitraryStyle(predictor: MagentaPair.files[1], transformer: MagentaPair.files[0])
    } throws: { error in
      "\(error)".contains("'style_transfer.tflite' does not compute a style vector")
    }
  }
}
