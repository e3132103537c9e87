import Engine
import Foundation
import Graph
import NetworkRuns
import Testing

@testable import CaffeFormat

/// Compares our results with those of OpenCV's Caffe reader (Expected/make_expected.py). The tolerance is 1e-4 of the
/// largest magnitude.
@Suite struct OpenCVTests {
  struct Case: Decodable, CustomTestStringConvertible {
    let name: String
    let input: [Int]
    let prototxt: String
    let weights: String
    let shape: [Int]
    let values: [Double]
    var testDescription: String { name }
  }

  struct Model: Decodable, CustomTestStringConvertible {
    let prototxt: String
    let weights: String
    let input: [Int]
    let outputs: [String: [Double]]
    var testDescription: String { weights }
  }

  static func list<Element: Decodable>(_ name: String) -> [Element] {
    let url = CaffeRun.expected.appendingPathComponent(name)
    return (try? JSONDecoder().decode([Element].self, from: Data(contentsOf: url))) ?? []
  }

  /// The recorded cases except MVN. OpenCV adds the ε of MVN to the variance. Caffe (mvn_layer.cpp) and our reader add
  /// ε to the standard deviation. CaffeFieldTests checks Caffe's formula.
  static let cases: [Case] = list("layers.json").filter { $0.name != "mean and variance" }

  @Test func `The recorded results are present`() { #expect(Self.cases.count > 30) }

  @Test(arguments: cases) func `A small network matches OpenCV`(_ item: Case) throws {
    let weights: Data = Data(base64Encoded: item.weights) ?? Data()
    let url = try CaffeRun.write(item.prototxt, weights)
    defer { try? FileManager.default.removeItem(at: url.deletingLastPathComponent()) }
    let model = try CaffeReader.read(url, options: ReadingOptions())
    let made = try #require(try CaffeRun.run(model, item.input)["made"])
    #expect(made.shape.dimensions == item.shape)
    #expect(made.difference(from: item.values) < 1e-4)
  }

  /// LeNet, two stages of MTCNN, and a ResNet-50 with few channels. Models are left out if their weights are neither in
  /// `../shared/models/caffe` nor in the folder that ATELIER_CAFFE_MODELS names.
  static let models: [Model] = list("models.json").filter { (model: Model) in
    folder(of: model) != nil
  }

  static func folder(of model: Model) -> URL? {
    let named = ProcessInfo.processInfo.environment["ATELIER_CAFFE_MODELS"]
    let folders: [URL] =
      [CaffeRun.shared] + (named.map { [URL(fileURLWithPath: $0, isDirectory: true)] } ?? [])
    return folders.first {
      FileManager.default.fileExists(atPath: $0.appendingPathComponent(model.weights).path)
    }
  }

  @Test(.enabled(if: !models.isEmpty, "needs ../shared/models/caffe"), arguments: models)
  func `A real network matches OpenCV`(_ item: Model) throws {
    let folder: URL = try #require(Self.folder(of: item))
    let own = CaffeRun.expected.appendingPathComponent(item.prototxt)
    let text =
      FileManager.default.fileExists(atPath: own.path)
      ? own : folder.appendingPathComponent(item.prototxt)
    var options = ReadingOptions()
    options.companions = [folder.appendingPathComponent(item.weights)]
    let model = try CaffeReader.read(text, options: options)
    let made = try CaffeRun.run(model, item.input)
    for (name, values) in item.outputs {
      // A caller of OpenCV can ask for any value of a network by name. Our reader returns only the values that no layer
      // reads.
      guard let output = made[name] else { continue }
      let difference: Double = output.difference(from: values)
      #expect(difference < 1e-4, "\(name)")
    }
    #expect(made.keys.contains("prob"))
  }
}
