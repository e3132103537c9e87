import Conversion
import Engine
import Foundation
import Operators
import Testing

/// Tests converting NeuralNetworks to ONNX and then to programs.
@Suite("A model converted to ONNX and then to a program")
struct RoundTripTests {
  /// The available models: two models from the gallery, and the models outside the repository.
  static let models: [URL] =
    StyleProgramTests.networks.prefix(2)
    + [
      "createml-style/StyleBlue.mlmodel", "createml-style/Painting.mlmodel",
      "fns-style/FNSCandy.mlmodel", "digits/mnistCNN.mlmodel",
      "updatable-housing/coreml_simplified_no_train.mlmodel",
      "classical/HeightWeight_model.mlmodel",
    ].map { StyleProgramTests.shared.appendingPathComponent($0) }
    .filter { FileManager.default.fileExists(atPath: $0.path) }

  @Test("The program gives the original's results, images and classes", arguments: models)
  func roundTrip(file: URL) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let model: GraphModel = try ModelReaders.read(file)
    let between: URL = folder.appendingPathComponent("model.onnx")
    try ModelWriters.write(model, to: between)
    var options = WritingOptions()
    options.precision = .float32
    let package: URL = folder.appendingPathComponent("model.mlpackage")
    try ModelWriters.write(try ModelReaders.read(between), to: package, options: options)
    let again: GraphModel = try ModelReaders.read(package)

    #expect(again.inputs.map(\.name) == model.inputs.map(\.name))
    #expect(again.outputs.map(\.name) == model.outputs.map(\.name))
    #expect(again.inputs.map(\.image?.order) == model.inputs.map(\.image?.order))
    #expect(again.outputs.map(\.image?.order) == model.outputs.map(\.image?.order))
    for (found, known) in zip(again.inputs, model.inputs) where known.image != nil {
      #expect(found.extents?.map(\.lower) == known.extents?.map(\.lower))
      #expect(found.extents?.map(\.upper) == known.extents?.map(\.upper))
      #expect(found.usualExtents == known.usualExtents)
    }
    #expect(again.classes?.labels == model.classes?.labels)
    #expect(again.classes?.labelName == model.classes?.labelName)
    let (difference, largest) = try again.difference(from: model)
    #expect(difference <= 1e-4 * largest, "of \(largest)")
  }

  static let candy: URL = StyleProgramTests.shared.appendingPathComponent(
    "fns-style/FNSCandy.mlmodel")

  @Test(
    "A program converts back to layers, even if a transposed convolution states its output size",
    .enabled(if: FileManager.default.fileExists(atPath: candy.path)))
  func backToLayers() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (between, last) = (
      folder.appendingPathComponent("candy.onnx"), folder.appendingPathComponent("candy.mlmodel")
    )
    let model: GraphModel = try ModelReaders.read(Self.candy)
    try ModelWriters.write(model, to: between)
    try ModelWriters.write(try ModelReaders.read(between), to: last)
    let again: GraphModel = try ModelReaders.read(last)
    let (difference, largest) = try again.difference(from: model)
    #expect(difference <= 1e-4 * largest, "of \(largest)")
  }
}
