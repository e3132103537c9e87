import CoreML
import Foundation
import ModelFormat
import Testing

@Suite("Updating nearest-neighbour classifiers")
struct NeighborUpdateTests {
  private static let examples: [(point: [Float], label: String)] = [
    ([0, 0], "low"), ([1, 0], "low"), ([9, 9], "high"), ([8, 9], "high"), ([9, 8], "high"),
  ]

  private func learned(_ folder: URL) throws -> MLUpdateContext {
    let model: URL = try NeighborModels.empty().written(to: folder)
    return try update(
      model, with: Self.examples.map { try NeighborModels.point($0.point, $0.label) })
  }

  @Test(
    "An empty classifier returns its default label, and after an update the labels of its examples")
  func learns() throws {
    try Fixtures.withFolder { folder in
      let model: URL = try NeighborModels.empty().written(to: folder)
      #expect(
        try NeighborModels.label(of: [0, 0], by: MLModel(contentsOf: model)).stringValue
          == "unknown")
      let context: MLUpdateContext = try learned(folder)
      #expect(context.task.state == .completed)
      #expect(context.task.error == nil)
      #expect(context.model.modelDescription.classLabels as? [String] == ["low", "high"])
      #expect(try NeighborModels.label(of: [0.5, 1], by: context.model).stringValue == "low")
      #expect(try NeighborModels.label(of: [7, 7], by: context.model).stringValue == "high")
      #expect(
        try NeighborModels.label(of: [0, 0], by: MLModel(contentsOf: model)).stringValue
          == "unknown", "the original file must not change")
    }
  }

  @Test(
    "A written update opens again, gives the same answers and can be updated further",
    arguments: ["new.mlmodel", "new.mlmodelc", "new"])
  func written(_ name: String) throws {
    try Fixtures.withFolder { folder in
      let context: MLUpdateContext = try learned(folder)
      let url: URL = folder.appendingPathComponent(name)
      try context.model.write(to: url)
      let again = try MLModel(contentsOf: url)
      #expect(again.modelDescription.isUpdatable)
      #expect(try NeighborModels.label(of: [7, 7], by: again).stringValue == "high")
      let further = try update(
        url,
        with: [NeighborModels.point([7, 7], "middle"), NeighborModels.point([7, 6], "middle")])
      #expect(
        further.model.modelDescription.classLabels as? [String] == ["low", "high", "middle"])
      #expect(try NeighborModels.label(of: [7, 7], by: further.model).stringValue == "middle")
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
          == ["model.mlmodel", name].sorted(), "no draft must remain")
    }
  }

  @Test("A written model replaces an empty folder or a model, and nothing else")
  func writingOver() throws {
    try Fixtures.withFolder { folder in
      let context: MLUpdateContext = try learned(folder)
      let url: URL = folder.appendingPathComponent("place.mlmodelc")
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
      try context.model.write(to: url)
      try context.model.write(to: url)
      #expect(
        try NeighborModels.label(of: [7, 7], by: MLModel(contentsOf: url)).stringValue == "high")
      #expect(
        sentence { try context.model.write(to: folder) }
          == "The folder '\(folder.lastPathComponent)' contains files that do not belong to a compiled model, so it"
          + " is not replaced. Choose another name.")
    }
  }

  @Test("Labels may be integers")
  func integers() throws {
    try Fixtures.withFolder { folder in
      let model: URL = try NeighborModels.empty(hasIntegers: true).written(to: folder)
      #expect(
        try NeighborModels.label(of: [0, 0], by: MLModel(contentsOf: model)).int64Value == -1)
      let context = try update(
        model, with: [NeighborModels.point([0, 0], 7), NeighborModels.point([5, 5], 9)])
      #expect(try NeighborModels.label(of: [4, 4], by: context.model).int64Value == 9)
      #expect(context.model.modelDescription.classLabels as? [Int64] == [7, 9])
    }
  }

  @Test("The number of neighbours can be set for an update or for a prediction")
  func numberOfNeighbors() throws {
    try Fixtures.withFolder { folder in
      let model: URL = try NeighborModels.empty(allowed: NeighborModels.range(1, 5)).written(
        to: folder)
      // If votes are weighted by distance, the point at (2, 2) wins among two neighbours and among three. If all votes
      // count the same, the two “far” points among the three neighbours win.
      let examples: [[String: Any]] = try [
        NeighborModels.point([2, 2], "near"), NeighborModels.point([4, 0], "far"),
        NeighborModels.point([4, 0.5], "far"), NeighborModels.point([4, 1], "far"),
        NeighborModels.point([4, 1.5], "far"),
      ]
      let context = try update(model, with: examples, parameters: [.numberOfNeighbors: 1])
      #expect(context.parameters[.numberOfNeighbors] as? Int == 1)
      #expect(try NeighborModels.label(of: [2.5, 1.5], by: context.model).stringValue == "near")
      let url: URL = folder.appendingPathComponent("new.mlmodel")
      try context.model.write(to: url)
      #expect(
        try MLModel(contentsOf: url).parameterValue(for: .numberOfNeighbors) as? Int == 1)
      let configuration = MLModelConfiguration()
      configuration.parameters = [.numberOfNeighbors: 5]
      let five = try MLModel(contentsOf: url, configuration: configuration)
      #expect(try NeighborModels.label(of: [3.1, 1], by: five).stringValue == "far")
      configuration.parameters = [.numberOfNeighbors: 6]
      #expect(
        sentence { _ = try MLModel(contentsOf: url, configuration: configuration) }
          == "The parameter 'numberOfNeighbors' is 6; the model allows 1 to 5.")
    }
  }

  @Test("Parameters that the model does not have or allow are refused")
  func parameters() throws {
    try Fixtures.withFolder { folder in
      let model: URL = try NeighborModels.empty(allowed: NeighborModels.set([3, 5, 7])).written(
        to: folder)
      let example: [[String: Any]] = try [NeighborModels.point([0, 0], "a")]
      #expect(
        sentence { _ = try update(model, with: example, parameters: [.numberOfNeighbors: 4]) }
          == "The parameter 'numberOfNeighbors' is 4; the model allows 3, 5 and 7.")
      #expect(
        sentence { _ = try update(model, with: example, parameters: [.numberOfNeighbors: 3.5]) }
          == "The parameter 'numberOfNeighbors' is 3.5; expected an integer.")
      #expect(
        sentence { _ = try update(model, with: example, parameters: [.learningRate: 0.1]) }
          == "The model has no parameter 'learningRate'; it has 'numberOfNeighbors'.")
    }
  }

  @Test(
    "Invalid examples fail the update with a message, and change nothing",
    arguments: [
      (
        [1, 2, 3], "a",
        "Training example 1: The multi-array for the input feature \"point\" has the shape 3, but the"
          + " model expects 2."
      ),
      (
        [1, .nan], "a",
        "Training example 1 has a value that is not a finite number, from which no distance can be"
          + " computed."
      ),
      (
        [1, 2], nil,
        "Training example 1: The training feature \"label\" is required but the example does not have"
          + " it; it has \"point\"."
      ),
      (
        [1, 2], "7",
        "The label of training example 1 is an int64, but the nearest-neighbours classifier has"
          + " strings for labels."
      ),
    ] as [([Float], String?, String)])
  func badExamples(_ point: [Float], _ label: String?, _ expected: String) throws {
    try Fixtures.withFolder { folder in
      let model: URL = try NeighborModels.empty().written(to: folder)
      let value: Any? = label == "7" ? 7 : label
      let context = try update(
        model, with: [NeighborModels.point([0, 0], "a"), NeighborModels.point(point, value)])
      #expect(context.task.state == .failed)
      #expect(context.task.error?.localizedDescription == expected)
      #expect(try NeighborModels.label(of: [0, 0], by: context.model).stringValue == "unknown")
    }
  }

  @Test("Models that cannot be updated, and updates without examples, are refused")
  func refused() throws {
    try Fixtures.withFolder { folder in
      var fixed: Spec.Model = NeighborModels.empty()
      fixed.isUpdatable = false
      let url: URL = try fixed.written(to: folder, "fixed.mlmodel")
      #expect(
        sentence { _ = try update(url, with: [NeighborModels.point([0, 0], "a")]) }
          == "Model 'fixed.mlmodel' is not updatable: its author did not mark it as such. `atelier inspect`"
          + " shows which models are.")
      let empty: URL = try NeighborModels.empty().written(to: folder)
      #expect(
        sentence { _ = try update(empty, with: []) }
          == "There are no training examples; an update needs one or more.")
    }
  }
}
