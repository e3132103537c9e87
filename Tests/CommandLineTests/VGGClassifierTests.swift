import Foundation
import Testing

@testable import ModelTools

/// Tests `atelier fetch vgg16 --with-classifier`. The authors' file, 528 MB, is not on this machine: a network of the same
/// layers with few channels and random weights takes its place.
@Suite(.enabled(if: Program.isBuilt && Fixtures.areAvailable))
struct VGGClassifierTests {
  private struct Guess: Decodable, Equatable {
    let label: String
    let probability: Double
  }

  /// Two channels in every layer.
  private static let small = VGG16Classifier(
    digest: "", blocks: [[2, 2], [2, 2], [2, 2, 2], [2, 2, 2], [2, 2, 2]], width: 3)

  /// Encodes a protobuf field of bytes.
  private static func field(_ number: Int, _ content: Data) -> Data {
    var bytes = Data()
    for value in [number << 3 | 2, content.count] {
      var rest: Int = value
      repeat {
        bytes.append(UInt8(rest & 127 | (rest > 127 ? 128 : 0)))
        rest >>= 7
      } while rest > 0
    }
    return bytes + content
  }

  /// Encodes the weights of the small network as Caffe's layers of the second version, in protobuf's binary form.
  private static func weights() -> Data {
    var state: UInt64 = 88_172_645_463_325_252
    func random() -> Float {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return Float(state >> 40) / Float(1 << 24) - 0.5
    }
    func blob(_ shape: [Int], scale: Float) -> Data {
      var dimensions = Data()
      for extent in shape {
        dimensions.append(UInt8(1 << 3))
        var rest: Int = extent
        repeat {
          dimensions.append(UInt8(rest & 127 | (rest > 127 ? 128 : 0)))
          rest >>= 7
        } while rest > 0
      }
      let values: [Float] = (0..<shape.reduce(1, *)).map { _ in random() * scale }
      return field(5, values.withUnsafeBytes { Data($0) }) + field(7, dimensions)
    }
    var model = Data()
    func add(_ name: String, _ shape: [Int]) {
      let inputs: Int = shape.dropFirst().reduce(1, *)
      let layer: Data =
        field(1, Data(name.utf8))
        + field(7, blob(shape, scale: (24 / Float(inputs)).squareRoot()))
        + field(7, blob([shape[0]], scale: 0.1))
      model += field(100, layer)
    }
    for (block, count) in [2, 2, 3, 3, 3].enumerated() {
      for index in 0..<count {
        add("conv\(block + 1)_\(index + 1)", [2, block + index == 0 ? 3 : 2, 3, 3])
      }
    }
    add("fc6", [3, 2 * 7 * 7])
    add("fc7", [3, 3])
    add("fc8", [1000, 3])
    return model
  }

  @Test("The written classifier names the same five classes as Caffe's own two files")
  func classes() throws {
    try Fixtures.withFolder { folder in
      let file: URL = folder.appendingPathComponent("net.caffemodel")
      try Self.weights().write(to: file)
      let labels: [String] = (0..<1000).map { "class \($0)" }
      let model: URL = folder.appendingPathComponent("Classifier.mlmodel")
      try Self.small.convert(file, labels: labels, to: model, scratch: folder)
      let names: URL = folder.appendingPathComponent("labels.txt")
      try Data(labels.joined(separator: "\n").utf8).write(to: names)
      try Data(Self.small.architecture.utf8).write(
        to: folder.appendingPathComponent("net.prototxt"))
      func guesses(_ arguments: [String]) throws -> [Guess] {
        let outcome = try Program.run(
          [
            "classify", Fixtures.astronaut.path, "--top", "5", "--json", "--compute-units",
            "cpuOnly",
          ]
            + arguments)
        #expect(outcome.status == 0, "\(outcome.errors)")
        return try JSONDecoder().decode([Guess].self, from: Data(outcome.output.utf8))
      }
      let found = try guesses(["--model", model.path])
      let expected = try guesses([
        "--model", folder.appendingPathComponent("net.prototxt").path, "--mean",
        "103.939,116.779,123.68", "--labels", names.path,
      ])
      #expect(found.count == 5)
      #expect(found.map(\.label) == expected.map(\.label))
      #expect(zip(found, expected).allSatisfy { abs($0.probability - $1.probability) < 1e-5 })
      #expect(Set(found.map(\.probability)).count == 5)
    }
  }

  @Test("A file that is not the authors' is refused before anything is downloaded or written")
  func digest() throws {
    try Fixtures.withFolder { folder in
      let file: URL = folder.appendingPathComponent("other.caffemodel")
      try Self.weights().write(to: file)
      func errors(_ arguments: String...) throws -> String {
        let outcome = try Program.run(
          ["fetch"] + arguments, environment: ["XDG_CACHE_HOME": folder.path])
        #expect(outcome.status != 0)
        return outcome.errors
      }
      let wrong: String = try errors("vgg16", "--with-classifier", file.path)
      #expect(wrong.contains("'other.caffemodel' have the SHA-256 digest"))
      #expect(wrong.contains("a6196bc498e45ea4cb2637114ae8db9410cf1556fd60a55ae93272371beba197"))
      #expect(
        try errors("vgg16", "--with-classifier", "\(folder.path)/none.caffemodel")
          .contains("cannot be read"))
      #expect(
        try errors("vgg16", "--with-classifier", "vgg.h5").contains("ends with .caffemodel"))
      #expect(
        try errors("squeezenet", "--with-classifier", file.path).contains("belongs to vgg16"))
      #expect(
        !FileManager.default.fileExists(atPath: folder.appendingPathComponent("atelier").path))
    }
  }
}
