import Foundation
import Tensors

/// A damaged model, or a valid model with unusual inputs. The mutant depends only on the reader, its number and the
/// seed of the run.
package struct Mutant {
  /// The kind of seed, for statistics.
  package let kind: String
  package let content: Content

  package enum Content {
    /// A Core ML message, and values for the model's inputs.
    case model([UInt8], [String: [Double]])
    case file(FileSeed)
  }

  /// Creates the mutant with this number. Consecutive numbers cycle through the seeds of a reader. In the first cycle,
  /// the seeds stay intact, which verifies that they compute.
  package init(of reader: FuzzedReader, number: Int, seed: UInt64) {
    var generator = SplitMix64(seed: seed &+ UInt64(number) &* 0x9E37_79B9_7F4A_7C15)
    switch reader {
    case .layers:
      let types = ModelSeed.byLayerType
      let index: Int = number % (types.count + ModelSeed.compounds.count)
      let isIntact: Bool = number < types.count + ModelSeed.compounds.count
      let made: ModelSeed?
      if index < types.count {
        let samples = types[index].samples
        let sample = isIntact ? samples.first : samples.randomElement(using: &generator)
        made =
          ModelSeed.special(types[index].kind)
          ?? sample.flatMap { ModelSeed($0, kind: types[index].kind) }
      } else {
        made = ModelSeed.compounds[index - types.count].make(&generator)
      }
      guard let made else {
        preconditionFailure("every layer type has a sample that a file can hold")
      }
      kind = made.kind
      content = Self.content(made, isIntact: isIntact, &generator)
    case .programs:
      let seeds = ModelSeed.programs
      kind = seeds[number % seeds.count].kind
      content = Self.content(
        seeds[number % seeds.count].seed, isIntact: number < seeds.count, &generator)
    case .text:
      (kind, content) = Self.content(ProgramTextSeeds.all, number, &generator) {
        ProgramTextSeeds.damaged($0, using: &$1)
      }
    case .onnx:
      (kind, content) = Self.content(ONNXSeeds.all, number, &generator) { seed, generator in
        seed.files.mapValues { ONNXSeeds.damaged($0, using: &generator) }
      }
    case .tflite:
      (kind, content) = Self.content(FixtureSeeds.lite, number, &generator) { seed, generator in
        seed.files.mapValues { LiteFile($0).damaged(using: &generator) }
      }
    case .keras:
      (kind, content) = Self.content(FixtureSeeds.keras, number, &generator) {
        KerasDamage.damaged($0, using: &$1)
      }
    case .caffe:
      (kind, content) = Self.content(FixtureSeeds.caffe, number, &generator) {
        CaffeDamage.damaged($0, using: &$1)
      }
    case .ncnn:
      (kind, content) = Self.content(FixtureSeeds.ncnn, number, &generator) {
        NCNNDamage.damaged($0, using: &$1)
      }
    case .pictures: preconditionFailure("pictures are no models")
    case .sizes:
      let seeds = SizeSeeds.all
      // Every third mutant stays intact until each seed was tried once. The other mutants use random seeds, because
      // there are more seeds than a short run has mutants.
      let isIntact: Bool = number % 3 == 0 && number / 3 < seeds.count
      let chosen: SizeSeeds.Seed =
        isIntact ? seeds[number / 3] : seeds[Int.random(in: seeds.indices, using: &generator)]
      kind = chosen.kind
      switch chosen {
      case .model(let seed, let sizes):
        content = .model(
          seed.model.serialized(),
          isIntact ? seed.values : SizeSeeds.changed(seed.values, sizes, using: &generator))
      case .file(var file):
        if !isIntact {
          file.values = SizeSeeds.changed(file.values, file.sizes, using: &generator)
        }
        content = .file(file)
      }
    }
  }

  private static func content(
    _ seed: ModelSeed, isIntact: Bool, _ generator: inout SplitMix64
  ) -> Content {
    guard !isIntact else { return .model(seed.model.serialized(), seed.values) }
    var mutator = SeedMutator(seed: generator.next())
    let bytes: [UInt8] = mutator.mutate(seed)
    return .model(bytes, mutator.mutateValues(seed.values))
  }

  private static func content(
    _ seeds: [FileSeed], _ number: Int, _ generator: inout SplitMix64,
    damage: (FileSeed, inout SplitMix64) -> [String: [UInt8]]
  ) -> (String, Content) {
    var seed: FileSeed = seeds[number % seeds.count]
    if number >= seeds.count {
      seed.files = damage(seed, &generator)
      var mutator = SeedMutator(seed: generator.next())
      seed.values = mutator.mutateValues(seed.values)
    }
    return (seed.kind, .file(seed))
  }

  /// Stores the mutant's file or files for inspection. The values of the inputs go to a separate file.
  ///
  /// - Returns: the path of the stored model.
  package func store(in folder: URL, as name: String) throws -> String {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let values: [String: [Double]]
    let path: URL
    switch content {
    case .model(let bytes, let numbers):
      path = folder.appendingPathComponent("\(name).mlmodel")
      try Data(bytes).write(to: path)
      values = numbers
    case .file(let seed):
      let inside: URL = folder.appendingPathComponent(name)
      try FileManager.default.createDirectory(at: inside, withIntermediateDirectories: true)
      path = try seed.write(into: inside)
      values = seed.values
    }
    if !values.isEmpty {
      let text: String = values.sorted { $0.key < $1.key }
        .map { "\($0.key) = \($0.value.prefix(40))" }.joined(separator: "\n")
      try Data(text.utf8).write(to: folder.appendingPathComponent("\(name).values"))
    }
    return path.path
  }
}

