import Engine
import Foundation
import Graph

@testable import KerasFormat

/// A model of Keras's in a folder of its own, read and run.
enum KerasRun {
  /// The folder with what Keras computed.
  static let expected: URL = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("Expected")

  /// The models beside the repository; the folder is missing elsewhere.
  static let shared: URL = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("shared/models")

  /// Whether the book's network is beside the repository.
  static var hasBookNetwork: Bool {
    let file = "starry-night/van-gogh-starry-night_style.h5"
    return FileManager.default.fileExists(atPath: shared.appendingPathComponent(file).path)
  }

  /// Writes files into a new folder, which the closure gets.
  static func inFolder<Result>(_ files: [String: Data], _ body: (URL) throws -> Result) throws
    -> Result
  {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("keras-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for (name, data) in files { try data.write(to: folder.appendingPathComponent(name)) }
    return try body(folder)
  }

  /// The numbers that make_expected.py gives the models.
  static func ramp(_ shape: [Int]) -> ReferenceTensor {
    let count: Int = shape.reduce(1, *)
    return ReferenceTensor(
      Shape(shape), (0..<count).map { Double(Float(Double($0 * 7919 % 1009) / 1009 - 0.4)) })
  }

  /// What a model makes of its inputs.
  static func run(_ model: GraphModel, _ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let network = Network(
      model.graph, passes: GraphPasses.standard,
      options: ExecutionOptions(precision: .float32, threads: 2))
    return try network.plan(for: inputs.map(\.type)).withSession { session in
      for (index, input) in inputs.enumerated() {
        let port = session.input(index)
        TensorCodec.pack(input, as: port.form, into: port.memory)
      }
      try session.run()
      return try model.outputs.indices.map { index in
        let port = try session.output(index)
        return TensorCodec.unpack(port.memory, as: port.form)
      }
    }
  }

  /// The largest difference, relative to the largest number that is expected.
  static func difference(_ made: [Double], _ expected: [Double]) -> Double {
    guard made.count == expected.count, !made.isEmpty else { return .infinity }
    let largest: Double = max(expected.map(abs).max() ?? 0, 1e-6)
    let differences: [Double] = zip(made, expected).map { abs($0 - $1) }
    return differences.contains { $0.isNaN } ? .infinity : (differences.max() ?? 0) / largest
  }
}
