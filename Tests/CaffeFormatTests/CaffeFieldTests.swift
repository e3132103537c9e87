import Engine
import Foundation
import Graph
import NetworkRuns
import Testing

@testable import CaffeFormat

/// Tests that every field of a layer is either used or refused by name.
@Suite struct CaffeFieldTests {
  static let input = "input: 'data'\ninput_shape { dim: 1 dim: 2 dim: 3 dim: 4 }\n"

  func model(_ layers: String, _ weights: Data? = nil, input: String = input) throws -> GraphModel {
    let url = try CaffeRun.write(input + layers, weights)
    defer { try? FileManager.default.removeItem(at: url.deletingLastPathComponent()) }
    return try CaffeReader.read(url, options: ReadingOptions())
  }

  func sentence(_ layers: String) -> String {
    do {
      _ = try model(layers)
      return ""
    } catch let error as EngineError {
      return error.message
    } catch {
      return "another error: \(error)"
    }
  }

  @Test(
    arguments: [
      (
        "layer { name: 'r' type: 'ReLU' bottom: 'data' top: 'r' relu_param { negative_slope: 0.1 ceiling: 6 } }",
        "ReLU 'r': in 'relu_param' the field 'ceiling' is 6"
      ),
      (
        "layer { name: 'r' type: 'ReLU' bottom: 'data' top: 'r' quantization_param { bits: 8 } }",
        "ReLU 'r': the field 'quantization_param' is a message"
      ),
      (
        "layer { name: 'b' type: 'BatchNorm' bottom: 'data' top: 'b' batch_norm_param { scale_bias: true } }",
        "the field 'scale_bias' is true, expected false"
      ),
      (
        "layer { name: 'd' type: 'Dropout' bottom: 'data' top: 'd' dropout_param { dropout_ratio: 0.5 scale_train: false } }",
        "the field 'scale_train' is false, expected true"
      ),
      (
        "layer { name: 'p' type: 'Pooling' bottom: 'data' top: 'p' pooling_param { kernel_size: 2 stride: 2 dilation: 2 } }",
        "the field 'dilation' is 2"
      ),
    ])
  func `An unsupported field is refused by name`(_ layer: String, _ expected: String) {
    let found: String = sentence(layer)
    #expect(found.contains(expected), "\(found)")
  }

  @Test func `Fields for training are ignored`() {
    let layer = """
      layer { name: 'r' type: 'ReLU' bottom: 'data' top: 'r' relu_param { engine: CAFFE } loss_weight: 1
        param { lr_mult: 1 decay_mult: 0 } propagate_down: true phase: TEST pooling_param { kernel_size: 2 } }
      layer { name: 'd' type: 'Dropout' bottom: 'r' top: 'd' dropout_param { dropout_ratio: 0.5 } }
      """
    #expect(sentence(layer) == "")
  }

