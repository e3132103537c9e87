import COneDNN
import Engine
import Operators
import Testing

/// What every operator promises of the element types that it declares.
@Suite("Every operator on other types")
struct TypedConformanceTests {
  @Test("makes what it promises, in numbers of the inputs", arguments: TypedCase.all)
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
    // In real numbers it is the same, but for what overflows and quotients by 0.
    let real = try layer.reference(inputs.map { $0.converted(to: .float64) })
    for (whole, expected) in zip(made, real) where whole.element.isInteger {
      for (found, number) in zip(whole.wholes, expected.reals) where abs(number) < 0x1p31 {
        #expect(found == whole.element.whole(number))
      }
    }
  }

  @Test("has kernels that equal its definition", arguments: TypedCase.all)
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

  /// This one, and one for which other kernels are chosen.
  private static let processors: [Processor] = [
    .current,
    Processor(hasAVX512: true, hasBFloat16: true, hasMatrixTiles: true, actsMatrixTiles: true),
  ]

  @Test("has kernels each of which a sample takes", arguments: LayerTypeCase.all)
  func candidatesAreTaken(test: LayerTypeCase) throws {
    var taken: Set<String> = []
    var candidates: Set<String> = []
    for sample in LayerCase.good where sample.type == test.type {
      candidates.formUnion(try sample.makeLayer().candidates.map(\.name))
    }
    // The library sums up bytes exactly with VNNI alone, and is told factors so before version 3 alone.
    if !Processor.current.multipliesBytes || !String(cString: adnn_version()).hasPrefix("2.") {
      candidates = candidates.filter { !($0.hasPrefix("oneDNN") && $0.hasSuffix("of bytes")) }
    }
    for sample in LayerCase.good where sample.type == test.type && taken != candidates {
      for form in Form.all where form.threads < 3 && taken != candidates {
        let prepared = try PreparedCase.of(sample, form.storage)
        for candidate in prepared.layer.candidates where !taken.contains(candidate.name) {
          let isTaken: Bool = try prepared.ways(form.storage).contains { constants in
            try Self.processors.contains { processor in
              var trial: KernelTrial = form.trial
              trial.processor = processor
              return try trial.takes(
                candidate, inputs: prepared.inputs.map(\.type), constants: constants,
                outputs: prepared.types)
            }
          }
          if isTaken { taken.insert(candidate.name) }
        }
      }
    }
    for typed in TypedCase.all where typed.test.type == test.type && taken != candidates {
      let layer = try typed.test.makeLayer()
      let inputs = typed.inputs(of: layer)
      let known = inputs.map { OperatorInput($0.type, value: $0) }
      guard let types = try layer.outputTypes(for: known) else { continue }
      for candidate in layer.candidates where !taken.contains(candidate.name) {
        let isTaken = try KernelTrial().takes(
          candidate, inputs: inputs.map(\.type), outputs: types)
        if isTaken { taken.insert(candidate.name) }
      }
    }
    for sample in LayerCase.good where sample.type == test.type && taken != candidates {
      taken.formUnion(try PreparedCase.of(sample).takenStored())
    }
    if !Processor.current.hasBFloat16 {
      // oneDNN multiplies nothing in bfloat16 then.
      candidates = candidates.filter { !$0.hasPrefix("oneDNN") || !$0.contains("matrix tiles") }
    }
    #expect(candidates.subtracting(taken).isEmpty)
  }
}
