import Engine
import Foundation
import Graph
import NetworkRuns

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

  /// What a network makes of the numbers that make_expected.py gives: its outputs by name.
  static func run(_ model: GraphModel, _ shape: [Int]) throws -> [String: ReferenceTensor] {
    let made: [ReferenceTensor] = try model.run([.ramp(shape)])
    return Dictionary(zip(model.outputs.map(\.name), made), uniquingKeysWith: { $1 })
  }
}
