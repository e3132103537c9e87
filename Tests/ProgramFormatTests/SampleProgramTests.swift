import Engine
import ModelFormat
import NetworkRuns
import OperatorSamples
import ProgramFormat
import Testing

/// Compares the results of planned sample programs with those of the operators' reference implementations.
@Suite("Sample programs")
struct SampleProgramTests {
  /// A sample program and the function that reads it.
  struct Sample: Sendable, CustomTestStringConvertible {
    let name: String
    let model: Spec.Model
    var testDescription: String { name }

    static let all: [Sample] = {
      do {
        return try SamplePrograms.all().map { Sample(name: $0.name, model: $0.model) }
      } catch {
        Issue.record("the sample programs cannot be read: \(error)")
        return []
      }
    }()

    func graph() throws -> ProgramGraph {
      guard case .mlProgram(let program)? = model.type else { throw Missing() }
      return try ProgramGraph(
        program, blobs: { _ in throw Missing() }, makeCustomLayer: NetworkContext.noCustomLayers)
    }
  }

  struct Missing: Error {}

  /// Generates values for an input: fractions, or integers that are valid indices.
  private func values(of port: ProgramGraph.Port) -> ReferenceTensor {
    let shape = Shape(port.extents.map { $0 ?? 1 })
    if port.held.isInteger {
      return ReferenceTensor(
        shape, integerValues: (0..<shape.count).map { Int64($0 % 3) }, port.held)
    }
    return ReferenceTensor(shape, (0..<shape.count).map { Double($0 % 17) / 8 - 1 })
  }

  @Test("Sample programs match their definitions", arguments: Sample.all)
  func planned(sample: Sample) throws {
    let read = try sample.graph()
    let inputs: [ReferenceTensor] = read.inputs.map(values)
    let network = Network(read.graph, passes: GraphPasses.standard, options: ExecutionOptions())
    let made: [ReferenceTensor] = try network.run(inputs)
    let known: [ReferenceTensor?] = try read.graph.definition(inputs)
    #expect(made.count == known.count && !made.isEmpty)
    for (output, answer) in zip(made, known) {
      let answer = try #require(answer)
      #expect(output.shape == answer.shape)
      // Of random numbers, the test can only check the range.
      if sample.name == "random" {
        #expect(output.reals.allSatisfy { $0 >= -1 && $0 <= 3 })
        continue
      }
      // A value half-way between two float16 numbers may be rounded either way.
      let tolerance: Double = sample.name == "float16" ? 2e-3 : 2e-5
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
