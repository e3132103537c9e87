import Foundation

/// A damaged model, or a model with odd inputs, made from its number and the seed alone.
package struct Mutant {
  /// What it is made of, which it is counted under.
  package let kind: String
  /// What it is.
  package let content: Content

  package enum Content {
    /// A Core ML message, and numbers for its inputs.
    case model([UInt8], [String: [Double]])
    case file(FileSeed)
  }

  /// Mutants go round through the seeds of a reader. Those of the first round are whole, to see that they
  /// compute.
  package init(of reader: FuzzedReader, number: Int, seed: UInt64) {
    var generator = SplitMix(state: seed &+ UInt64(number) &* 0x9E37_79B9_7F4A_7C15)
    switch reader {
    case .layers:
      let types = ModelSeed.byLayerType
      let place: Int = number % (types.count + ModelSeed.compounds.count)
      let isWhole: Bool = number < types.count + ModelSeed.compounds.count
      let made: ModelSeed?
      if place < types.count {
        let samples = types[place].samples
        let sample = isWhole ? samples.first : samples.randomElement(using: &generator)
        made =
          ModelSeed.special(types[place].kind)
          ?? sample.flatMap { ModelSeed($0, kind: types[place].kind) }
      } else {
        made = ModelSeed.compounds[place - types.count].make(&generator)
      }
      guard let made else {
        preconditionFailure("every layer type has a sample that a file can hold")
      }
      kind = made.kind
      content = Self.content(made, isWhole: isWhole, &generator)
    case .programs:
      let seeds = ModelSeed.programs
      kind = seeds[number % seeds.count].kind
      content = Self.content(
        seeds[number % seeds.count].seed, isWhole: number < seeds.count, &generator)
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
    case .pictures: preconditionFailure("pictures are no models")
    case .sizes:
      let seeds = SizeSeeds.all
      // Every third is whole until all were, the others are drawn: seeds are many, runs few.
      let isWhole: Bool = number % 3 == 0 && number / 3 < seeds.count
      let chosen: SizeSeeds.Seed =
        isWhole ? seeds[number / 3] : seeds[Int.random(in: seeds.indices, using: &generator)]
      kind = chosen.kind
      switch chosen {
      case .model(let seed, let sizes):
        content = .model(
          seed.model.serialized(),
          isWhole ? seed.values : SizeSeeds.changed(seed.values, sizes, using: &generator))
      case .file(var file):
        if !isWhole {
          file.values = SizeSeeds.changed(file.values, file.sizes, using: &generator)
        }
        content = .file(file)
      }
    }
  }

  private static func content(
    _ seed: ModelSeed, isWhole: Bool, _ generator: inout SplitMix
  ) -> Content {
    guard !isWhole else { return .model(seed.model.serialized(), seed.values) }
    var mutator = SeedMutator(seed: generator.next())
    let bytes: [UInt8] = mutator.mutate(seed)
    return .model(bytes, mutator.mutateValues(seed.values))
  }

  private static func content(
    _ seeds: [FileSeed], _ number: Int, _ generator: inout SplitMix,
    damage: (FileSeed, inout SplitMix) -> [String: [UInt8]]
  ) -> (String, Content) {
    var seed: FileSeed = seeds[number % seeds.count]
    if number >= seeds.count {
      seed.files = damage(seed, &generator)
      var mutator = SeedMutator(seed: generator.next())
      seed.values = mutator.mutateValues(seed.values)
    }
    return (seed.kind, .file(seed))
  }

  /// Keeps the file or files, to be looked at; values of inputs lie beside them.
  ///
  /// - Returns: the path of what was kept.
  package func keep(in folder: URL, as name: String) throws -> String {
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

/// Damage to the files of a Keras model.
enum KerasDamage {
  private static let words = [
    "same", "valid", "causal", "channels_first", "channels_last", "relu", "softmax", "float16",
    "float32", "bilinear", "nearest", "bicubic", "Dense", "Conv2D", "LSTM", "GRU", "Reshape",
    "Bidirectional", "TimeDistributed", "Functional", "Sequential", "InputLayer",
  ]

  static func damaged(_ seed: FileSeed, using generator: inout SplitMix) -> [String: [UInt8]] {
    var files: [String: [UInt8]] = seed.files
    let names: [String] = files.keys.sorted()
    // The architecture more often than the weights.
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

/// Damage to the text or to the weights of a Caffe network.
enum CaffeDamage {
  private static let words = [
    "MAX", "AVE", "STOCHASTIC", "CEIL", "FLOOR", "true", "false", "Convolution", "Deconvolution",
    "Pooling", "Slice", "Crop", "Reshape", "Permute", "InnerProduct", "Eltwise", "PROD", "SUM",
    "axis", "group", "num_output", "kernel_size", "kernel_h", "stride", "pad", "dilation", "dim",
  ]

  static func damaged(_ seed: FileSeed, using generator: inout SplitMix) -> [String: [UInt8]] {
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
