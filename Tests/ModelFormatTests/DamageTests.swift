import Tensors
import Foundation
import Platform
import Testing
import ThreadClock

@testable import ModelFormat

@Suite struct DamageTests {
  static let mutationsPerModel = 1_000

  /// Damages a model file as a failing disk or an attacker may damage it.
  static func mutate(_ original: [UInt8], with generator: inout SplitMix64) -> [UInt8] {
    var bytes = original
    for _ in 0..<Int.random(in: 1...3, using: &generator) where !bytes.isEmpty {
      let position = Int.random(in: 0..<bytes.count, using: &generator)
      switch Int.random(in: 0..<6, using: &generator) {
      case 0: bytes.removeSubrange(position...)
      case 1: bytes[position] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      case 2: bytes[position] = UInt8.random(in: 0...255, using: &generator)
      case 3: bytes.replaceSubrange(position...position, with: [0xFF, 0xFF, 0xFF, 0xFF, 0x07])
      case 4:
        bytes.replaceSubrange(
          position...position, with: [UInt8](repeating: 0xFF, count: 9) + [0x01])
      default:
        let end = Int.random(in: position..<bytes.count, using: &generator)
        bytes.append(contentsOf: bytes[position...end])
      }
    }
    return bytes
  }

  /// Reads the model, writes it, reads it again, and decodes the weights of its convolutions. Returns whether the model
  /// could be read.
  static func survives(_ bytes: [UInt8]) throws -> Bool {
    do {
      let file = try ModelFile(bytes: bytes)
      let again = try Spec.Model(serialized: ByteValues(file.model.serialized()))
      #expect(again.serialized() == file.model.serialized())
      if case .neuralNetwork(let network)? = file.model.type { useWeights(of: network) }
      return true
    } catch let error as ModelFormatError {
      #expect(error.message.hasPrefix("Model in memory"))
      return false
    }
  }

  static func useWeights(of network: Spec.NeuralNetwork) {
    for layer in network.layers {
      guard case .convolution(let convolution)? = layer.layer else { continue }
      for weights in [convolution.weights, convolution.bias] {
        guard let weights else { continue }
        _ = try? weights.decodedFloats(
          count: weights.storedCount, name: "Convolution '\(layer.name)'",
          outputChannels: Int(clamping: convolution.outputChannels))
        _ = try? weights.decodedFloats(count: 8, name: "Convolution", outputChannels: 2)
      }
    }
  }

  static func check(_ original: [UInt8], seed: UInt64, name: String) throws {
    print("mutations of \(name): seed \(seed)")
    var generator = SplitMix64(seed: seed)
    var readable = 0
    for _ in 0..<mutationsPerModel {
      if try survives(mutate(original, with: &generator)) { readable += 1 }
    }
    print("mutations of \(name): \(readable) of \(mutationsPerModel) still readable")
    #expect(readable < mutationsPerModel)
  }

  @Test func `A thousand mutations of a network give errors or models`() throws {
    try DamageTests.check(SampleModels.network().serialized(), seed: 1, name: "network")
  }

  @Test func `A thousand mutations of an ML Program give errors or models`() throws {
    try DamageTests.check(SampleModels.program, seed: 2, name: "program")
  }

  @Test(
    .enabled(if: Fixtures.haveModels),
    arguments: [
      "classical/MarsHabitatPricer.mlmodel", "classical/DecisionTreeModel-Mushrooms.mlmodel",
      "updatable-housing/s4tf_house_simplified_trainable_model.mlmodel",
    ])
  func `A thousand mutations of a real model give errors or models`(path: String) throws {
    let bytes = [UInt8](try Data(contentsOf: Fixtures.model(path)))
    try DamageTests.check(bytes, seed: 3, name: path)
  }

  @Test func `A model truncated anywhere gives an error or a model`() throws {
    for bytes in [SampleModels.network().serialized(), SampleModels.program] {
      for end in bytes.indices { _ = try DamageTests.survives([UInt8](bytes[..<end])) }
    }
  }

