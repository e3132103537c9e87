import COneDNN
import Engine
import Operators
import Testing

/// For each operator and each element type that the operator declares: checks that type inference, reference
/// implementation and kernels agree.
@Suite("Every operator on other types")
struct TypedConformanceTests {
  @Test("Every operator computes its promised type from typed inputs", arguments: TypedCase.all)
  func definition(test: TypedCase) throws {
    let layer = try test.test.makeLayer()
    let inputs = test.inputs(of: layer)
    let known = inputs.map { OperatorInput($0.type, value: $0) }
    for (position, input) in inputs.enumerated() {
      #expect(layer.takes(input.element, at: position))
    }
    let types = try #require(try layer.outputTypes(for: known))
    let made = try layer.define(inputs, types: types)
    #expect(made.map(\.type) == types)
    let isSmall: Bool = inputs.allSatisfy { $0.reals.allSatisfy { abs($0) < 0x1p31 } }
    guard test.element == .int32 || test.element == .int64, isSmall else { return }
    // Unless an integer overflows or is divided by 0, the operator gives the same results when it computes in float64.
    let real = try layer.reference(inputs.map { $0.converted(to: .float64) })
    for (integer, expected) in zip(made, real) where integer.element.isInteger {
      for (found, number) in zip(integer.integerValues, expected.reals) where abs(number) < 0x1p31 {
        #expect(found == integer.element.integer(number))
      }
    }
  }

  @Test("Every operator's kernels match its definition on typed inputs", arguments: TypedCase.all)
  func kernels(test: TypedCase) throws {
    let layer = try test.test.makeLayer()
    let inputs = test.inputs(of: layer)
    let types = try #require(
      try layer.outputTypes(for: inputs.map { OperatorInput($0.type, value: $0) }))
    guard types.allSatisfy({ $0.shape.count > 0 }) else { return }
    let candidates = layer.candidates.filter {
      $0.takes(inputs.map(\.element) + types.map(\.element))
    }
    guard !candidates.isEmpty else { return }
    let answers = try layer.define(inputs, types: types)
    for candidate in candidates {
      for layout in [Layout.dense, .channelsLast] {
        let trial = KernelTrial(layout: layout, threads: 2)
        guard let outputs = try trial.run(candidate, inputs: inputs, outputs: types) else {
          continue
        }
        for (output, answer) in zip(outputs, answers) {
          #expect(output.type == answer.type, "\(candidate.name)")
          let comparison = Comparison(output, to: answer)
          let isExact: Bool = answer.element.isInteger
          let allowed: Double = isExact ? 0 : test.test.sample.tolerance.relative
          #expect(comparison.error <= allowed, "\(candidate.name), \(layout): \(comparison)")
        }
      }
    }
  }

  /// The current processor, and a processor for which the planner chooses other kernels.
  private static let processors: [Processor] = [
    .current,
    Processor(hasAVX512: true, hasBFloat16: true, hasMatrixTiles: true, emulatesMatrixTiles: true),
  ]

  @Test(
    "At least one typed sample uses each of an operator's kernels", arguments: LayerTypeCase.all)
  func candidatesAreUsed(test: LayerTypeCase) throws {
    var used: Set<String> = []
    var candidates: Set<String> = []
    for sample in LayerCase.good where sample.type == test.type {
      candidates.formUnion(try sample.makeLayer().candidates.map(\.name))
    }
    // oneDNN adds up int8 products exactly only on processors with VNNI. Only its versions before 3 accept scales in
    // the form in which we pass them.
    if !Processor.current.hasInt8DotProduct || !String(cString: adnn_version()).hasPrefix("2.") {
      candidates = candidates.filter { !$0.hasPrefix("oneDNN int8") }
    }
    for sample in LayerCase.good where sample.type == test.type && used != candidates {
      for form in Form.all where form.threads < 3 && used != candidates {
        let prepared = try PreparedCase.of(sample, form.storage)
        for candidate in prepared.layer.candidates where !used.contains(candidate.name) {
          let isUsed: Bool = try prepared.constantVariants(form.storage).contains { constants in
            try Self.processors.contains { processor in
              var trial: KernelTrial = form.trial
              trial.processor = processor
              trial.multipliesPairs = processor.emulatesMatrixTiles
              return try trial.takes(
                candidate, inputs: prepared.inputs.map(\.type), constants: constants,
                outputs: prepared.types)
            }
          }
          if isUsed { used.insert(candidate.name) }
        }
      }
    }
    for typed in TypedCase.all where typed.test.type == test.type && used != candidates {
      let layer = try typed.test.makeLayer()
      let inputs = typed.inputs(of: layer)
      let known = inputs.map { OperatorInput($0.type, value: $0) }
      guard let types = try layer.outputTypes(for: known) else { continue }
      for candidate in layer.candidates where !used.contains(candidate.name) {
        let isUsed = try KernelTrial().takes(
          candidate, inputs: inputs.map(\.type), outputs: types)
        if isUsed { used.insert(candidate.name) }
      }
    }
    for sample in LayerCase.good where sample.type == test.type && used != candidates {
      used.formUnion(try PreparedCase.of(sample).usedWhenStored())
    }
    if !Processor.current.hasBFloat16 {
      // oneDNN has no bfloat16 matrix products if the processor lacks bfloat16 instructions.
      candidates = candidates.filter { !$0.hasPrefix("oneDNN") || !$0.contains("matrix tiles") }
    }
    // Options ask for these candidates. DynamicQuantizationTests runs them.
    candidates = candidates.filter { !$0.hasSuffix("with dynamic quantisation") }
    #expect(candidates.subtracting(used).isEmpty)
  }
}
