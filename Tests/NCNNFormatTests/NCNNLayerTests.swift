import Engine
import Foundation
import Graph
import NetworkRuns
import Testing

@testable import NCNNFormat

/// Compares our results with those of ncnn (Expected/make_expected.py). The tolerance is 1e-4 of the largest magnitude.
@Suite struct NCNNLayerTests {
  @Test func `The recorded results are present`() { #expect(NCNNCase.all.count > 150) }

  @Test(arguments: NCNNCase.all) func `A small network matches ncnn`(_ item: NCNNCase) throws {
    let model = try item.files.read()
    let made: [ReferenceTensor] = try model.run([.ramp(item.input)])
    #expect(model.outputs.map(\.name) == ["made"])
    #expect(made[0].shape.dimensions == item.shape)
    #expect(made[0].difference(from: item.answers) < 1e-4)
  }

  @Test func `Every type of layer has a recorded result`() {
    let tried = Set(
      NCNNCase.all.flatMap { item in
        item.param.split(separator: "\n").dropFirst(2).compactMap { $0.split(separator: " ").first }
      }.map(String.init))
    let types: [String] = NCNNReader.layerTypes.flatMap(\.types)
    #expect(types.filter { !tried.contains($0) } == [])
  }
}

/// A network, ncnn's result for it, and the shape of the input, which ``ReferenceTensor/ramp(_:)`` fills.
struct NCNNCase: Decodable, CustomTestStringConvertible {
  let name: String
  let param: String
  let weights: String
  let input: [Int]
  let shape: [Int]
  let values: String

  var testDescription: String { name }

  /// The network's two files.
  var files: NCNNFiles { NCNNFiles(param: param, weights: Data(base64Encoded: weights) ?? Data()) }

  /// ncnn's result.
  var answers: [Double] {
    (Data(base64Encoded: values) ?? Data()).withUnsafeBytes { bytes in
      (0..<bytes.count / 4).map {
        Double(
          Float(
            bitPattern: UInt32(
              littleEndian: bytes.loadUnaligned(fromByteOffset: $0 * 4, as: UInt32.self))))
      }
    }
  }

  static let all: [NCNNCase] = {
    let url = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("Expected/layers.json")
    return (try? JSONDecoder().decode([NCNNCase].self, from: Data(contentsOf: url))) ?? []
  }()
}

/// The contents of the two files of a network.
struct NCNNFiles {
  var param: String
  var weights = Data()

  /// Writes the files into a new folder, and reads the network.
  func read(_ options: ReadingOptions = ReadingOptions()) throws -> GraphModel {
    try inFolder { try NCNNReader.read($0, options: options) }
  }

  /// Writes the files into a new folder, and calls a closure with the file of the layers.
  func inFolder<Result>(_ body: (URL) throws -> Result) throws -> Result {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("ncnn-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let url = folder.appendingPathComponent("net.param")
    try Data(param.utf8).write(to: url)
    try weights.write(to: folder.appendingPathComponent("net.bin"))
    return try body(url)
  }
}
