import Conversion
import Engine
import Foundation
import ModelFormat
import NetworkRuns
import OperatorSamples
import Testing

/// Tests writing the sample programs in every format and reading them again.
@Suite("A written sample program")
struct SampleProgramWritingTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    let model: Spec.Model
    let ending: String
    var testDescription: String { "\(name) as .\(ending)" }

    static let all: [Case] = {
      do {
        return try SamplePrograms.all().flatMap { name, model in
          ["mlmodel", "mlpackage", "onnx"].map { Case(name: name, model: model, ending: $0) }
        }
      } catch {
        Issue.record("the sample programs cannot be read: \(error)")
        return []
      }
    }()
  }

  private func inFolder<Result>(_ body: (URL) throws -> Result) throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder)
  }

  /// Generates values for an input: fractions, or integers that are valid indices.
  private func values(of feature: GraphModel.Feature, as held: ElementType) -> ReferenceTensor {
    let shape = Shape(feature.extents?.map { $0.fixed ?? 1 } ?? [])
    if held.isInteger {
      return ReferenceTensor(shape, integerValues: (0..<shape.count).map { Int64($0 % 3) }, held)
    }
    let isInteger: Bool = feature.held.isInteger
    let numbers: [Double] = (0..<shape.count).map { (index: Int) -> Double in
      isInteger ? Double(index % 3) : Double(index % 17) / 8 - 1
    }
    return ReferenceTensor(shape, numbers)
  }

  @Test(
    "A written sample program gives the same results when read again, or is refused with a reason",
    arguments: Case.all)
  func computes(item: Case) throws {
    try inFolder { folder in
      let source: URL = folder.appendingPathComponent("program.mlmodel")
      try Data(item.model.serialized()).write(to: source)
      let model: GraphModel = try ModelReaders.read(source)
      let target: URL = folder.appendingPathComponent("made.\(item.ending)")
      var options = WritingOptions()
      options.precision = .float32
      do {
        try ModelWriters.write(model, to: target, options: options)
      } catch let error as EngineError {
        // A writer refuses operations without an equivalent. It must never write a file that its own reader refuses.
        #expect(!error.message.contains("was not written"), "\(error.message)")
        return
      }
      let again: GraphModel = try ModelReaders.read(target)
      try #require(again.inputs.count == model.inputs.count)
      let made: [ReferenceTensor] = try again.run(
        zip(model.inputs, again.inputs).map { values(of: $0, as: $1.held) })
      let known: [ReferenceTensor] = try model.run(
        model.inputs.map { values(of: $0, as: $0.held) })
      try #require(made.count == known.count && !made.isEmpty)
      guard item.name != "random" else { return }
      let tolerance: Double = item.name == "float16" ? 5e-3 : 1e-4
      for (output, answer) in zip(made, known) {
        #expect(output.shape.count == answer.shape.count)
        for (value, expected) in zip(output.reals, answer.reals) {
          let isEqual: Bool =
            value == expected || (value.isNaN && expected.isNaN)
            || abs(value - expected) <= tolerance * (1 + abs(expected))
          #expect(isEqual, "\(value) for \(expected)")
          if !isEqual { break }
        }
      }
    }
  }
}
