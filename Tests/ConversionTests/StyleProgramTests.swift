import Conversion
import Engine
import Foundation
import ModelFormat
import Operators
import StyleTransfer
import Testing

/// Compares style networks that are ML Programs with the same networks as NeuralNetwork layers.
@Suite("A converted style network")
struct StyleProgramTests {
  static let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// The available networks without custom layers.
  static let networks: [URL] = [
    try? StyleGallery(repository.appendingPathComponent("Gallery")).entry("great-wave")
      .model(lite: false),
    repository.appendingPathComponent("Examples/Scream.mlmodel"),
    shared.appendingPathComponent("fns-style/FNSCandy.mlmodel"),
    shared.appendingPathComponent("fns-style/stylize.mlmodel"),
    shared.appendingPathComponent("createml-style/StyleBlue.mlmodel"),
  ].compactMap { $0 }.filter { FileManager.default.fileExists(atPath: $0.path) }
  static let shared = repository.deletingLastPathComponent().appendingPathComponent("shared/models")

  private func withFolder(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder)
  }

  @Test(
    "A style network as a program gives the same image in float32, nearly the same in float16",
    arguments: networks)
  func painting(network: URL) throws {
    try withFolder { folder in
      let model: GraphModel = try ModelReaders.read(network)
      let known: [Float] = try model.painted(model.paintedSize)
      // The network `stylize` writes its norms as separate operators. The norms' sums of squares overflow float16.
      let isDecomposed: Bool = network.lastPathComponent == "stylize.mlmodel"
      let precisions: [WritingOptions.Precision] = isDecomposed ? [.float32] : [.float32, .float16]
      for precision in precisions {
        let package = folder.appendingPathComponent("\(precision).mlpackage")
        var options = WritingOptions()
        options.precision = precision
        try ModelWriters.write(model, to: package, options: options)
        let again: GraphModel = try ModelReaders.read(package)
        #expect(again.inputs.map(\.name) == model.inputs.map(\.name))
        let found: [Float] = try again.painted(model.paintedSize)
        #expect(found.count == known.count)
        let differences: [Float] = zip(found, known).map {
          abs(min(max($0, 0), 255) - min(max($1, 0), 255))
        }
        if precision == .float32 {
          // float32 rounds large sums of squares noticeably. So the results of a graph depend on which operators are
          // fused.
          #expect(differences.max() ?? 1 <= (isDecomposed ? 3 : 1e-3))
        } else {
          let error: Double = differences.reduce(0) { $0 + Double($1 * $1) } / Double(found.count)
          #expect(10 * log10(255 * 255 / error) > 40, "the peak signal-to-noise ratio in dB")
        }
      }
    }
  }

  @Test("Converting layers → program → layers preserves the image", arguments: networks)
  func roundTrip(network: URL) throws {
    try withFolder { folder in
      let model: GraphModel = try ModelReaders.read(network)
      var options = WritingOptions()
      options.precision = .float32
      let package = folder.appendingPathComponent("program.mlpackage")
      try ModelWriters.write(model, to: package, options: options)
      let layers = folder.appendingPathComponent("layers.mlmodel")
      try ModelWriters.write(try ModelReaders.read(package), to: layers)
      let again: GraphModel = try ModelReaders.read(layers)
      let (difference, largest) = try again.difference(from: model)
      let isDecomposed: Bool = network.lastPathComponent == "stylize.mlmodel"
      #expect(difference <= (isDecomposed ? 3 : 1e-4 * largest))
    }
  }
}
