import Engine
import Foundation
import Graph
import NetworkRuns

@testable import CaffeFormat

/// Writes Caffe networks into temporary folders, and runs networks that were read.
enum CaffeRun {
  /// The folder with OpenCV's results.
  static let expected: URL = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("Expected")

  /// The folder of shared models next to the repository, if it exists.
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

  /// Runs a network on the input values that make_expected.py uses. Returns the network's outputs by name.
  static func run(_ model: GraphModel, _ shape: [Int]) throws -> [String: ReferenceTensor] {
    let made: [ReferenceTensor] = try model.run([.ramp(shape)])
    return Dictionary(zip(model.outputs.map(\.name), made), uniquingKeysWith: { $1 })
  }
}
