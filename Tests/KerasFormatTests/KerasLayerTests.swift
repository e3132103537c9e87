import Engine
import Foundation
import Graph
import NetworkRuns
import Testing

@testable import KerasFormat

/// Compares our results with those of Keras (Expected/make_expected.py). The tolerance is 1e-4 of the largest
/// magnitude.
@Suite struct KerasLayerTests {
  struct Tensor: Decodable {
    let shape: [Int]
    let values: [Double]?
  }

  struct Case: Decodable, CustomTestStringConvertible {
    let name: String
    let files: [String: String]
    let inputs: [Tensor]
    let outputs: [Tensor]
    var testDescription: String { name }

    /// The contents of the files by name.
    var data: [String: Data] { files.compactMapValues { Data(base64Encoded: $0) } }
  }

  static let cases: [Case] = {
    let url = KerasRun.expected.appendingPathComponent("layers.json")
    return (try? JSONDecoder().decode([Case].self, from: Data(contentsOf: url))) ?? []
  }()

  @Test func `The recorded results are present`() { #expect(Self.cases.count > 100) }

  @Test(arguments: cases) func `A small model matches Keras`(_ item: Case) throws {
    let model: GraphModel = try KerasRun.inFolder(item.data) { folder in
      // The first name belongs to a complete model, or to a configuration. For a configuration, the reader finds the
      // weight file by its name.
      let name: String = item.files.keys.sorted()[0]
      return try KerasReader.read(folder.appendingPathComponent(name), options: ReadingOptions())
    }
    let inputs: [ReferenceTensor] = item.inputs.map { input in
      input.values.map { ReferenceTensor(Shape(input.shape), $0) } ?? .ramp(input.shape)
    }
    #expect(
      model.inputs.map { $0.extents?.map(\.fixed) } == item.inputs.map { $0.shape.map { $0 } })
    let made: [ReferenceTensor] = try model.run(inputs)
    #expect(made.count == item.outputs.count)
    for (made, expected) in zip(made, item.outputs) {
      #expect(made.shape.dimensions == expected.shape)
      let difference: Double = made.difference(from: expected.values ?? [])
      #expect(difference < 1e-4, "\(difference)")
    }
  }
}
