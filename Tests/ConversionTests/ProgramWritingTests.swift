import Conversion
import Engine
import Foundation
import ModelFormat
import NeuralNetworkFormat
import OperatorSamples
import Operators
import ProgramFormat
import Testing

/// Tests writing every operator in the catalogue as operations of an ML Program and reading them again.
@Suite("An operator written as a program")
struct ProgramWritingTests {
  /// A sample of an operator, with the answer of the operator's reference implementation.
  struct Case: Sendable, CustomTestStringConvertible {
    let type: any Operator.Type
    let sample: OperatorSample
    var testDescription: String { "\(type.declaration.name): \(sample.name)" }

    static let all: [Case] = OperatorCatalog.standard.families
      .filter { !["Training", "Custom layers", "Control flow"].contains($0.name) }
      .flatMap(\.layers)
      .flatMap { type in
        ((type as? any SampledOperator.Type)?.samples ?? []).map { Case(type: type, sample: $0) }
      }
      .filter {
        $0.sample.failure == nil && $0.type.isDeterministic && $0.type is any ProgramWritable.Type
      }

    func inputs() -> [ReferenceTensor] {
      sample.inputs.enumerated().map { position, input in
        var generator = SplitMix64(seed: UInt64(position) * 0x9E37_79B9 + 17)
        let values: [Double] = (0..<input.shape.count).map { index in
          switch input.fill {
          case .uniform(let range): Double(Float(generator.uniform(range)))
          case .integers(let range): Double(Int.random(in: range, using: &generator))
          case .values(let list): list[index]
          }
        }
        return ReferenceTensor(input.shape, values)
      }
    }

    func decoded() throws -> DecodedLayer {
      if let derived = sample.derived { return DecodedLayer(derived) }
      let catalog = OperatorCatalog.standard
      return try catalog.layer(
        for: sample.layer, in: NetworkContext(mapping: sample.mapping, catalog: catalog))
    }
  }

  @Test("An operator written as a program matches its definition", arguments: Case.all)
  func wayBack(test: Case) throws {
    let decoded: DecodedLayer = try test.decoded()
    let inputs: [ReferenceTensor] = test.inputs()
    let constants: [ReferenceTensor] = try decoded.constants.map { try $0.value.tensor() }
    let expected: [ReferenceTensor] = try decoded.operation.reference(inputs + constants)
    let model: GraphModel = try graph(decoded, inputs, outputs: expected.count)
    var options = WritingOptions()
    options.precision = .float32
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: file) }
    let weights = try BlobFileWriter(path: file.path)
    let written: Spec.Model
    do {
      written = try ProgramFile.model(model, options: options, weights: weights)
    } catch let error as EngineError where error.code == .unsupported {
      // Operators without an equivalent are refused with a message that names the operator.
      #expect(error.message.contains(decoded.operation.name))
      Self.refused.insert("\(test.testDescription): \(error.message)")
      return
    }
    try weights.finish()
    guard case .mlProgram(let program)? = written.type else { return }
    let blobs = try BlobFile(path: file.path)
    let read = try ProgramGraph(
      program, blobs: { _ in blobs }, makeCustomLayer: NetworkContext.noCustomLayers)
    let given: [ReferenceTensor] = zip(inputs, read.inputs).map { input, port in
      input.converted(to: port.held)
    }
    let answers: [ReferenceTensor?] = try read.graph.definition(given)
    #expect(answers.count == expected.count)
    for (position, known) in expected.enumerated() {
      let answer = try #require(answers[position])
      #expect(answer.shape == known.shape, "output \(position)")
      let stated: [Int?] = read.outputs[position].extents
      #expect(
        stated.count == known.shape.rank
          && zip(stated, known.shape.dimensions).allSatisfy { $0 == nil || $0 == $1 },
        "the program states \(stated) for \(known.shape)")
      guard answer.shape == known.shape else { continue }
      let largest: Double = known.reals.lazy.filter(\.isFinite).map(abs).max() ?? 0
      for (found, wanted) in zip(answer.reals, known.reals) {
        let isSame: Bool =
          found == wanted || (found.isNaN && wanted.isNaN)
          || abs(found - wanted) <= 1e-5 * max(1, largest)
        #expect(isSame, "\(found) is not \(wanted)")
        if !isSame { return }
      }
    }
  }

  static let refused = Refused()

  private func graph(_ decoded: DecodedLayer, _ inputs: [ReferenceTensor], outputs: Int) throws
    -> GraphModel
  {
    let builder = GraphBuilder()
    var read: [Graph.ValueID] = inputs.enumerated().map { position, input in
      builder.addInput("input\(position)", extents: input.shape.dimensions.map { Extent($0) })
    }
    for (role, constant) in decoded.constants {
      read.append(builder.addConstant(constant, name: role))
    }
    let made = try builder.add(decoded.operation, read, outputs: outputs, name: "made")
    for (position, value) in made.enumerated() {
      builder.addOutput(value, name: "output\(position)")
    }
    return builder.model()
  }
}

/// Collects the messages of refused operators, for inspection.
final class Refused: @unchecked Sendable {
  // `@unchecked Sendable`: guarded by the lock.
  private let lock = NSLock()
  private var sentences: [String] = []

  func insert(_ sentence: String) {
    lock.lock()
    defer { lock.unlock() }
    sentences.append(sentence)
    if let file = ProcessInfo.processInfo.environment["ATELIER_REFUSED"] {
      try? sentences.sorted().joined(separator: "\n").write(
        toFile: file, atomically: true, encoding: .utf8)
    }
  }
}
