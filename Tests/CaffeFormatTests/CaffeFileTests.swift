import Engine
import Foundation
import Graph
import Testing

@testable import CaffeFormat

@Suite struct CaffeFileTests {
  static let input =
    "layer { name: 'data' type: 'Input' top: 'data' input_param { shape { dim: 8 dim: 3 dim: 8 dim: 8 } } }\n"

  func read(_ text: String, _ weights: Data? = nil) throws -> GraphModel {
    let url = try CaffeRun.write(text, weights)
    defer { try? FileManager.default.removeItem(at: url.deletingLastPathComponent()) }
    return try CaffeReader.read(url, options: ReadingOptions())
  }

  func sentence(_ text: String, _ weights: Data? = nil) -> String {
    do {
      _ = try read(text, weights)
      return ""
    } catch {
      return "\(error)"
    }
  }

  @Test func `A deployment batch becomes one image`() throws {
    let model = try read(Self.input + "layer { name: 'r' type: 'ReLU' bottom: 'data' top: 'r' }")
    #expect(model.inputs[0].extents?.map(\.fixed) == [1, 3, 8, 8])
    #expect(model.outputs.map(\.name) == ["r"])
  }

  @Test func `Training layers are omitted`() throws {
    let model = try read(
      """
      name: "net" # a comment
      layer { name: "d" type: "Data" top: "data" top: "label" include { phase: TEST }
        transform_param { crop_size: 6 } }
      layer { name: "t" type: "Data" top: "data" include: { phase: TRAIN } }
      layers { name: "s" type: SOFTMAX_LOSS bottom: "data" bottom: "label" top: "s" }
      layers { name: "a" type: ACCURACY bottom: "data" bottom: "label" top: "accuracy" }
      """)
    #expect(model.outputs.map(\.name) == ["s"])
    #expect(model.inputs.map { $0.extents?.map(\.fixed) } == [[1, 3, 6, 6]])
  }

  @Test func `Sizes from the caller take precedence`() throws {
    let url = try CaffeRun.write(
      "input: 'data'\nlayer { name: 'p' type: 'Pooling' bottom: 'data' top: 'p' pooling_param { kernel_size: 2 stride: 2 } }"
    )
    defer { try? FileManager.default.removeItem(at: url.deletingLastPathComponent()) }
    var options = ReadingOptions()
    options.extents["data"] = [1, 3, Extent(from: 16), Extent(from: 16)]
    let model = try CaffeReader.read(url, options: options)
    let made = try CaffeRun.run(model, [1, 3, 21, 30])
    #expect(made["p"]?.shape == [1, 3, 11, 15])
  }

  @Test(arguments: [
    (
      "layer { name: 'c' type: 'Convolution' bottom: 'data' top: 'c' convolution_param { num_output: 4 kernel_size: 3 } }",
      "Convolution 'c': the weights are missing"
    ),
    (
      "layer { name: 'w' type: 'Warp' bottom: 'data' top: 'w' }",
      "Warp 'w': layers of the type 'Warp' are not supported."
    ),
    (
      "layer { name: 'r' type: 'ReLU' bottom: 'nothing' top: 'r' }",
      "ReLU 'r': it reads 'nothing', which no earlier layer makes."
    ),
    ("layer { name: 'r' type: 'ReLU' bottom: 'data' top: 'r'", "the text ends within a message"),
    ("layer { name 'r' }", "line 2: after 'name' a colon or a brace is missing."),
    (
      "layer { name: 'p' type: 'Pooling' bottom: 'data' top: 'p' pooling_param { kernel_size: two } }",
      "Pooling 'p': 'kernel_size' is 'two', expected an integer."
    ),
    (
      "layer { name: 'e' type: 'Eltwise' bottom: 'data' top: 'e' }",
      "Eltwise 'e': the layer has 1 inputs"
    ),
    (
      "layer { name: 'f' type: 'Flatten' bottom: 'data' top: 'f' flatten_param { axis: 9 } }",
      "Flatten 'f': the axis 9 does not exist"
    ),
  ]) func `An error message names the layer`(_ text: String, _ expected: String) {
    let found: String = sentence(Self.input + text)
    #expect(found.contains(expected), "\(found)")
  }

  @Test func `Weights of another network are refused`() {
    let item = OpenCVTests.cases.first { $0.name == "convolution" }
    let text: String = (item?.prototxt ?? "").replacing("num_output: 6", with: "num_output: 5")
    let found: String = sentence(text, Data(base64Encoded: item?.weights ?? ""))
    #expect(
      found.contains("Convolution 'made': the weights hold 216 values, expected 180"), "\(found)")
  }

  @Test func `A truncated file is refused`() {
    let item = OpenCVTests.cases.first { $0.name == "convolution" }
    let weights: Data = Data(base64Encoded: item?.weights ?? "") ?? Data()
    let found: String = sentence(item?.prototxt ?? "", weights.dropLast(10))
    #expect(found.contains("may be truncated"), "\(found)")
  }

  @Test func `Excessively nested messages are refused`() {
    let text = String(repeating: "a { ", count: 100_000)
    #expect(sentence(text).contains("nested deeper than 100"))
  }

  @Test func `A mean file gives one number per channel`() throws {
    let url = try CaffeRun.write("")
    defer { try? FileManager.default.removeItem(at: url.deletingLastPathComponent()) }
    // The bytes are the fields num, channels, height and width, and then eight floats.
    var bytes = Data([0x08, 1, 0x10, 2, 0x18, 2, 0x20, 2, 0x2A, 32])
    for value: Float in [1, 2, 3, 4, 10, 20, 30, 40] {
      withUnsafeBytes(of: value.bitPattern.littleEndian) { bytes.append(contentsOf: $0) }
    }
    let file = url.deletingLastPathComponent().appendingPathComponent("mean.binaryproto")
    try bytes.write(to: file)
    #expect(try CaffeReader.means(in: file) == [2.5, 25])
  }
}
