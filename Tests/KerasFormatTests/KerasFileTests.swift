import Engine
import Foundation
import Graph
import Testing

@testable import KerasFormat

@Suite struct KerasFileTests {
  static func item(_ name: String) -> KerasLayerTests.Case? {
    KerasLayerTests.cases.first { $0.name == name }
  }

  func sentence(_ files: [String: Data], _ name: String, _ options: ReadingOptions = .init())
    -> String
  {
    do {
      _ = try KerasRun.inFolder(files) {
        try KerasReader.read($0.appendingPathComponent(name), options: options)
      }
      return ""
    } catch let error as EngineError {
      return error.message
    } catch {
      return "another error: \(error)"
    }
  }

  static func dense(_ config: String) -> Data {
    Data(
      """
      {"class_name": "Sequential", "keras_version": "2.2.4", "config": {"name": "s", "layers": [
        {"class_name": "Dense", "config": {"name": "d", "batch_input_shape": [null, 4], \(config)}}]}}
      """.utf8)
  }

  @Test func `Missing weights are reported with the layer`() {
    let found: String = sentence(["m.json": Self.dense("\"units\": 3")], "m.json")
    #expect(found.contains("Dense 'd': the weights are missing"), "\(found)")
  }

  @Test func `For an unknown layer, the message says which option to pass`() {
    let json: String = String(decoding: Self.dense("\"units\": 3"), as: UTF8.self)
      .replacing("\"Dense\"", with: "\"Wavelet\"")
    let found: String = sentence(["m.json": Data(json.utf8)], "m.json")
    #expect(
      found
        == "Wavelet 'd': layers of this type are not known. Pass the name of your class that computes it: --custom 'Wavelet=ClassName[:description]'.",
      "\(found)")
  }

  @Test func `An unknown layer becomes a custom layer on request`() throws {
    let json: String = String(decoding: Self.dense("\"units\": 3"), as: UTF8.self)
      .replacing("\"Dense\"", with: "\"Wavelet\"")
    var options = ReadingOptions()
    options.addsCustomLayers = true
    let model: GraphModel = try KerasRun.inFolder(["m.json": Data(json.utf8)]) {
      try KerasReader.read($0.appendingPathComponent("m.json"), options: options)
    }
    #expect(model.graph.nodes.map(\.name) == ["d"])
  }

  @Test(
    arguments: [
      ("res=Class:a text", nil), ("res", "describes no custom layer"), ("res=", "names no class"),
      ("other.parameters.size=3", "names no custom layer yet"),
      ("other.shape=3,x", "is no shape"),
    ] as [(String, String?)])
  func `The options for custom layers are checked`(_ words: String, _ expected: String?) {
    var options = ReadingOptions()
    var found = ""
    do { try options.addCustomLayer(words) } catch { found = "\(error)" }
    #expect(expected.map { found.contains($0) } ?? found.isEmpty, "\(found)")
  }

  @Test func `The parameters of a custom layer keep their types`() throws {
    var options = ReadingOptions()
    try options.addCustomLayer("a.b=Class")
    for word in ["n=3", "x=0.5", "t=true", "s=two words"] {
      try options.addCustomLayer("a.b.parameters.\(word)")
    }
    #expect(
      options.customLayers["a.b"]?.parameters
        == ["n": .integer(3), "x": .double(0.5), "t": .bool(true), "s": .string("two words")])
  }

  @Test func `A layer's options apply if its type names the class`() throws {
    let json: String = String(decoding: Self.dense("\"units\": 3"), as: UTF8.self)
      .replacing("\"Dense\"", with: "\"Wavelet\"")
    func read(_ words: String...) throws -> GraphModel {
      var options = ReadingOptions()
      for word in words { try options.addCustomLayer(word) }
      return try KerasRun.inFolder(["m.json": Data(json.utf8)]) {
        try KerasReader.read($0.appendingPathComponent("m.json"), options: options)
      }
    }
    var model = try read("Wavelet=Class", "Wavelet.shape=9", "d.shape=3", "d.parameters.size=2")
    let layer = try #require(model.graph.nodes[0].operation as? CustomLayer)
    #expect(layer.className == "Class" && layer.parameters == ["size": .integer(2)])
    #expect(model.outputs[0].extents?.map(\.fixed) == [1, 3])
    // The stated shapes must survive a second shape inference. For example, the inference runs again after an input
    // became an image.
    model.inferOutputs()
    #expect(model.outputs[0].extents?.map(\.fixed) == [1, 3])
    #expect {
      _ = try read("Wavelet=Class", "e.shape=3")
    } throws: { "\($0)".contains("--custom names 'e', but no custom layer") }
  }

  @Test(arguments: ["Dense", "nested in .h5", "nested in .weights.h5", "Sequential in .h5"])
  func `A truncated file is refused with a message`(_ name: String) throws {
    let item = try #require(Self.item(name))
    for (file, data) in item.data {
      for part in 1..<20 {
        var files: [String: Data] = item.data
        files[file] = data.prefix(data.count * part / 20)
        let found: String = sentence(files, item.files.keys.sorted()[0])
        #expect(!found.hasPrefix("another error"), "\(found)")
        #expect(found.hasSuffix(".") || found.hasSuffix("?"), "\(found)")
      }
    }
  }

  @Test func `An array with a size beyond its file is refused`() throws {
    let item = try #require(Self.item("Sequential in .h5"))
    var data: Data = try #require(item.data.values.first)
    // The kernel has the shape 3 × 3 × 2 × 3. These are its first two extents, as the file stores them.
    let extents: [UInt8] = [3, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0]
    let range = try #require(data.firstRange(of: Data(extents)))
    data[range.lowerBound + 3] = 0x7F
    let found: String = sentence(["m.h5": data], "m.h5")
    #expect(found.contains("damaged"), "\(found)")
  }

  @Test func `An archive with impossible sizes is refused`() throws {
    let item = try #require(Self.item("Dense"))
    var data: Data = try #require(item.data.values.first)
    let entries = data.ranges(of: Data([0x50, 0x4B, 0x01, 0x02]))
    try #require(entries.count == 3)
    for entry in entries {
      for offset in 24..<27 { data[entry.lowerBound + offset] = 0xFF }
    }
    #expect(sentence(["m.keras": data], "m.keras").contains("the archive is damaged"))
  }

  @Test func `Keras 1 models are read, with Keras 1's names`() throws {
    let json = """
      {"class_name": "Sequential", "keras_version": "1.2.2", "config": [
        {"class_name": "Convolution2D", "config": {"name": "c", "batch_input_shape": [null, 6, 6, 2],
          "nb_filter": 3, "nb_row": 3, "nb_col": 3, "border_mode": "same", "subsample": [2, 2],
          "dim_ordering": "tf", "activation": "relu", "bias": true}},
        {"class_name": "MaxPooling2D", "config": {"name": "p", "pool_size": [2, 2], "strides": [1, 1],
          "border_mode": "valid", "dim_ordering": "tf"}}]}
      """
    let found: String = sentence(["m.json": Data(json.utf8)], "m.json")
    #expect(found.hasPrefix("Convolution2D 'c': the weights are missing"), "\(found)")
  }
}
