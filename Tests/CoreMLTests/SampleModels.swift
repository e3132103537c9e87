import CoreML
import Foundation
import ModelFormat

/// Small models for tests, built from specification messages.
enum SampleModels {
  /// Builds `y = 2x + 1` over an array.
  static func doubling(
    shape: [Int64] = [3], dataType: Spec.ArrayFeatureType.ArrayDataType = .float32,
    changing: (inout Spec.Model) -> Void = { _ in }
  ) -> Spec.Model {
    var model: Spec.Model = network([linear(alpha: 2, beta: 1, from: "x", to: "y")])
    model.description?.input = [array("x", shape, dataType)]
    model.description?.output = [array("y", shape, dataType)]
    changing(&model)
    return model
  }

  /// Builds an image model that returns its input.
  static func picture(
    width: Int64, height: Int64, input: Spec.ImageFeatureType.ColorSpace = .rgb,
    output: Spec.ImageFeatureType.ColorSpace = .rgb, layers: [Spec.NeuralNetworkLayer]? = nil,
    changing: (inout Spec.Model) -> Void = { _ in }
  ) -> Spec.Model {
    var model: Spec.Model = network(
      layers ?? [linear(alpha: 1, beta: 0, from: "image", to: "painting")])
    model.description?.input = [image("image", width, height, input)]
    model.description?.output = [image("painting", width, height, output)]
    changing(&model)
    return model
  }

  /// Builds a classifier with the labels "low", "middle" and "high". Its three inputs are the probabilities.
  static func classifier() -> Spec.Model {
    var classifier = Spec.NeuralNetworkClassifier()
    classifier.layers = [linear(alpha: 1, beta: 0, from: "x", to: "scores")]
    var labels = Spec.StringVector()
    labels.vector = ["low", "middle", "high"]
    classifier.classLabels = .stringClassLabels(labels)
    var model: Spec.Model = network([])
    model.type = .neuralNetworkClassifier(classifier)
    model.description?.input = [array("x", [3])]
    model.description?.output = [
      feature("probabilities", dictionary()), feature("label", string()),
    ]
    model.description?.predictedFeatureName = "label"
    model.description?.predictedProbabilitiesName = "probabilities"
    return model
  }

  /// Builds a model that passes an array `[channels, height, width]` through custom layers of the given classes.
  static func custom(_ classNames: [String], shape: [Int64] = [2, 7, 9]) -> Spec.Model {
    var names: [String] = classNames.indices.map { "t\($0)" }
    names.append("y")
    names[0] = "x"
    let layers: [Spec.NeuralNetworkLayer] = classNames.enumerated().map { index, name in
      var custom = Spec.CustomLayerParams()
      custom.className = name
      var layer = Spec.NeuralNetworkLayer()
      layer.layer = .custom(custom)
      layer.name = "layer \(index)"
      layer.input = [names[index]]
      layer.output = [names[index + 1]]
      return layer
    }
    var model: Spec.Model = network(layers)
    model.description?.input = [array("x", shape)]
    model.description?.output = [array("y", [])]
    return model
  }

  static func network(_ layers: [Spec.NeuralNetworkLayer]) -> Spec.Model {
    var network = Spec.NeuralNetwork()
    network.layers = layers
    var model = Spec.Model()
    model.specificationVersion = 3
    model.description = Spec.ModelDescription()
    model.type = .neuralNetwork(network)
    return model
  }

  static func linear(
    alpha: Float, beta: Float, from input: String, to output: String
  ) -> Spec.NeuralNetworkLayer {
    var linear = Spec.ActivationLinear()
    linear.alpha = alpha
    linear.beta = beta
    var activation = Spec.ActivationParams()
    activation.nonlinearityType = .linear(linear)
    var layer = Spec.NeuralNetworkLayer()
    layer.layer = .activation(activation)
    layer.name = "linear \(output)"
    layer.input = [input]
    layer.output = [output]
    return layer
  }

