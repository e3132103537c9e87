import Conversion
import Foundation
import ModelFormat
import OperatorSamples
import Tensors

/// Intact models that read sizes, indices or counts from their inputs.
enum SizeSeeds {
  enum Seed: Sendable {
    case model(ModelSeed, sizes: [String])
    case file(FileSeed)

    var kind: String {
      switch self {
      case .model(let seed, _): "sizes of \(seed.kind)"
      case .file(let seed): seed.kind
      }
    }
  }

  static let all: [Seed] = layers + programs + onnx + lite

  /// Sample layers with an input whose few numbers are listed one by one. Such an input holds sizes, indices or counts.
  private static let layers: [Seed] = ModelSeed.byLayerType.flatMap { kind, samples -> [Seed] in
    samples.compactMap { sample in
      guard sample.failure == nil, let seed = ModelSeed(sample, kind: kind) else { return nil }
      let sizes: [String] = zip(sample.layer.input, sample.inputs).compactMap { name, input in
        switch input.fill {
        case .values where input.shape.count <= 8 && sample.inputs.count > 1: name
        case .integers where input.shape.count <= 8: name
        default: nil
        }
      }
      return sizes.isEmpty ? nil : .model(seed, sizes: sizes)
    }.prefix(3).map { $0 }
  }

  private static let programs: [Seed] = ModelSeed.programs.compactMap { _, seed in
    let sizes: [String] = (seed.model.description?.input ?? []).compactMap { input in
      guard case .multiArrayType(let array)? = input.type?.type, array.dataType == .int32 else {
        return nil
      }
      return input.name
    }
    return sizes.isEmpty ? nil : .model(seed, sizes: sizes)
  }

  private static let onnx: [Seed] = ONNXSeeds.all.flatMap {
    ONNXSeeds.withRunTimeSizes($0).map { .file($0) }
  }

  private static let lite: [Seed] = FixtureSeeds.lite.flatMap { seed -> [Seed] in
    let file = LiteFile(seed.files[seed.name] ?? [])
    return file.constants.compactMap { constant in
      guard let bytes = file.withInput(constant),
        isRead(bytes)
      else { return nil }
      return .file(
        FileSeed(
          kind: "sizes of \(seed.kind)", name: seed.name, files: [seed.name: bytes],
          values: [constant.name: constant.numbers.map(Double.init)], sizes: [constant.name]))
    }
  }

  private static func isRead(_ bytes: [UInt8]) -> Bool {
    guard let folder = try? Scratch.folder("seed") else { return false }
    defer { try? FileManager.default.removeItem(at: folder) }
    let file: URL = folder.appendingPathComponent("seed.tflite")
    return (try? Data(bytes).write(to: file)) != nil && (try? ModelReaders.read(file)) != nil
  }

  /// Numbers that a user may pass with `-i 's=[…]'`.
  private static let numbers: [Double] = [
    0, 1, -1, 2, 3, -2, 7, 64, 255, 1000, 4096, 65_535, 65_536, 1e6, 16_777_217, 1_073_741_824,
    2_147_483_647, -2_147_483_648, 2_147_483_648, 4_294_967_296, 4_294_967_298, 1e12,
    4_611_686_018_427_387_904, 9_223_372_036_854_774_784, -9_223_372_036_854_775_808, 1e30, 0.5,
    -0.5,
    .nan, .infinity, -.infinity,
  ]

  /// Changes one or two of the inputs that hold sizes. In each of them, replaces one, several or all numbers by a
  /// single number from ``numbers``.
  static func changed(
    _ values: [String: [Double]], _ sizes: [String], using generator: inout SplitMix64
  ) -> [String: [Double]] {
    var result: [String: [Double]] = values
    for _ in 0..<Int.random(in: 1...2, using: &generator) {
      guard let name = sizes.randomElement(using: &generator), var list = result[name],
        !list.isEmpty
      else { continue }
      let number: Double = numbers.randomElement(using: &generator) ?? 0
      switch Int.random(in: 0..<4, using: &generator) {
      case 0: list = list.map { _ in number }
      case 1: for index in list.indices where index % 2 == list.count % 2 { list[index] = number }
      default: list[Int.random(in: list.indices, using: &generator)] = number
      }
      result[name] = list
    }
    return result
  }
}
