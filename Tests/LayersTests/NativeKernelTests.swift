import CKernels
import Engine
import Operators
import Testing

/// Checks that common layers have fast kernels, so that plans do not use the reference implementations of these layers.
@Suite("Native kernels")
struct NativeKernelTests {
  @Test("Every layer that has a sample is computed by a native kernel")
  func everyLayerHasKernels() throws {
    var plain: Set<String> = []
    var fast: Set<String> = []
    for test in LayerCase.good {
      guard let name = OperatorCatalog.standard.fields(of: test.type).first else { continue }
      if try test.makeLayer().candidates.isEmpty { plain.insert(name) } else { fast.insert(name) }
    }
    #expect(plain.subtracting(fast).isEmpty)
  }

  @Test(
    "Each native kernel runs for at least one sample, in both storage types",
    arguments: LayerTypeCase.plainBefore)
  func candidatesAreUsed(test: LayerTypeCase) throws {
    let cases: [LayerCase] = LayerCase.good.filter { $0.type == test.type }
    for storage in [ElementType.float32, .bfloat16] {
      var used: Set<String> = []
      var candidates: Set<String> = []
      for sample in cases {
        let prepared = try PreparedCase.of(sample, storage)
        for candidate in prepared.layer.candidates where candidate.takes([.float32]) {
          candidates.insert(candidate.name)
          let trial = KernelTrial(storage: storage, threads: 2)
          let outputs = try trial.run(
            candidate, inputs: prepared.inputs, constants: prepared.constants,
            outputs: prepared.types)
          if outputs != nil { used.insert(candidate.name) }
        }
        if used != candidates { used.formUnion(try prepared.usedWhenStored()) }
      }
      #expect(!candidates.isEmpty)
      #expect(used == candidates, "\(test.type.declaration.name) in \(storage)")
    }
  }

  @Test(
    "Native kernels reject invalid indices with the same message as the definition",
    arguments: LayerCase.bad)
  func sentencesAgree(test: LayerCase) throws {
    guard let decoded = try? test.decoded(),
      let parameters = try? decoded.constants.map({ try $0.value.tensor() })
    else { return }
    let layer = decoded.operation
    let inputs = test.makeInputs() + parameters
    guard let types = try? test.promisedTypes(layer, inputs) else { return }
    let expected = sentence { _ = try layer.reference(inputs) }
    for candidate in layer.candidates {
      var declined = false
      let found = sentence {
        let outputs = try KernelTrial(threads: 2).run(candidate, inputs: inputs, outputs: types)
        declined = outputs == nil
      }
      if !declined { #expect(found == expected, "\(candidate.name)") }
    }
  }

  @Test(
    "Native kernels match the definition with every instruction set",
    arguments: LayerCase.deterministic,
    [Int32(0), 1, 2])
  func instructionSets(test: LayerCase, level: Int32) throws {
    ck_limit_instructions(level)
    defer { ck_limit_instructions(3) }
    let prepared = try PreparedCase.of(test)
    let trial = KernelTrial(layout: .channelsLast, threads: 2)
    for candidate in prepared.layer.candidates {
      let outputs = try trial.run(
        candidate, inputs: prepared.inputs, constants: prepared.constants, outputs: prepared.types)
      for (output, answer) in zip(outputs ?? [], prepared.answers) {
        let comparison = Comparison(output, to: answer)
        #expect(
          comparison.error <= test.sample.tolerance.relative, "\(candidate.name): \(comparison)")
      }
    }
  }

  private func sentence(_ body: () throws -> Void) -> String? {
    do {
      try body()
      return nil
    } catch let error as EngineError {
      return error.message
    } catch {
      return "\(error)"
    }
  }
}

extension LayerTypeCase {
  /// The layer types for which a test checks that each native kernel runs. Most of these layers move, sort or select
  /// elements.
  static let plainBefore: [LayerTypeCase] = {
    let names: Set<String> = [
      "convolution3d", "pooling3d", "globalPooling3d", "dot", "argSort", "topK", "cumSum",
      "cropResize", "gather", "gatherND", "gatherAlongAxis", "scatter", "scatterND",
      "scatterAlongAxis", "oneHot", "whereNonZero", "whereBroadcastable",
      "nonMaximumSuppression", "sliceBySize", "sliceDynamic", "reverseSeq", "rangeDynamic",
    ]
    return all.filter { !names.isDisjoint(with: OperatorCatalog.standard.fields(of: $0.type)) }
  }()
}
