import Conversion
import Graph
import Foundation
import ModelFormat
import OperatorSamples
import ProgramFormat

/// Compiled ML Programs, as MIL text in a `.mlmodelc` folder.
enum ProgramTextSeeds {
  private static let folder = "m.mlmodelc"
  static let textPath = "\(folder)/model.mil"
  private static let weightsPath = "\(folder)/weights/weight.bin"

  /// The sample programs. Some of them occur a second time, with their weights in a separate file.
  static let all: [FileSeed] = plain + withWeights

  private static let plain: [FileSeed] = ModelSeed.programs.compactMap { kind, seed in
    guard case .mlProgram(let program)? = seed.model.type else { return nil }
    return FileSeed(
      kind: "text of \(kind)", name: folder,
      files: [textPath: MILText(program, version: .init(1, 3)).utf8], values: seed.values)
  }

  private static let withWeights: [FileSeed] = {
    var seeds: [FileSeed] = []
    for (kind, seed) in ModelSeed.programs {
      guard let scratch = try? Scratch.folder("weights"), let graph = try? seed.model.graphModel()
      else { continue }
      defer { try? FileManager.default.removeItem(at: scratch) }
      let target = scratch.appendingPathComponent("weight.bin")
      guard let writer = try? BlobFileWriter(path: target.path),
        let made = try? ProgramFile.model(graph, options: WritingOptions(), weights: writer),
        (try? writer.finish()) != nil, case .mlProgram(let program)? = made.type,
        let weights = try? Data(contentsOf: target), weights.count > 64
      else { continue }
      seeds.append(
        FileSeed(
          kind: "text with weights of \(kind)", name: folder,
          files: [
            textPath: MILText(program, version: .init(1, 3)).utf8, weightsPath: [UInt8](weights),
          ], values: seed.values))
    }
    return seeds
  }()

  /// Names of types, settings and operations. The damage may replace a word or a string of the text by one of these
  /// names.
  private static let words: [String] = {
    var names: Set<String> = [
      "fp32", "fp16", "int32", "bool", "uint8", "int8", "int4", "uint4", "uint6", "string", "true",
      "false", "tensor", "same", "valid", "custom", "constant", "reflect", "replicate", "sigmoid",
    ]
    for (_, seed) in ModelSeed.programs {
      guard case .mlProgram(let program)? = seed.model.type else { continue }
      for function in program.functions.values {
        for block in function.blockSpecializations.values {
          names.formUnion(block.operations.map(\.type))
        }
      }
    }
    return names.sorted()
  }()

  /// Changes words and numbers of the text, replaces the text by that of a damaged program, or changes bytes of the
  /// weight file.
  static func damaged(_ seed: FileSeed, using generator: inout SplitMix64) -> [String: [UInt8]] {
    var files: [String: [UInt8]] = seed.files
    let text: [UInt8] = files[textPath] ?? []
    let choice = Int.random(in: 0..<10, using: &generator)
    if choice == 0, let weights = files[weightsPath] {
      files[weightsPath] = ByteDamage.damaged(weights, using: &generator)
      return files
    }
    if choice < 5, let parsed = try? MILText(parsing: ByteValues(text)),
      var tree = WireTree(parsed.program.serialized()[...])
    {
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        tree.damage(Int.random(in: 0..<max(1, tree.count), using: &generator), using: &generator)
      }
      if let program = try? Spec.MILSpec.Program(serialized: ByteValues(tree.bytes)) {
        files[textPath] = MILText(program, version: parsed.version).utf8
        return files
      }
    }
    files[textPath] = TokenText.damaged(text, words: words, using: &generator)
    return files
  }
}
