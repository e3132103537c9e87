import CoreML
import Foundation
import ModelFormat
import Testing

private typealias Networks = UpdatableNetworks

/// Tests updating networks of images, convolutions and pipelines.
@Suite("Updating networks of images and pipelines")
struct UpdatableShapeTests {
  /// Builds a network that passes a 4 × 4 grey image through two layers: a convolution with two channels, and a dense
  /// layer with two outputs.
  private static func pictures() -> Spec.Model {
    var convolution = Spec.ConvolutionLayerParams()
    convolution.outputChannels = 2
    convolution.kernelChannels = 1
    convolution.nGroups = 1
    convolution.kernelSize = [3, 3]
    convolution.stride = [1, 1]
    convolution.convolutionPaddingType = .valid(Spec.ValidPadding())
    convolution.hasBias = true
    func parameters(_ values: [Float]) -> Spec.WeightParams {
      var message = Spec.WeightParams()
      message.floatValue = FloatValues(values)
      message.isUpdatable = true
      return message
    }
    convolution.weights = parameters((0..<18).map { Float(($0 * 7) % 5 - 2) / 500 })
    convolution.bias = parameters([0.1, -0.05])
    var flatten = Spec.FlattenLayerParams()
    flatten.mode = .channelFirst
    let layers: [Spec.NeuralNetworkLayer] = [
      Networks.layer(
        .convolution(convolution), "conv", from: "picture", to: "a", isUpdatable: true),
      Networks.layer(.flatten(flatten), "flatten", from: "a", to: "b"),
      Networks.dense(
        "dense", (0..<16).map { Float(($0 * 5) % 7 - 3) / 5 }, [0.2, -0.1], from: "b", to: "y"),
    ]
    var model: Spec.Model = Networks.regression(layers, inputs: 1, outputs: 2)
    var image = Spec.ImageFeatureType()
    image.width = 4
    image.height = 4
    image.colorSpace = .grayscale
    let picture = NeighborModels.feature("picture", .imageType(image))
    model.description?.input = [picture]
    model.description?.trainingInput = [picture, NeighborModels.array("y_true", 2)]
    return model
  }

  private static func picture(_ seed: Int) -> CVPixelBuffer {
    var created: CVPixelBuffer?
    _ = CVPixelBufferCreate(
      kCFAllocatorDefault, 4, 4, kCVPixelFormatType_OneComponent8, nil, &created)
    let buffer = created!
    let base = CVPixelBufferGetBaseAddress(buffer)!.assumingMemoryBound(to: UInt8.self)
    for y in 0..<4 {
      for x in 0..<4 {
        base[y * CVPixelBufferGetBytesPerRow(buffer) + x] = UInt8(
          (y * 31 + x * 17 + seed * 53) % 200)
      }
    }
    return buffer
  }

  private static let targets: [[Float]] = [[1, 0], [0, 1], [0.5, 2]]

  /// Gives the model's parameter `key` the values. Returns the mean squared error of the model's predictions for the
  /// three examples.
  private static func loss(
    _ model: URL, _ key: MLParameterKey, _ values: [Double], _ shape: [Int]
  ) throws -> Double {
    let configuration: MLModelConfiguration = exactConfiguration()
    let array = try MLMultiArray(shape: shape.map { NSNumber(value: $0) }, dataType: .double)
    for (index, value) in values.enumerated() { array[index] = NSNumber(value: value) }
    configuration.parameters = [key: array]
    let loaded = try MLModel(contentsOf: model, configuration: configuration)
    var sum: Double = 0
    for (number, target) in targets.enumerated() {
      let input = try MLDictionaryFeatureProvider(dictionary: ["picture": picture(number)])
      let output = try loaded.prediction(from: input).featureValue(for: "y")!.multiArrayValue!
      for index in 0..<2 {
        let difference: Double = output[index].doubleValue - Double(target[index])
        sum += difference * difference / 6
      }
    }
    return sum
  }

  @Test(
    "The step of every weight matches the central difference of the predictions' loss",
    arguments: ["conv", "dense"], [true, false])
  func gradients(_ layer: String, _ isWeights: Bool) throws {
    try Fixtures.withFolder { folder in
      let url: URL = try Self.pictures().written(to: folder)
      let examples: [[String: Any]] = Self.targets.enumerated().map { number, target in
        ["picture": Self.picture(number), "y_true": Networks.array(target)]
      }
      let rate: Double = 1e-3
      let context = try update(
        url, with: examples, parameters: [.learningRate: rate, .miniBatchSize: 3])
      #expect(context.task.error == nil)
      let key: MLParameterKey = (isWeights ? MLParameterKey.weights : .biases).scoped(to: layer)
      let before = try Networks.values(key, of: MLModel(contentsOf: url))
      let after = try Networks.values(key, of: context.model)
      let shape: [Int] = try (context.model.parameterValue(for: key) as! MLMultiArray).shape.map(
        \.intValue)
      for index in before.indices {
        let step: Double = 1e-2
        var (more, less): ([Double], [Double]) = (before, before)
        more[index] += step
        less[index] -= step
        let slope: Double =
          (try Self.loss(url, key, more, shape) - Self.loss(url, key, less, shape)) / (2 * step)
        let change: Double = (before[index] - after[index]) / rate
        #expect(
          abs(slope - change) < 0.01 * max(1, abs(slope)), "\(key)[\(index)]: \(slope), \(change)")
      }
    }
  }

  @Test("A pipeline trains its last network on the first one's outputs")
  func pipeline() throws {
    try Fixtures.withFolder { folder in
      var linear = Spec.ActivationLinear()
      linear.alpha = 2
      var activation = Spec.ActivationParams()
      activation.nonlinearityType = .linear(linear)
      var first: Spec.Model = Networks.regression(
        [Networks.layer(.activation(activation), "double", from: "raw", to: "x")], inputs: 1)
      first.isUpdatable = false
      first.description?.input = [NeighborModels.array("raw", 1)]
      first.description?.output = [NeighborModels.array("x", 1)]
      first.description?.trainingInput = []
      let second: Spec.Model = Networks.regression(
        [Networks.dense("dense", [1], [0], from: "x", to: "y")], inputs: 1)
      var pipeline = Spec.Pipeline()
      pipeline.models = [first, second]
      var model = Spec.Model()
      model.specificationVersion = 4
      model.isUpdatable = true
      model.type = .pipeline(pipeline)
      model.description = Spec.ModelDescription()
      model.description?.input = [NeighborModels.array("raw", 1)]
      model.description?.output = [NeighborModels.array("y", 1)]
      model.description?.trainingInput = [
        NeighborModels.array("raw", 1), NeighborModels.array("y_true", 1),
      ]
      let context = try update(
        model.written(to: folder),
        with: [["raw": Networks.array([1.5]), "y_true": Networks.array([1])]])
      #expect(context.task.error == nil)
      // By hand: `raw` 1.5 becomes x = 3, and with w = 1 and b = 0, y = w x + b = 3. This is 2 more than the target.
      // With the learning rate 0.1, w becomes 1 − 0.1 · 2 · 2 · 3, and b becomes −0.1 · 2 · 2.
      let weights = try Networks.values(.weights.scoped(to: "dense"), of: context.model)
      #expect(abs(weights[0] + 0.2) < 1e-6)
      let input = try MLDictionaryFeatureProvider(dictionary: ["raw": Networks.array([1.5])])
      let output = try context.model.prediction(from: input).featureValue(for: "y")!
      #expect(abs(output.multiArrayValue![0].doubleValue + 1) < 1e-5)
    }
  }
}
