import Conversion
import Engine
import Foundation
import ModelFormat
import NeuralNetworkFormat
import Operators
import Testing

/// Tests converting NeuralNetworks with weights of a few bits.
@Suite("Low-bit weights")
struct FewBitsTests {
  /// The storage format of a layer's weights.
  struct Form: Sendable, CustomTestStringConvertible {
    let bits: Int
    /// Whether the weights are stored as scaled integers. If false, they are stored as indices into a lookup table.
    let isLinear: Bool
    /// Whether each output channel has its own scale.
    let isByChannel: Bool
    /// Whether the layer is a transposed convolution.
    var isTransposed = false
    var testDescription: String {
      "\(bits) bits, \(isLinear ? isByChannel ? "scaled by channel" : "scaled" : "looked up")"
        + (isTransposed ? ", transposed" : "")
    }

    static let all: [Form] =
      [1, 2, 3, 4, 5, 6, 7, 8].flatMap { bits in
        [
          Form(bits: bits, isLinear: false, isByChannel: false),
          Form(bits: bits, isLinear: true, isByChannel: false),
          Form(bits: bits, isLinear: true, isByChannel: true),
        ]
      } + [Form(bits: 8, isLinear: true, isByChannel: true, isTransposed: true)]
  }

  private static let (inputs, outputs) = (16, 24)

  /// Builds a 3 × 3 convolution with 3,456 weights in this form.
  private func model(_ form: Form) -> Spec.Model {
    let count: Int = Self.inputs * Self.outputs * 9
    var generator = SplitMix64(seed: 3)
    var bytes = [UInt8](repeating: 0, count: (count * form.bits + 7) / 8)
    for index in bytes.indices { bytes[index] = UInt8(generator.uniform(0...255)) }
    var weights = Spec.WeightParams()
    weights.rawValue = ByteValues(bytes)
    weights.quantization = .making {
      $0.numberOfBits = UInt64(form.bits)
      let last = Float(1 << form.bits) - 1
      if form.isLinear {
        let scales: Int = form.isByChannel ? Self.outputs : 1
        $0.quantizationType = .linearQuantization(
          .making {
            $0.scale = FloatValues((0..<scales).map { (1 + Float($0) / 9) / last })
            $0.bias = FloatValues((0..<scales).map { -0.4 - Float($0) / 50 })
          })
      } else {
        $0.quantizationType = .lookupTableQuantization(
          .making {
            $0.floatValue = FloatValues((0..<1 << form.bits).map { Float($0) / last - 0.45 })
          })
      }
    }
    let layer: Spec.NeuralNetworkLayer = .making { layer in
      (layer.name, layer.input, layer.output) = ("c", ["x"], ["y"])
      layer.layer = .convolution(
        .making {
          $0.outputChannels = UInt64(Self.outputs)
          $0.kernelChannels = UInt64(Self.inputs)
          $0.nGroups = 1
          $0.kernelSize = [3, 3]
          $0.isDeconvolution = form.isTransposed
          $0.convolutionPaddingType = .valid(.making { _ in })
          $0.weights = weights
        })
    }
    func feature(_ name: String, _ channels: Int, _ size: Int) -> Spec.FeatureDescription {
      .making { feature in
        feature.name = name
        feature.type = .making {
          $0.type = .multiArrayType(
            .making {
              $0.shape = [1, Int64(channels), Int64(size), Int64(size)]
              $0.dataType = .float32
            })
        }
      }
    }
    return .making { model in
      model.specificationVersion = 4
      model.description = .making {
        $0.input = [feature("x", Self.inputs, 7)]
        $0.output = [feature("y", Self.outputs, form.isTransposed ? 9 : 5)]
      }
      model.type = .neuralNetwork(
        .making {
          $0.layers = [layer]
          $0.arrayInputShapeMapping = .exactArrayMapping
        })
    }
  }

  @Test(
    "Low-bit weights stay low-bit in layers and in programs, and give the same results",
    arguments: Form.all)
  func converted(form: Form) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file: URL = folder.appendingPathComponent("few.mlmodel")
    let stored: Spec.Model = model(form)
    try stored.write(to: file)
    // Decodes the weights in the message without using the reader.
    guard case .neuralNetwork(let network)? = stored.type,
      case .convolution(let layer)? = network.layers[0].layer, let message = layer.weights
    else { return }
    let expected: [Float] = try message.decodedFloats(
      count: Self.inputs * Self.outputs * 9, name: "c", outputChannels: Self.outputs,
      channelStride: form.isTransposed ? 9 : nil)

    let read: GraphModel = try ModelReaders.read(file)
    var options = WritingOptions()
    for (ending, precision, bound) in [
      ("mlmodel", WritingOptions.Precision.float32, Float(1e-6)), ("mlpackage", .float32, 1e-6),
      ("mlpackage", .float16, 2e-3),
    ] {
      options.precision = precision
      let target: URL = folder.appendingPathComponent("again-\(precision).\(ending)")
      try ModelWriters.write(read, to: target, options: options)
      let again: GraphModel = try ModelReaders.read(target)
      let weights: Constant = try #require(
        again.graph.nodes.lazy.filter { $0.operation is ConvolutionOperator }
          .compactMap { again.graph[$0.inputs[1]].constant }.first)
      // Programs have no types of 5 and 7 bits. The writer stores scaled weights of 1 to 3 bits in integers of 4 bits.
      let widest: Int = form.bits <= 4 ? 4 : 8
      let size: Int = try #require(weights.stored?.byteCount)
      #expect(size <= weights.count * widest / 8 + 256 * 4 + Self.outputs * 8, "\(ending)")
      let difference: Float = zip(try weights.floats(), expected).map { abs($0 - $1) }.max() ?? 9
      #expect(difference <= bound, "\(ending) in \(precision)")
    }
  }
}