  /// Builds an ML Program with one function, which maps an array to another array. `text` is the program in text form.
  static func program(
    _ text: String, from input: Spec.FeatureDescription, to output: Spec.FeatureDescription,
    states: [Spec.FeatureDescription] = []
  ) throws -> Spec.Model {
    let program = try MILText(parsing: ByteValues(Array(text.utf8)), name: "sample.mil").program
    return .making { model in
      model.specificationVersion = 9
      model.type = .mlProgram(program)
      model.description = .making {
        ($0.input, $0.output, $0.state) = ([input], [output], states)
      }
    }
  }

  static func array(
    _ name: String, _ shape: [Int64], _ type: Spec.ArrayFeatureType.ArrayDataType = .float32
  ) -> Spec.FeatureDescription {
    var array = Spec.ArrayFeatureType()
    array.shape = shape
    array.dataType = type
    return feature(name, .multiArrayType(array))
  }

  static func image(
    _ name: String, _ width: Int64, _ height: Int64,
    _ colorSpace: Spec.ImageFeatureType.ColorSpace
  ) -> Spec.FeatureDescription {
    var image = Spec.ImageFeatureType()
    image.width = width
    image.height = height
    image.colorSpace = colorSpace
    return feature(name, .imageType(image))
  }

  static func dictionary() -> Spec.FeatureType.OneOfType {
    var dictionary = Spec.DictionaryFeatureType()
    dictionary.keyType = .stringKeyType(Spec.StringFeatureType())
    return .dictionaryType(dictionary)
  }

  static func string() -> Spec.FeatureType.OneOfType { .stringType(Spec.StringFeatureType()) }

  static func feature(
    _ name: String, _ type: Spec.FeatureType.OneOfType, isOptional: Bool = false
  ) -> Spec.FeatureDescription {
    var featureType = Spec.FeatureType()
    featureType.type = type
    featureType.isOptional = isOptional
    var feature = Spec.FeatureDescription()
    feature.name = name
    feature.type = featureType
    return feature
  }
}

extension Spec.Model {
  /// Writes the model to a file in the temporary directory. Returns the location of the file.
  func written(_ name: String = "sample.mlmodel") throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let url: URL = folder.appendingPathComponent(name)
    try Data(serialized()).write(to: url)
    return url
  }

  func loaded(_ configuration: MLModelConfiguration = exact()) throws -> MLModel {
    let file: URL = try written()
    defer { try? FileManager.default.removeItem(at: file.deletingLastPathComponent()) }
    return try MLModel(contentsOf: file, configuration: configuration)
  }
}

/// Returns a configuration that computes in float32.
func exact() -> MLModelConfiguration {
  let configuration = MLModelConfiguration()
  configuration.computeUnits = .cpuOnly
  return configuration
}

/// Returns the message of the error that `body` throws. Nil if `body` throws no error.
func sentence(of body: () throws -> Void) -> String? {
  do {
    try body()
    return nil
  } catch {
    return error.localizedDescription
  }
}

/// Creates a BGRA pixel buffer. `pixel` returns the samples of a pixel in the order red, green, blue.
func pixelBuffer(
  width: Int, height: Int, _ pixel: (_ x: Int, _ y: Int) -> (UInt8, UInt8, UInt8)
) throws -> CVPixelBuffer {
  var created: CVPixelBuffer?
  _ = CVPixelBufferCreate(
    kCFAllocatorDefault, width, height, kCVPixelFormatType_32BGRA, nil, &created)
  let buffer = created!
  CVPixelBufferLockBaseAddress(buffer, [])
  defer { CVPixelBufferUnlockBaseAddress(buffer, []) }
  let base = CVPixelBufferGetBaseAddress(buffer)!.assumingMemoryBound(to: UInt8.self)
  for y in 0..<height {
    for x in 0..<width {
      let address = base + y * CVPixelBufferGetBytesPerRow(buffer) + x * 4
      let (red, green, blue) = pixel(x, y)
      (address[0], address[1], address[2], address[3]) = (blue, green, red, 255)
    }
  }
  return buffer
}

/// Returns the bytes of one pixel.
func bytes(_ buffer: CVPixelBuffer, x: Int, y: Int, count: Int = 4) -> [UInt8] {
  let base = CVPixelBufferGetBaseAddress(buffer)!.assumingMemoryBound(to: UInt8.self)
  let address = base + y * CVPixelBufferGetBytesPerRow(buffer) + x * count
  return (0..<count).map { address[$0] }
}
