import CoreML
import ModelFormat
import Testing

/// A small random generator with a seed. So a failing mutation can be reproduced from the mutation's number.
private struct Random {
  var state: UInt64

  mutating func next(below limit: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int((state >> 33) % UInt64(max(limit, 1)))
  }
}

@Suite("Damaged models")
struct MutationTests {
  private static func source(_ kind: String) -> Spec.Model {
    switch kind {
    case "array": SampleModels.doubling(shape: [2, 3, 4], dataType: .double)
    case "picture": SampleModels.picture(width: 6, height: 4)
    case "classifier": SampleModels.classifier()
    default: SampleModels.custom(["ResCropBlockLambda", "RescaleOutputLambda"])
    }
  }

  /// Returns a copy with one to three changes. A change truncates the bytes, flips a bit, overwrites a byte, or
  /// replaces a byte by a huge varint.
  private static func mutated(_ bytes: [UInt8], _ random: inout Random) -> [UInt8] {
    var result: [UInt8] = bytes
    for _ in 0...random.next(below: 3) where !result.isEmpty {
      let position: Int = random.next(below: result.count)
      switch random.next(below: 4) {
      case 0: result.removeLast(result.count - position)
      case 1: result[position] ^= 1 << UInt8(random.next(below: 8))
      case 2: result[position] = UInt8(random.next(below: 256))
      default: result.replaceSubrange(position...position, with: [0xFF, 0xFF, 0xFF, 0x7F])
      }
    }
    return result
  }

  /// Returns a value for an input's description. Nil if the input would be too large for a test.
  private func value(for description: MLFeatureDescription) throws -> MLFeatureValue? {
    if let image = description.imageConstraint {
      guard (1...64).contains(image.pixelsWide), (1...64).contains(image.pixelsHigh) else {
        return nil
      }
      return MLFeatureValue(
        pixelBuffer: try pixelBuffer(width: image.pixelsWide, height: image.pixelsHigh) {
          (UInt8($0), UInt8($1), 3)
        })
    }
    guard let array = description.multiArrayConstraint else { return MLFeatureValue(double: 1) }
    let count: Double = array.shape.reduce(1) { $0 * $1.doubleValue }
    guard count <= 100_000 else { return nil }
    return MLFeatureValue(
      multiArray: try MLMultiArray(shape: array.shape, dataType: array.dataType))
  }

  @Test(
    "Two hundred mutations each give a prediction or an error with a message",
    arguments: ["array", "picture", "classifier", "custom"])
  func mutations(kind: String) throws {
    let bytes: [UInt8] = MutationTests.source(kind).serialized()
    let configuration = exact()
    configuration.memoryLimit = 64 << 20
    for seed in 0..<200 {
      var random = Random(state: UInt64(seed) &+ 1)
      for _ in 0..<4 { _ = random.next(below: 2) }
      let damaged = Data(MutationTests.mutated(bytes, &random))
      do {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent(
          "\(UUID()).mlmodel")
        try damaged.write(to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        let model = try MLModel(contentsOf: url, configuration: configuration)
        var values: [String: Any] = [:]
        for (name, description) in model.modelDescription.inputDescriptionsByName {
          values[name] = try value(for: description)
        }
        _ = try model.prediction(from: MLDictionaryFeatureProvider(dictionary: values))
        _ = model.modelDescription.description
      } catch {
        #expect(!error.localizedDescription.isEmpty, "seed \(seed)")
        #expect(error is MLModelError, "seed \(seed): \(error)")
      }
    }
  }
}