  @Test func `An unknown field in the binary form is refused by its number`() throws {
    // Encodes a network with one ReLU, whose parameters contain the unknown field 9.
    func field(_ number: Int, _ bytes: Data) -> Data {
      VGGTests.head(number, bytes.count) + bytes
    }
    let layer: Data =
      field(1, Data("r".utf8)) + field(2, Data("ReLU".utf8)) + field(3, Data("data".utf8))
      + field(4, Data("r".utf8)) + field(123, Data([9 << 3, 1]))
    let shape: Data = Data([1 << 3, 1, 1 << 3, 2, 1 << 3, 3, 1 << 3, 4])
    let net: Data = field(3, Data("data".utf8)) + field(8, shape) + field(100, layer)
    let url = try CaffeRun.write("", net)
    defer { try? FileManager.default.removeItem(at: url.deletingLastPathComponent()) }
    let file = url.deletingPathExtension().appendingPathExtension("caffemodel")
    try FileManager.default.removeItem(at: url)
    #expect {
      _ = try CaffeReader.read(file, options: ReadingOptions())
    } throws: { "\($0)".contains("ReLU 'r': in 'relu_param' the field 'field 9'") }
  }

  @Test(arguments: [1, 2])
  func `A batch norm uses the batch's statistics if its parameters say so`(_ count: Int) throws {
    let url = try CaffeRun.write(
      Self.input
        + "layer { name: 'b' type: 'BatchNorm' bottom: 'data' top: 'b' batch_norm_param { use_global_stats: false eps: 0.01 } }"
    )
    defer { try? FileManager.default.removeItem(at: url.deletingLastPathComponent()) }
    var options = ReadingOptions()
    if count > 1 { options.extents["data"] = [2, 2, 3, 4] }
    let model = try CaffeReader.read(url, options: options)
    let x = ReferenceTensor.ramp([count, 2, 3, 4])
    let made: [Double] = try model.run([x])[0].reals
    for channel in 0..<2 {
      let indices: [Int] = (0..<count).flatMap { n in (0..<12).map { (n * 2 + channel) * 12 + $0 } }
      let values: [Double] = indices.map { x.values[$0] }
      let mean: Double = values.reduce(0, +) / Double(values.count)
      let variance: Double =
        values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(values.count)
      for (index, value) in zip(indices, values) {
        #expect(abs(made[index] - (value - mean) / (variance + 0.01).squareRoot()) < 1e-4)
      }
    }
  }

  @Test func `The epsilon of an MVN layer is added to the standard deviation`() throws {
    let model = try model(
      "layer { name: 'm' type: 'MVN' bottom: 'data' top: 'm' mvn_param { eps: 0.5 } }")
    let x = ReferenceTensor.ramp([1, 2, 3, 4])
    let made: [Double] = try model.run([x])[0].reals
    let values: ArraySlice<Double> = x.values[12..<24]
    let mean: Double = values.reduce(0, +) / 12
    let deviation: Double =
      (values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / 12).squareRoot()
    #expect(abs(made[13] - (x.values[13] - mean) / (deviation + 0.5)) < 1e-5)
  }

  @Test func `Layers of another phase, level or stage are skipped`() throws {
    let rules = [
      "include { phase: TRAIN }", "include { stage: 'train' }", "include { min_level: 1 }",
      "exclude { phase: TEST }", "exclude { stage: 'deploy' }", "include { not_stage: 'deploy' }",
    ]
    var text = ""
    for (index, rule) in rules.enumerated() {
      text +=
        "layer { name: 'l\(index)' type: 'Power' bottom: 'data' top: 'out' power_param { scale: 9 } \(rule) }\n"
    }
    for (index, rule) in ["include { phase: TEST }", "include { stage: 'deploy' }", ""].enumerated()
    {
      text += "layer { name: 'k\(index)' type: 'ReLU' bottom: 'data' top: 'k\(index)' \(rule) }\n"
    }
    #expect(try model(text).outputs.map(\.name) == ["k0", "k1", "k2"])
  }

  // MARK: - Deconvolution

  @Test(arguments: 1...24)
  func `Deconvolutions match Caffe's loops for pairs of settings`(_ seed: Int) throws {
    var random = FileMutant(named: "deconvolution \(seed)")
    func pair(_ low: Int, _ high: Int) -> [Int] {
      (0..<2).map { _ in low + random.number(below: high - low + 1) }
    }
    let (kernel, stride, dilation) = (pair(1, 4), pair(1, 3), pair(1, 2))
    let reach: [Int] = zip(kernel, dilation).map { ($0 - 1) * $1 + 1 }
    let pad: [Int] = reach.map { random.number(below: $0) }
    let (size, groups) = (pair(2, 5), 1 + random.number(below: 2))
    let (inputs, outputs) = (2 * groups, 3 * groups)
    let sides: [Int] = (0..<2).map { (size[$0] - 1) * stride[$0] + reach[$0] - 2 * pad[$0] }
    guard sides.allSatisfy({ $0 > 0 }) else { return }
    let weights: [Double] = (0..<inputs * 3 * kernel[0] * kernel[1]).map {
      Double($0 * 7 % 11) / 8 - 0.5
    }
    func words(_ name: String, _ pair: [Int]) -> String {
      "\(name)_h: \(pair[0]) \(name)_w: \(pair[1])"
    }
    let text = """
      input: 'data'
      input_shape { dim: 1 dim: \(inputs) dim: \(size[0]) dim: \(size[1]) }
      layer { name: 'd' type: 'Deconvolution' bottom: 'data' top: 'd' convolution_param { num_output: \(outputs)
        group: \(groups) bias_term: false \(words("kernel", kernel)) \(words("stride", stride)) \(words("pad", pad))
        dilation: \(dilation[0]) dilation: \(dilation[1]) } }
      """
    let model = try model(
      text, Self.weights("d", [inputs, 3] + kernel, weights), input: "")
    let x = ReferenceTensor.ramp([1, inputs, size[0], size[1]])
    var want = [Double](repeating: 0, count: outputs * sides[0] * sides[1])
    for input in 0..<inputs {
      for output in 0..<3 {
        for (y, across) in (0..<size[0]).flatMap({ y in (0..<size[1]).map { (y, $0) } }) {
          for (i, j) in (0..<kernel[0]).flatMap({ i in (0..<kernel[1]).map { (i, $0) } }) {
            let row: Int = y * stride[0] + i * dilation[0] - pad[0]
            let column: Int = across * stride[1] + j * dilation[1] - pad[1]
            guard (0..<sides[0]).contains(row), (0..<sides[1]).contains(column) else { continue }
            let channel: Int = input / 2 * 3 + output
            want[(channel * sides[0] + row) * sides[1] + column] +=
              x.values[(input * size[0] + y) * size[1] + across]
              * weights[((input * 3 + output) * kernel[0] + i) * kernel[1] + j]
          }
        }
      }
    }
    let made = try model.run([x])[0]
    #expect(made.shape == [1, outputs, sides[0], sides[1]])
    #expect(made.difference(from: want) < 1e-5, "\(text)")
  }

  /// Encodes the weights of one layer in binary form.
  static func weights(_ name: String, _ shape: [Int], _ values: [Double]) -> Data {
    var numbers = Data()
    for value in values {
      withUnsafeBytes(of: Float(value).bitPattern.littleEndian) { numbers.append(contentsOf: $0) }
    }
    let extents = Data(shape.map { UInt8($0) })
    let packed: Data = VGGTests.head(1, extents.count) + extents
    let blob: Data =
      VGGTests.head(7, packed.count) + packed + VGGTests.head(5, numbers.count) + numbers
    let layer: Data =
      VGGTests.head(1, name.utf8.count) + Data(name.utf8) + VGGTests.head(7, blob.count) + blob
    return VGGTests.head(100, layer.count) + layer
  }
}