/// Damages the files of a Keras model.
enum KerasDamage {
  private static let words = [
    "same", "valid", "causal", "channels_first", "channels_last", "relu", "softmax", "float16",
    "float32", "bilinear", "nearest", "bicubic", "Dense", "Conv2D", "LSTM", "GRU", "Reshape",
    "Bidirectional", "TimeDistributed", "Functional", "Sequential", "InputLayer",
  ]

  static func damaged(_ seed: FileSeed, using generator: inout SplitMix64) -> [String: [UInt8]] {
    var files: [String: [UInt8]] = seed.files
    let names: [String] = files.keys.sorted()
    // If the configuration is a separate file, it is damaged in two of three cases. Otherwise, any of the files is
    // damaged.
    let name: String =
      names.first { $0.hasSuffix(".json") && Int.random(in: 0..<3, using: &generator) > 0 }
      ?? names.randomElement(using: &generator) ?? ""
    let bytes: [UInt8] = files[name] ?? []
    if name.hasSuffix(".json") {
      files[name] = TokenText.damaged(bytes, words: words, using: &generator)
    } else if var archive = PlainZip(bytes) {
      switch Int.random(in: 0..<10, using: &generator) {
      case 0: files[name] = ByteDamage.damaged(bytes, using: &generator)
      case 1...4:
        let config = "config.json"
        archive.files[config] = TokenText.damaged(
          archive.files[config] ?? [], words: words, using: &generator)
        files[name] = archive.bytes
      default:
        let weights = "model.weights.h5"
        archive.files[weights] = HDF5Damage.damaged(
          archive.files[weights] ?? [], using: &generator)
        files[name] = archive.bytes
      }
    } else {
      files[name] = HDF5Damage.damaged(bytes, using: &generator)
    }
    return files
  }
}

/// Damages the text or the weights of a Caffe network.
enum CaffeDamage {
  private static let words = [
    "MAX", "AVE", "STOCHASTIC", "CEIL", "FLOOR", "true", "false", "Convolution", "Deconvolution",
    "Pooling", "Slice", "Crop", "Reshape", "Permute", "InnerProduct", "Eltwise", "PROD", "SUM",
    "axis", "group", "num_output", "kernel_size", "kernel_h", "stride", "pad", "dilation", "dim",
  ]

  static func damaged(_ seed: FileSeed, using generator: inout SplitMix64) -> [String: [UInt8]] {
    var files: [String: [UInt8]] = seed.files
    let (text, weights) = ("m.prototxt", "m.caffemodel")
    if let bytes = files[weights], Int.random(in: 0..<3, using: &generator) == 0 {
      files[weights] = ONNXSeeds.damaged(bytes, using: &generator)
    } else {
      files[text] = TokenText.damaged(files[text] ?? [], words: words, using: &generator)
    }
    return files
  }
}

/// Damages the list of layers or the weights of an ncnn network.
enum NCNNDamage {
  private static let words = [
    "Convolution", "Deconvolution", "InnerProduct", "Pooling", "Slice", "Crop", "Reshape",
    "Permute", "Concat", "Eltwise",
    "BinaryOp", "Interp", "PixelShuffle", "Softmax", "Padding",
  ]

  static func damaged(_ seed: FileSeed, using generator: inout SplitMix64) -> [String: [UInt8]] {
    var files: [String: [UInt8]] = seed.files
    let (text, weights) = ("m.param", "m.bin")
    if let bytes = files[weights], !bytes.isEmpty, Int.random(in: 0..<4, using: &generator) == 0 {
      files[weights] = ONNXSeeds.damaged(bytes, using: &generator)
    } else {
      files[text] = TokenText.damaged(files[text] ?? [], words: words, using: &generator)
    }
    return files
  }
}
