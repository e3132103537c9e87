import Engine
import OperatorSamples
import Operators
import Testing

/// For each layer in the catalogue: checks on the layer's samples that shape inference, reference implementation and
/// kernels agree.
@Suite("Every layer")
struct LayerConformanceTests {
  @Test(
    "Every layer computes the output types that its shape inference predicts",
    arguments: LayerCase.good)
  func shapePromise(test: LayerCase) throws {
    let prepared = try PreparedCase.of(test)
    #expect(prepared.answers.map(\.shape) == prepared.types.map(\.shape))
    #expect(prepared.types.count == test.sample.layer.output.count)
  }

  @Test(
    "Every layer's reference matches independently known answers", arguments: LayerCase.answered)
  func knownAnswers(test: LayerCase) throws {
    let prepared = try PreparedCase.of(test)
    let expected = try #require(test.sample.expected)
    try #require(prepared.answers.map(\.shape) == expected.map(\.shape))
    for (answer, known) in zip(prepared.answers, expected) {
      let comparison = Comparison(answer, to: known)
      #expect(comparison.error <= 1e-6, "\(comparison)")
    }
  }

  @Test(
    "Every layer's kernels match its reference", arguments: LayerCase.deterministic, Form.all)
  func kernelsEqualReference(test: LayerCase, form: Form) throws {
    try expectReference(test, form)
  }

  @Test(
    "Every layer's kernels on matrix tiles match its reference", arguments: LayerCase.onTiles,
    Form.onTiles)
  func tileKernelsEqualReference(test: LayerCase, form: Form) throws {
    try expectReference(test, form)
  }

  @Test("Most samples of each layer with tile kernels are computed on matrix tiles")
  func tilesAreUsed() throws {
    var used = 0
    for test in LayerCase.onTiles {
      let prepared = try PreparedCase.of(test, .bfloat16)
      let candidates = prepared.layer.candidates.filter { $0.name.hasSuffix(Form.ownTiles) }
      let isUsed = try candidates.contains { candidate in
        try Form.onTiles[0].trial.takes(
          candidate, inputs: prepared.inputs.map(\.type), constants: prepared.constants,
          outputs: prepared.types)
      }
      if isUsed { used += 1 }
    }
    #expect(used * 2 > LayerCase.onTiles.count, "\(used) of \(LayerCase.onTiles.count)")
  }

  private func expectReference(_ test: LayerCase, _ form: Form) throws {
    let prepared = try PreparedCase.of(test, form.storage)
    for candidate in prepared.layer.candidates {
      // Passes the weights first as constants of the network, and then as variable inputs.
      for constants in prepared.constantVariants(form.storage) {
        let outputs = try form.trial.run(
          candidate, inputs: prepared.inputs, constants: constants, outputs: prepared.types)
        guard let outputs else { continue }
        try #require(outputs.map(\.shape) == prepared.types.map(\.shape), "\(candidate.name)")
        for (output, answer) in zip(outputs, prepared.answers) {
          let comparison = Comparison(output, to: answer)
          let allowed = test.sample.tolerance.relative(form.storage)
          #expect(comparison.error <= allowed, "\(candidate.name): \(comparison)")
        }
      }
    }
  }

  @Test(
    "Every layer gives the same bits for any thread count, in a second run and in other memory",
    arguments: LayerCase.deterministic)
  func sameBits(test: LayerCase) throws {
    let prepared = try PreparedCase.of(test)
    let (inputs, types, constants) = (prepared.inputs, prepared.types, prepared.constants)
    for candidate in prepared.layer.candidates {
      let first = try KernelTrial(threads: 1).run(
        candidate, inputs: inputs, constants: constants, outputs: types)
      for threads in [1, 2, 3] {
        var trial = KernelTrial(threads: threads)
        trial.runsInOtherMemoryFirst = threads == 2
        let again = try trial.run(
          candidate, inputs: inputs, constants: constants, outputs: types)
        #expect(
          again.map(bits) == first.map(bits), "\(candidate.name) with \(threads) threads")
      }
    }
  }

  @Test(
    "Every layer gives the same bits on matrix tiles for every number of threads",
    arguments: LayerCase.onTiles)
  func sameBitsOnTiles(test: LayerCase) throws {
    let prepared = try PreparedCase.of(test, .bfloat16)
    for candidate in prepared.layer.candidates where candidate.name.hasSuffix(Form.ownTiles) {
      let answers: [[[UInt64]]?] = try [1, 2, 3].map { threads in
        var form: Form = Form.onTiles[1]
        form.threads = threads
        return try form.trial.run(
          candidate, inputs: prepared.inputs, constants: prepared.constants,
          outputs: prepared.types
        ).map(bits)
      }
      #expect(answers.allSatisfy { $0 == answers[0] }, "\(candidate.name)")
    }
  }

  @Test("Every layer refuses invalid models and inputs with a message", arguments: LayerCase.bad)
  func badSamples(test: LayerCase) throws {
    let sentence = try #require(test.sample.failure)
    do {
      let decoded = try test.decoded()
      let layer = decoded.operation
      let inputs = try test.makeInputs() + decoded.constants.map { try $0.value.tensor() }
      _ = try test.promisedTypes(layer, inputs)
      _ = try layer.reference(inputs)
      Issue.record("nothing was thrown, expected “\(sentence)”")
    } catch let error as EngineError {
      #expect(error.message.contains(sentence))
      #expect(error.message.hasSuffix(".") || error.code == .customLayer, "\(error.message)")
    }
  }

  @Test(
    "Every layer has samples with unique names, at least one of them with a known answer",
    arguments: LayerTypeCase.all)
  func samplesAreNamed(test: LayerTypeCase) {
    let samples = (test.type as? any SampledOperator.Type)?.samples ?? []
    #expect(Set(samples.map(\.name)).count == samples.count)
    #expect(samples.contains { $0.expected != nil } || !test.type.isDeterministic)
  }

  private func bits(_ outputs: [ReferenceTensor]) -> [[UInt64]] { outputs.map(\.bits) }
}

/// One layer type in the catalogue.
struct LayerTypeCase: Sendable, CustomTestStringConvertible {
  let type: any Operator.Type

  var testDescription: String { type.declaration.name }

  static let all: [LayerTypeCase] = OperatorCatalog.tested.map(LayerTypeCase.init)
}
