import Foundation

@testable import ModelFormat

/// Small models that the tests build.
enum SampleModels {
  /// Builds a network with one quantised convolution and one activation.
  static func network() -> Spec.Model {
    var linear = Spec.LinearQuantizationParams()
    linear.scale = [0.5, 0.25]
    linear.bias = [-1, 1]
    var quantization = Spec.QuantizationParams()
    quantization.numberOfBits = 4
    quantization.quantizationType = .linearQuantization(linear)
    var weights = Spec.WeightParams()
    weights.rawValue = ByteValues([0x12, 0x34, 0x56, 0x78])
    weights.quantization = quantization
    var bias = Spec.WeightParams()
    bias.floatValue = [0.25, -3]
    var convolution = Spec.ConvolutionLayerParams()
    convolution.outputChannels = 2
    convolution.kernelChannels = 1
    convolution.kernelSize = [2, 2]
    convolution.convolutionPaddingType = .same(Spec.SamePadding())
    convolution.hasBias = true
    convolution.weights = weights
    convolution.bias = bias
    var first = Spec.NeuralNetworkLayer()
    first.name = "conv"
    first.input = ["x"]
    first.output = ["y"]
    first.layer = .convolution(convolution)
    var activation = Spec.ActivationParams()
    activation.nonlinearityType = .reLU(Spec.ActivationReLU())
    var second = first
    second.name = "relu"
    second.layer = .activation(activation)
    var network = Spec.NeuralNetwork()
    network.layers = [first, second]
    network.arrayInputShapeMapping = .exactArrayMapping
    var metadata = Spec.Metadata()
    metadata.userDefined = ["b": "2", "a": "é"]
    var description = Spec.ModelDescription()
    description.metadata = metadata
    var model = Spec.Model()
    model.specificationVersion = 4
    model.description = description
    model.type = .neuralNetwork(network)
    return model
  }

  /// An ML Program with a constant in `weights/weight.bin`, written by Python's protobuf from
  /// coremltools 9.0's messages with `SerializeToString(deterministic=True)`.
  static let program: [UInt8] = [UInt8](
    Data(
      base64Encoded: "CAkSFqIGE6IGBwoBYRICw6miBgYKAWISATKyH88BCAESygEKBG1haW4SwQESB0NvcmVNTDcatQEK"
        + "B0NvcmVNTDcSqQESAXkaVQoFY29uc3QqEQoEbmFtZRIJGgcKBSIDCgF3KjkKA3ZhbBIyEgwKCggKEAEaBAoC"
        + "CAMqIgoeQG1vZGVsX3BhdGgvd2VpZ2h0cy93ZWlnaHQuYmluEEAaTQoDYWRkEgoKAXgSBQoDCgF4EgoKAXkS"
        + "BQoDCgF3EiMKAXoSHgocEhoSCBIGCgQKAggLGg4KDAoKCggAAMA/AAAAwBoJCgF5EgQKAggK") ?? Data())

  /// Returns a weight file with one float16 blob `[1, -2, 0.5]` at byte 64.
  static func weightFile() -> [UInt8] {
    var bytes: [UInt8] = littleEndian([1, 2]) + [UInt8](repeating: 0, count: 56)
    bytes += littleEndian([0xDEAD_BEEF, 1, 6, 0, 128, 0]) + [UInt8](repeating: 0, count: 40)
    return bytes + [0x00, 0x3C, 0x00, 0xC0, 0x00, 0x38]
  }

  static func littleEndian(_ numbers: [UInt32]) -> [UInt8] {
    numbers.flatMap { number in (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) } }
  }

  /// Builds nested pipelines, `depth` models deep.
  static func nestedPipelines(_ depth: Int) -> Spec.Model {
    var model = network()
    for _ in 1..<depth {
      var pipeline = Spec.Pipeline()
      pipeline.models = [model]
      var outer = Spec.Model()
      outer.specificationVersion = 4
      outer.type = .pipeline(pipeline)
      model = outer
    }
    return model
  }

  /// Builds nested branches, `depth` networks deep.
  static func nestedBranches(_ depth: Int) -> Spec.Model {
    var inner = Spec.NeuralNetwork()
    for _ in 1..<depth {
      var branch = Spec.BranchLayerParams()
      branch.ifBranch = inner
      var layer = Spec.NeuralNetworkLayer()
      layer.layer = .branch(branch)
      inner = Spec.NeuralNetwork()
      inner.layers = [layer]
    }
    var model = Spec.Model()
    model.specificationVersion = 4
    model.type = .neuralNetwork(inner)
    return model
  }

  /// Writes a package that contains `model`, which is a program, and its weight file. `modelPath` is the path that the
  /// manifest states for the model.
  static func writePackage(
    _ package: URL, modelPath: String = "com.apple.CoreML/model.mlmodel",
    model: [UInt8] = program
  ) throws {
    let manager = FileManager.default
    let data = package.appendingPathComponent("Data/com.apple.CoreML", isDirectory: true)
    let weights = data.appendingPathComponent("weights", isDirectory: true)
    try manager.createDirectory(at: weights, withIntermediateDirectories: true)
    try Data(model).write(to: data.appendingPathComponent("model.mlmodel"))
    try Data(weightFile()).write(to: weights.appendingPathComponent("weight.bin"))
    let manifest = """
      {"fileFormatVersion": "1.0.0", "rootModelIdentifier": "M", "itemInfoEntries": {
        "M": {"author": "a", "description": "d", "name": "model.mlmodel", "path": "\(modelPath)"},
        "W": {"author": "a", "description": "d", "name": "weights",
              "path": "com.apple.CoreML/weights"}}}
      """
    try Data(manifest.utf8).write(to: package.appendingPathComponent("Manifest.json"))
  }
}
