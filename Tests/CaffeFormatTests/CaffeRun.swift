import Engine
import Foundation
import Graph

@testable import CaffeFormat

/// A network of Caffe's in a folder of its own, read and run.
enum CaffeRun {
  /// The folder with what OpenCV computed.
  static let expected: URL = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("Expected")

  /// The models beside the repository; its folder is missing elsewhere.
  static let shared: URL = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("shared/models/caffe")

  /// Writes a network into a new folder.
  static func write(_ prototxt: String, _ weights: Data? = nil) throws -> URL {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("caffe-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let url = folder.appendingPathComponent("net.prototxt")
    try Data(prototxt.utf8).write(to: url)
    if let weights {
      try weights.write(to: folder.appendingPathComponent("net.caffemodel"))
    }
    return url
  }

  /// The numbers that make_expected.py gives the networks.
  static func ramp(_ shape: [Int]) -> ReferenceTensor {
    let count: Int = shape.reduce(1, *)
    return ReferenceTensor(
      Shape(shape), (0..<count).map { Double(Float(Double($0 * 7919 % 1009) / 1009 - 0.4)) })
  }

  /// What a network makes of an input: its outputs by name.
  static func run(_ model: GraphModel, _ input: ReferenceTensor) throws -> [String: ReferenceTensor]
  {
    let network = Network(
      model.graph, passes: GraphPasses.standard,
      options: ExecutionOptions(precision: .float32, threads: 2))
    return try network.plan(for: [input.type]).withSession { session in
      let port = session.input(0)
      TensorCodec.pack(input, as: port.form, into: port.memory)
      try session.run()
      var made: [String: ReferenceTensor] = [:]
      for (index, output) in model.outputs.enumerated() {
        let port = try session.output(index)
        made[output.name] = TensorCodec.unpack(port.memory, as: port.form)
      }
      return made
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
