import Engine
import Foundation
import ModelFormat
import NeuralNetworkFormat
import ONNXFormat
import OperatorSamples
import Operators
import Testing

/// Tests writing every sample in the catalogue as an ONNX model and reading it again.
@Suite("A graph written as ONNX")
struct ONNXWritingTests {
  /// One sample as a model with one operator.
  struct Case: Sendable, CustomTestStringConvertible {
    let kind: String
    let sample: OperatorSample
    let number: Int

    var testDescription: String { "\(kind): \(sample.name)" }

    static let all: [Case] = OperatorCatalog.standard.layers
      .filter { $0.isDeterministic }
      .flatMap { type in
        ((type as? any SampledOperator.Type)?.samples ?? []).filter {
          $0.failure == nil && $0.derived == nil
        }.map { (type.declaration.name, $0) }
      }.enumerated().map { Case(kind: $1.0, sample: $1.1, number: $0) }

    func inputs() -> [ReferenceTensor] {
      sample.inputs.enumerated().map { position, input in
        var generator = SplitMix64(seed: UInt64(position) * 0x9E37_79B9 + 17)
        let values: [Double] = (0..<input.shape.count).map { index in
          switch input.fill {
          case .uniform(let range): Double(Float(generator.uniform(range)))
          case .integers(let range): Double(Int.random(in: range, using: &generator))
          case .values(let list): Double(Float(list[index]))
          }
        }
        return ReferenceTensor(input.shape, values)
      }
    }

    func model() throws -> GraphModel {
      let decoded = try OperatorCatalog.standard.layer(
        for: sample.layer, in: NetworkContext(mapping: sample.mapping, catalog: .standard))
      let builder = GraphBuilder()
      var values: [Graph.ValueID] = sample.inputs.enumerated().map { position, input in
        builder.addInput("input \(position)", extents: input.shape.dimensions.map { Extent($0) })
      }
      values += decoded.constants.map { builder.addConstant($0.value, name: $0.role) }
      let made = try builder.add(
        decoded.operation, values, outputs: sample.layer.output.count, name: sample.layer.name)
      for (position, value) in made.enumerated() {
        builder.addOutput(value, name: "output \(position)")
      }
      return builder.model()
    }
  }

  @Test("A graph written as ONNX gives the same results when it is read again")
  func samples() throws {
    var refused: [String] = []
    var written = 0
    for test in Case.all {
      let model: GraphModel = try test.model()
      let inputs: [ReferenceTensor] = test.inputs()
      let expected: [ReferenceTensor?] = try model.graph.definition(inputs)
      let message: ONNX.ModelProto
      do {
        message = try ONNXWriter.message(for: model)
      } catch let error as EngineError {
        #expect(error.code == .unsupported, "\(test.testDescription): \(error.message)")
        refused.append("\(test.testDescription): \(error.message)")
        continue
      }
      written += 1
      do {
        let again = try ONNXReader.read(ByteValues(message.serialized()), name: test.kind)
        let answers: [ReferenceTensor?] = try again.graph.definition(inputs)
        // Opset 18 has no GELU, so the writer writes GELU as a product. For the input −∞, this product is −∞ · 0, which
        // is NaN.
        let isDecomposed: Bool = test.testDescription.hasPrefix("Gelu")
        for (answer, known) in zip(answers, expected) {
          guard let answer, let known else { continue }
          #expect(answer.shape == known.shape, "\(test.testDescription)")
          guard answer.shape == known.shape else { continue }
          let largest: Double = known.reals.filter(\.isFinite).map(abs).max() ?? 0
          let isNear: Bool = zip(answer.reals, known.reals).allSatisfy { a, b in
            a == b || a.isNaN && (b.isNaN || isDecomposed && abs(b) < 1e-30)
              || abs(a - b) <= 2e-5 * max(largest, 1e-6)
          }
          #expect(
            isNear, "\(test.testDescription): \(answer.reals.prefix(6)) \(known.reals.prefix(6))")
        }
      } catch {
        Issue.record("\(test.testDescription): \(error)")
      }
    }
    print("ONNX: \(written) samples written, \(refused.count) refused")
    if ProcessInfo.processInfo.environment["ATELIER_ONNX_REFUSED"] != nil {
      for line in refused { print("  refused \(line)") }
    }
    #expect(written > 950)
  }

  @Test("A written ONNX file keeps the names, types and free extents of the inputs and outputs")
  func ports() throws {
    let builder = GraphBuilder()
    let x = builder.addInput(
      "ids", extents: [Extent(symbol: "n"), 4], element: .int64, held: .int32)
    let y = try builder.add(
      BinaryFunctionOperator(.add), x,
      builder.addConstant(ReferenceTensor([], integerValues: [1], .int32), name: "one"), name: "y")
    builder.addOutput(y, name: "next", element: .int64)
    let message = try ONNXWriter.message(for: builder.model())
    let again = try ONNXReader.read(ByteValues(message.serialized()), name: "ports")
    #expect(again.inputs.map(\.name) == ["ids"])
    #expect(again.inputs[0].element == .int64)
    #expect(again.inputs[0].extents == [Extent(symbol: "n"), 4])
    #expect(again.outputs.map(\.name) == ["next"])
    #expect(again.outputs[0].element == .int64)
    let ids = ReferenceTensor([1, 4], integerValues: [1, 2, 3, 4], .int32)
    #expect(try again.graph.definition([ids])[0]?.integerValues == [2, 3, 4, 5])
  }

  @Test("Custom layers cannot be written as ONNX, and the error gives a way out")
  func customLayer() throws {
    let samples = Case.all.filter { $0.kind == "Custom" }
    for test in samples {
      let error = #expect(throws: EngineError.self) {
        _ = try ONNXWriter.message(for: test.model())
      }
      #expect(error?.message.contains("keep the model in Core ML's format") == true)
    }
  }
}
