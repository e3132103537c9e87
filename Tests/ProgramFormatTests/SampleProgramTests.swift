import Engine
import ModelFormat
import NetworkRuns
import OperatorSamples
import ProgramFormat
import Testing

/// The sample programs as a whole: what the plan computes is what the operators' definitions say.
@Suite("Sample programs")
struct SampleProgramTests {
  /// A program with a function of its own to read it by.
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

  /// Fractions, and whole numbers that are good indices.
  private func values(of port: ProgramGraph.Port) -> ReferenceTensor {
    let shape = Shape(port.extents.map { $0 ?? 1 })
    if port.held.isInteger {
      return ReferenceTensor(shape, wholes: (0..<shape.count).map { Int64($0 % 3) }, port.held)
    }
    return ReferenceTensor(shape, (0..<shape.count).map { Double($0 % 17) / 8 - 1 })
  }

  @Test("compute what their definitions say", arguments: Sample.all)
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
      // Numbers that are drawn are told by their range alone.
      if sample.name == "random" {
        #expect(output.reals.allSatisfy { $0 >= -1 && $0 <= 3 })
        continue
      }
      // A step of float16 at the edge of two numbers may go either way.
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
