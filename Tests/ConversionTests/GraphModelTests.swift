import Conversion
import CoreML
import Engine
import Foundation
import ModelFormat
import Operators
import Testing

@Suite("Models from graphs, and files from models")
struct GraphModelTests {
  /// Builds a graph that computes `y = 2x + 1` over arrays of any length.
  private func line() throws -> GraphModel {
    let builder = GraphBuilder()
    let input = builder.addInput("x", extents: [1, Extent(from: 1)])
    let factor = builder.addConstant(ReferenceTensor([1], [2]), name: "two")
    let twice = try builder.add(BinaryFunctionOperator(.multiply), input, factor, name: "twice")
    let one = builder.addConstant(ReferenceTensor([1], [1]), name: "one")
    let line = try builder.add(BinaryFunctionOperator(.add), twice, one, name: "line")
    builder.addOutput(line, name: "y")
    return builder.model()
  }

  private func values(_ value: MLFeatureValue?) throws -> [Float] {
    let array = try #require(value?.multiArrayValue)
    return (0..<array.count).map { array[$0].floatValue }
  }

  private func predict(_ model: MLModel, _ numbers: [Float]) throws -> [Float] {
    let array = try MLMultiArray(shape: [1, NSNumber(value: numbers.count)], dataType: .float32)
    for (index, number) in numbers.enumerated() { array[index] = NSNumber(value: number) }
    let result = try model.prediction(
      from: MLDictionaryFeatureProvider(dictionary: ["x": array]))
    return try values(result.featureValue(for: "y"))
  }

  @Test("A model built in Swift predicts at every size that it allows")
  func building() throws {
    let model = try MLModel(graph: try line())
    #expect(try predict(model, [1, 2, 3]) == [3, 5, 7])
    #expect(try predict(model, [4]) == [9])
    #expect(model.modelDescription.inputDescriptionsByName["x"]?.multiArrayConstraint != nil)
  }

  @Test("A model built in Swift can be written as layers and gives the same predictions")
  func writing() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("line.mlmodel")
    try ModelWriters.write(try line(), to: file)
    #expect(try predict(MLModel(contentsOf: file), [1, 2, 3]) == [3, 5, 7])
    let again = try MLModel(graph: try ModelReaders.read(file))
    #expect(try predict(again, [5, 6]) == [11, 13])
  }

  @Test("A classifier built in Swift returns class names")
  func classifying() throws {
    let builder = GraphBuilder()
    let input = builder.addInput("x", extents: [1, 3])
    let soft = try builder.add(SoftmaxNDOperator(axis: -1), input, name: "soft")
    builder.addOutput(soft, name: "probabilities")
    var graph = builder.model()
    graph.classes = GraphModel.Classes(["cat", "dog", "bird"], output: 0, labelName: "animal")
    for model in [try MLModel(graph: graph), try written(graph)] {
      let array = try MLMultiArray(shape: [1, 3], dataType: .float32)
      for (index, number) in [0, 1, 5].enumerated() { array[index] = NSNumber(value: number) }
      let result = try model.prediction(
        from: MLDictionaryFeatureProvider(dictionary: ["x": array]))
      #expect(result.featureValue(for: "animal")?.stringValue == "bird")
      #expect(result.featureValue(for: "probabilities")?.dictionaryValue.count == 3)
    }
  }

  private func written(_ graph: GraphModel) throws -> MLModel {
    try MLModel(
      specification: try Spec.Model(neuralNetwork: graph), configuration: MLModelConfiguration())
  }

  @Test("An unknown file extension is refused with the list of known ones")
  func unknownEnding() throws {
    let error = #expect(throws: EngineError.self) {
      try ModelWriters.write(line(), to: URL(fileURLWithPath: "/tmp/line.txt"))
    }
    #expect(error?.message.contains(".mlmodel (Core ML, layers)") == true)
  }
}
