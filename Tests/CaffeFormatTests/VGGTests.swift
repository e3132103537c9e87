import Engine
import Foundation
import Graph
import Testing

@testable import CaffeFormat

/// Tests VGG-16 in the form of its authors' files: layers of the first version of Caffe, with Caffe's layer names. The
/// weights are random.
@Suite struct VGGTests {
  /// The output channels of the convolutions in each block. A pooling layer follows each block.
  static let blocks: [[Int]] = [
    [64, 64], [128, 128], [256, 256, 256], [512, 512, 512], [512, 512, 512],
  ]

  /// Returns the text of the architecture for square images with this side.
  static func prototxt(side: Int) -> String {
    var text = """
      name: "VGG_ILSVRC_16_layers"
      input: "data"
      input_dim: 10 input_dim: 3 input_dim: \(side) input_dim: \(side)

      """
    var last = "data"
    func add(_ name: String, _ type: String, _ parameters: String = "", top: String? = nil) {
      text +=
        "layers { bottom: \"\(last)\" top: \"\(top ?? name)\" name: \"\(name)\" type: \(type) \(parameters) }\n"
      last = top ?? name
    }
    for (block, convolutions) in blocks.enumerated() {
      for (index, count) in convolutions.enumerated() {
        let name = "conv\(block + 1)_\(index + 1)"
        add(name, "CONVOLUTION", "convolution_param { num_output: \(count) pad: 1 kernel_size: 3 }")
        add("relu\(block + 1)_\(index + 1)", "RELU", top: name)
      }
      add("pool\(block + 1)", "POOLING", "pooling_param { pool: MAX kernel_size: 2 stride: 2 }")
    }
    for (name, count) in [("fc6", 4096), ("fc7", 4096)] {
      add(name, "INNER_PRODUCT", "inner_product_param { num_output: \(count) }")
      add("relu" + name.suffix(1), "RELU", top: name)
      add("drop" + name.suffix(1), "DROPOUT", "dropout_param { dropout_ratio: 0.5 }", top: name)
    }
    add("fc8", "INNER_PRODUCT", "inner_product_param { num_output: 1000 }")
    add("prob", "SOFTMAX")
    return text
  }

  /// Encodes a protobuf field's key, and the length of the field's content.
  static func head(_ field: Int, _ count: Int) -> Data {
    var bytes = Data()
    for value in [field << 3 | 2, count] {
      var rest: Int = value
      repeat {
        bytes.append(UInt8(rest & 127 | (rest > 127 ? 128 : 0)))
        rest >>= 7
      } while rest > 0
    }
    return bytes
  }

  static func blob(_ shape: [Int], scale: Float) -> Data {
    var bytes = Data()
    for (field, extent) in shape.enumerated() {
      bytes.append(UInt8((field + 1) << 3))
      bytes.append(head(0, extent).dropFirst())
    }
    var state: UInt64 = 88_172_645_463_325_252
    let values: [Float] = (0..<shape.reduce(1, *)).map { _ in
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return (Float(state >> 40) / Float(1 << 24) - 0.5) * scale
    }
    bytes.append(head(5, values.count * 4))
    values.withUnsafeBytes { bytes.append(contentsOf: $0) }
    return bytes
  }

  static func weights(side: Int) -> Data {
    var model = Data()
    func add(_ name: String, type: UInt8, _ outputs: Int, _ shape: [Int]) {
      let inputs: Int = shape.dropFirst().reduce(1, *)
      let scale: Float = (24 / Float(inputs)).squareRoot()
      var layer: Data = head(4, name.utf8.count) + Data(name.utf8) + Data([5 << 3, type])
      let four: [Int] = [Int](repeating: 1, count: 4 - shape.count) + shape
      for data in [blob(four, scale: scale), blob([1, 1, 1, outputs], scale: 0)] {
        layer += head(6, data.count) + data
      }
      model += head(2, layer.count) + layer
    }
    var channels = 3
    for (block, convolutions) in blocks.enumerated() {
      for (index, count) in convolutions.enumerated() {
        add("conv\(block + 1)_\(index + 1)", type: 4, count, [count, channels, 3, 3])
        channels = count
      }
    }
    let flat: Int = 512 * (side / 32) * (side / 32)
    for (name, count, inputs) in [("fc6", 4096, flat), ("fc7", 4096, 4096), ("fc8", 1000, 4096)] {
      add(name, type: 14, count, [count, inputs])
    }
    return model
  }

  @Test func `VGG-16 in the old binary form builds and runs`() throws {
    let url = try CaffeRun.write(Self.prototxt(side: 32), Self.weights(side: 32))
    defer { try? FileManager.default.removeItem(at: url.deletingLastPathComponent()) }
    let model = try CaffeReader.read(url, options: ReadingOptions())
    #expect(model.outputs.map(\.name) == ["prob"])
    let made = try #require(try CaffeRun.run(model, [1, 3, 32, 32])["prob"])
    #expect(made.shape == [1, 1000])
    #expect(abs(made.reals.reduce(0, +) - 1) < 1e-4)
    #expect((made.reals.max() ?? 0) > (made.reals.min() ?? 0) * 1.01)
  }
}