  @Test func `A truncated file is reported with the field and both sizes`() throws {
    let bytes = SampleModels.network().serialized()
    let error = #expect(throws: ModelFormatError.self) {
      try ModelFile(bytes: [UInt8](bytes.dropLast(10)), name: "'x.mlmodel'")
    }
    #expect(error?.code == .damaged)
    #expect(
      error?.message == "Model 'x.mlmodel': the field 'neuralNetwork' of Model ends at byte "
        + "\(bytes.count) but the file has \(bytes.count - 10) bytes. The file may be truncated.")
  }

  static let sentences: [([UInt8], String)] = [
    (
      [0x08, 0x04, 0x12, 0x05, 0x0A, 0x09, 1, 2, 3],
      "the field 'input' of ModelDescription ends at byte 15 but the file has 9 bytes. The file may be truncated."
    ),
    (
      [0x08, 0x04, 0x12, 0x02, 0x0A, 0x09, 0x50, 1],
      "the field 'input' of ModelDescription ends at byte 15 but its message ends at byte 6. The file is damaged."
    ),
    (
      [0x08, 0x04, 0x10, 0x01],
      "the field 'description' of Model is stored as wire type 0 at byte 2, expected a length and bytes. The file is damaged."
    ),
    (
      [0x08, 0x04, 0xBB, 0x01],
      "the field 23 of Model has wire type 3 at byte 2, which Core ML models do not use. The file is damaged."
    ),
    (
      [0x08] + [UInt8](repeating: 0xFF, count: 11),
      "the field 'specificationVersion' of Model has a number at byte 1 that does not end within 10 bytes. The file is damaged."
    ),
    (
      [0x08, 0x04, 0x12, 0x05, 0x5A, 0x03, 0xC3, 0x28, 0x41],
      "the field 'predictedFeatureName' of ModelDescription holds text at byte 4 that is not UTF-8. The file is damaged."
    ),
  ]

  @Test(arguments: sentences.indices)
  func `Damage is reported in one sentence`(index: Int) throws {
    let (bytes, sentence) = DamageTests.sentences[index]
    let error = #expect(throws: ModelFormatError.self) { try ModelFile(bytes: bytes) }
    #expect(error?.message == "Model in memory: " + sentence)
  }

  @Test(arguments: [0, 1])
  func `Deep nesting is refused, on the stack of a small thread too`(kind: Int) async throws {
    let build = kind == 0 ? SampleModels.nestedPipelines : SampleModels.nestedBranches
    let fine = build(30).serialized()
    let deep = build(60).serialized()
    let recorded = Locked<[String]>([])
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      let thread = Thread {
        var found: [String] = []
        for bytes in [fine, deep] {
          do {
            _ = try Spec.Model(serialized: ByteValues(bytes))
            found.append("read")
          } catch {
            found.append("\(error)")
          }
        }
        recorded.withLock { $0 = found }
        continuation.resume()
      }
      thread.stackSize = 2 << 20
      thread.start()
    }
    let messages: [String] = recorded.withLock { $0 }
    #expect(messages.first == "read")
    #expect(messages.last?.contains("is nested deeper than 100 messages") == true)
  }

  @Test func `Time and memory for a million empty messages are proportional to their number`()
    throws
  {
    // An empty layer takes two bytes in the file. A repeated message field must be merged without copying its contents.
    let layers: [UInt8] = (0..<500_000).flatMap { _ in [0x0A, 0x00] as [UInt8] }
    let network: [UInt8] = [0x08, 0x04, 0xA2, 0x1F] + varint(layers.count) + layers
    let repeated: [UInt8] =
      network + (0..<200_000).flatMap { _ in [0xA2, 0x1F, 2, 0x0A, 0] as [UInt8] }
    let duration = try ThreadClock.measure { _ = try ModelFile(bytes: repeated) }
    #expect(duration < .seconds(10))
  }

  @Test func `Time for interleaved single numbers is proportional to their number`() throws {
    // The fields alternate: one number of floatValue, then one isUpdatable.
    let pair: [UInt8] = [0x0D, 0, 0, 0x80, 0x3F, 0x90, 0x03, 1]
    let bytes: [UInt8] = (0..<200_000).flatMap { _ in pair }
    let duration = try ThreadClock.measure {
      let weights = try Spec.WeightParams(serialized: ByteValues(bytes))
      #expect(weights.floatValue.count == 200_000)
    }
    #expect(duration < .seconds(10))
  }

  private func varint(_ value: Int) -> [UInt8] {
    var rest = value
    var bytes: [UInt8] = []
    while rest >= 0x80 {
      bytes.append(UInt8(rest & 0x7F) | 0x80)
      rest >>= 7
    }
    return bytes + [UInt8(rest)]
  }
}
