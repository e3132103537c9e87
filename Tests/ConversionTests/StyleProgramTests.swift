import Conversion
import Engine
import Foundation
import ModelFormat
import Operators
import Testing

/// Style networks as programs paint what they paint as layers.
@Suite("A style network that is converted")
struct StyleProgramTests {
  static let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// The networks that are here, of those that have no custom layers.
  static let networks: [URL] = [
    repository.appendingPathComponent("Gallery/great-wave/model.mlmodel"),
    repository.appendingPathComponent("Gallery/scream/lite.mlmodel"),
    shared.appendingPathComponent("fns-style/FNSCandy.mlmodel"),
    shared.appendingPathComponent("fns-style/stylize.mlmodel"),
    shared.appendingPathComponent("createml-style/StyleBlue.mlmodel"),
  ].filter { FileManager.default.fileExists(atPath: $0.path) }
  static let shared = repository.deletingLastPathComponent().appendingPathComponent("shared/models")

  private func withFolder(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder)
  }

  /// What a model computes of samples 0…255, the same for every model of that name and size.
  private func painted(_ given: GraphModel, _ size: [Int]) throws -> [Float] {
    var model: GraphModel = given
    for position in model.inputs.indices { model.computeScaling(ofInput: position) }
    let network = Network(model.graph, passes: GraphPasses.standard, options: ExecutionOptions())
    let types: [TensorType] = model.inputs.map { feature in
      TensorType(
        feature.image == nil ? Shape(feature.usualExtents ?? [1]) : Shape(size), feature.held)
    }
    return try network.plan(for: types).withSession { session in
      for (index, type) in types.enumerated() {
        var generator = SampleGenerator(seed: 5)
        let values: [Double] = (0..<type.shape.count).map { place in
          model.inputs[index].image == nil
            ? (place == 0 ? 1 : 0) : generator.uniform(0...255).rounded()
        }
        let port = session.input(index)
        TensorCodec.pack(ReferenceTensor(type.shape, values), as: port.form, into: port.memory)
      }
      try session.run()
      let port = try session.output(0)
      return TensorCodec.unpack(port.memory, as: port.form).values.map { Float($0) }
    }
  }

  private func size(_ model: GraphModel) -> [Int] {
    let feature = model.inputs.first { $0.image != nil }
    let isFree: Bool = feature?.extents?.contains { $0.fixed == nil } ?? false
    let usual: [Int] = feature?.usualExtents ?? [1, 3, 256, 256]
    return isFree ? [1, 3, 250, 260] : usual
  }

  @Test(
    "paints the same as a program in float32, and nearly the same in float16", arguments: networks)
  func painting(network: URL) throws {
    try withFolder { folder in
      let model: GraphModel = try ModelReaders.read(network)
      let known: [Float] = try painted(model, size(model))
      // stylize spells its norms: its sums of squares are more than float16 counts.
      let isSpelled: Bool = network.lastPathComponent == "stylize.mlmodel"
      let precisions: [WritingOptions.Precision] = isSpelled ? [.float32] : [.float32, .float16]
      for precision in precisions {
        let package = folder.appendingPathComponent("\(precision).mlpackage")
        var options = WritingOptions()
        options.precision = precision
        try ModelWriters.write(model, to: package, options: options)
        let again: GraphModel = try ModelReaders.read(package)
        #expect(again.inputs.map(\.name) == model.inputs.map(\.name))
        let found: [Float] = try painted(again, size(model))
        #expect(found.count == known.count)
        let differences: [Float] = zip(found, known).map {
          abs(min(max($0, 0), 255) - min(max($1, 0), 255))
        }
        if precision == .float32 {
          // Sums of squares beyond float32's digits come out as the one or the other graph is fused.
          #expect(differences.max() ?? 1 <= (isSpelled ? 3 : 1e-3))
        } else {
          let error: Double = differences.reduce(0) { $0 + Double($1 * $1) } / Double(found.count)
          #expect(10 * log10(255 * 255 / error) > 40, "the peak's ratio to the noise, in decibels")
        }
      }
    }
  }

  @Test("paints the same after it was layers, a program, and layers again", arguments: networks)
  func roundTrip(network: URL) throws {
    try withFolder { folder in
      let model: GraphModel = try ModelReaders.read(network)
      var options = WritingOptions()
      options.precision = .float32
      let package = folder.appendingPathComponent("program.mlpackage")
      try ModelWriters.write(model, to: package, options: options)
      let layers = folder.appendingPathComponent("layers.mlmodel")
      try ModelWriters.write(try ModelReaders.read(package), to: layers)
      let again: GraphModel = try ModelReaders.read(layers)
      let (found, known) = (try painted(again, size(model)), try painted(model, size(model)))
      let largest: Float = known.map(abs).max() ?? 0
      let difference: Float = zip(found, known).map { abs($0 - $1) }.max() ?? .infinity
      let isSpelled: Bool = network.lastPathComponent == "stylize.mlmodel"
      #expect(difference <= (isSpelled ? 3 : 1e-4 * largest))
    }
  }
}
