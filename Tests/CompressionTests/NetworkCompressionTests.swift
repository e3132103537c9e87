import CoreML
import Foundation
import Testing

@testable import Compression
@testable import ModelFormat

@Suite("Compressed NeuralNetworks")
struct NetworkCompressionTests {
  private static func floats(_ count: Int) -> [Float] {
    (0..<count).map { Float(sin(Double($0) * 12.9898) * 0.3) }
  }

  /// Builds three layers whose weights have the channels on different axes: a convolution, a transposed convolution
  /// with groups, and a matrix product.
  private static func model() -> Spec.Model {
    func convolution(
      _ name: String, from inputs: UInt64, to outputs: UInt64, groups: UInt64 = 1,
      isTransposed: Bool = false, reading input: String
    ) -> Spec.NeuralNetworkLayer {
      var message = Spec.ConvolutionLayerParams()
      message.outputChannels = outputs
      message.kernelChannels = isTransposed ? inputs : inputs / groups
      message.nGroups = groups
      message.kernelSize = [3, 3]
      message.stride = [1, 1]
      message.dilationFactor = [1, 1]
      message.isDeconvolution = isTransposed
      message.hasBias = true
      message.convolutionPaddingType = .same(Spec.SamePadding())
      message.weights = Spec.WeightParams(floats(Int(inputs * outputs / groups * 9)))
      message.bias = Spec.WeightParams(floats(Int(outputs)))
      return .making {
        ($0.name, $0.input, $0.output) = (name, [input], [name])
        $0.layer = .convolution(message)
      }
    }
    var product = Spec.InnerProductLayerParams()
    (product.inputChannels, product.outputChannels) = (16 * 6 * 6, 8)
    product.weights = Spec.WeightParams(floats(16 * 36 * 8))
    var flatten = Spec.FlattenLayerParams()
    flatten.mode = .channelFirst
    return .making { model in
      model.specificationVersion = 1
      model.description = .making { description in
        description.input = [.array("x", [8, 6, 6], .double)]
        description.output = [.array("y", [8], .double)]
      }
      model.type = .neuralNetwork(
        .making {
          $0.layers = [
            convolution("first", from: 8, to: 32, reading: "x"),
            convolution(
              "second", from: 32, to: 16, groups: 2, isTransposed: true, reading: "first"),
            .making {
              ($0.name, $0.input, $0.output) = ("flat", ["second"], ["flat"])
              $0.layer = .flatten(flatten)
            },
            .making {
              ($0.name, $0.input, $0.output) = ("last", ["flat"], ["y"])
              $0.layer = .innerProduct(product)
            },
          ]
        })
    }
  }

  private static func predict(_ model: Spec.Model) throws -> [Double] {
    let configuration = MLModelConfiguration()
    configuration.computeUnits = .cpuOnly
    let input = try MLMultiArray(shape: [8, 6, 6], dataType: .double)
    for index in 0..<input.count { input[index] = NSNumber(value: cos(Double(index))) }
    let output = try MLModel(specification: model, configuration: configuration).prediction(
      from: MLDictionaryFeatureProvider(dictionary: ["x": MLFeatureValue(multiArray: input)]))
    let array = try #require(output.featureValue(for: "y")?.multiArrayValue)
    return (0..<array.count).map { array[$0].doubleValue }
  }

  /// Returns the root mean square of the differences between two lists, divided by the root mean square of the first
  /// list.
  private static func distance(_ first: [Double], _ second: [Double]) -> Double {
    let sum: Double = zip(first, second).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
    return (sum / first.reduce(0) { $0 + $1 * $1 }).squareRoot()
  }

  @Test(
    "Predictions stay close, and more bits give closer results",
    arguments: [
      CompressionSettings.Mode.linear, .linearSymmetric, .kMeans,
    ])
  func predictions(mode: CompressionSettings.Mode) throws {
    let original: [Double] = try Self.predict(Self.model())
    var distances: [Double] = []
    for bits in [16, 8, 6, 4, 2] {
      var model: Spec.Model = Self.model()
      let report = try ModelCompressor(CompressionSettings(bits: bits, mode: mode)).compress(&model)
      #expect(report.tensors.map(\.layer) == ["first", "second", "last"])
      #expect(report.tensors.allSatisfy { $0.bits == bits })
      #expect(report.tensors.allSatisfy { $0.bytesAfter < $0.count * bits / 8 + 1200 })
      distances.append(Self.distance(original, try Self.predict(model)))
    }
    #expect(distances == distances.sorted())
    #expect(distances[0] < 0.003)
    #expect(distances[1] < 0.08)
    #expect(distances[2] < 0.4)
  }

  @Test("Layers that are not listed stay unchanged, and single layers may have separate widths")
  func chosenLayers() throws {
    var model: Spec.Model = Self.model()
    var settings = CompressionSettings(bits: 8)
    settings.layers = ["first", "last"]
    settings.widths = ["last": 4]
    let report = try ModelCompressor(settings).compress(&model)
    #expect(report.tensors.map(\.bits) == [8, 32, 4])
  }

  @Test("A lookup table from the caller is used unchanged")
  func ownTable() throws {
    var model: Spec.Model = Self.model()
    let table: [Float] = [-0.3, -0.1, 0.1, 0.3]
    _ = try ModelCompressor(CompressionSettings(bits: 2, mode: .table(table))).compress(&model)
    guard case .neuralNetwork(let network)? = model.type,
      case .convolution(let convolution)? = network.layers[0].layer,
      case .lookupTableQuantization(let found)? = convolution.weights?.quantization?
        .quantizationType
    else {
      Issue.record("no table")
      return
    }
    #expect(found.floatValue.array() == table)
    #expect(throws: CompressionError.self) {
      try ModelCompressor(CompressionSettings(bits: 3, mode: .table(table)))
    }
  }

  @Test("Conflicting settings are refused with a message")
  func contradictions() throws {
    for bits in [0, 9, 15] {
      #expect(throws: CompressionError.self) {
        try ModelCompressor(CompressionSettings(bits: bits))
      }
    }
    var groups = CompressionSettings(bits: 4)
    groups.groupSize = 8
    var model: Spec.Model = Self.model()
    #expect(throws: CompressionError.self) { try ModelCompressor(groups).compress(&model) }
  }

  @Test("Weights of a damaged size are refused with the layer's name")
  func damage() throws {
    var model: Spec.Model = Self.model()
    guard case .neuralNetwork(var network)? = model.type else { return }
    network.layers[0].layer = .convolution(
      .making {
        $0.outputChannels = .max
        $0.kernelChannels = .max
        $0.kernelSize = [.max, .max]
        $0.weights = Spec.WeightParams([1, 2, 3])
      })
    model.type = .neuralNetwork(network)
    let compressor = try ModelCompressor(CompressionSettings(bits: 8))
    let error = #expect(throws: ModelFormatError.self) { try compressor.compress(&model) }
    #expect(error?.message.contains("first") == true)
  }
}
