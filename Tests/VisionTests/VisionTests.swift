import CoreML
import Imaging
import ModelFormat
import Testing
import Vision

/// The networks of these tests. `painter` returns the image unchanged, and `features` returns it as an array.
/// `classifier` returns the image's mean colour as the scores of classes.
private enum Models {
  static func painter(
    width: Int64, height: Int64, memoryLimit: Int? = nil
  ) throws -> MLModel {
    try model(
      width: width, height: height, layers: [identity("image", "painting")],
      memoryLimit: memoryLimit
    ) { model in
      model.description?.output = [image("painting", width, height)]
    }
  }

  static func features(width: Int64, height: Int64) throws -> MLModel {
    try model(width: width, height: height, layers: [identity("image", "numbers")]) { model in
      var array = Spec.ArrayFeatureType()
      array.dataType = .float32
      model.description?.output = [feature("numbers", .multiArrayType(array))]
    }
  }

  /// Classifies by the mean of the red, green and blue samples.
  static func classifier() throws -> MLModel {
    var pooling = Spec.PoolingLayerParams()
    pooling.type = .average
    pooling.globalPooling = true
    var layer = Spec.NeuralNetworkLayer()
    layer.layer = .pooling(pooling)
    (layer.name, layer.input, layer.output) = ("mean", ["image"], ["scores"])
    return try model(width: 4, height: 4, layers: []) { model in
      var classifier = Spec.NeuralNetworkClassifier()
      classifier.layers = [layer]
      var labels = Spec.StringVector()
      labels.vector = ["red", "green", "blue"]
      classifier.classLabels = .stringClassLabels(labels)
      model.type = .neuralNetworkClassifier(classifier)
      var dictionary = Spec.DictionaryFeatureType()
      dictionary.keyType = .stringKeyType(Spec.StringFeatureType())
      model.description?.output = [
        feature("probabilities", .dictionaryType(dictionary)),
        feature("label", .stringType(Spec.StringFeatureType())),
      ]
      model.description?.predictedFeatureName = "label"
      model.description?.predictedProbabilitiesName = "probabilities"
    }
  }

  static func arrays() throws -> MLModel {
    try model(width: 1, height: 1, layers: [identity("image", "numbers")]) { model in
      var array = Spec.ArrayFeatureType()
      array.shape = [3]
      array.dataType = .float32
      model.description?.input = [feature("image", .multiArrayType(array))]
      model.description?.output = [feature("numbers", .multiArrayType(array))]
    }
  }

  private static func identity(_ input: String, _ output: String) -> Spec.NeuralNetworkLayer {
    var linear = Spec.ActivationLinear()
    linear.alpha = 1
    var activation = Spec.ActivationParams()
    activation.nonlinearityType = .linear(linear)
    var layer = Spec.NeuralNetworkLayer()
    layer.layer = .activation(activation)
    (layer.name, layer.input, layer.output) = ("identity", [input], [output])
    return layer
  }

  private static func image(_ name: String, _ width: Int64, _ height: Int64)
    -> Spec.FeatureDescription
  {
    var image = Spec.ImageFeatureType()
    (image.width, image.height, image.colorSpace) = (width, height, .rgb)
    return feature(name, .imageType(image))
  }

  private static func feature(_ name: String, _ type: Spec.FeatureType.OneOfType)
    -> Spec.FeatureDescription
  {
    var featureType = Spec.FeatureType()
    featureType.type = type
    var feature = Spec.FeatureDescription()
    (feature.name, feature.type) = (name, featureType)
    return feature
  }

  private static func model(
    width: Int64, height: Int64, layers: [Spec.NeuralNetworkLayer], memoryLimit: Int? = nil,
    changing: (inout Spec.Model) -> Void
  ) throws -> MLModel {
    var network = Spec.NeuralNetwork()
    network.layers = layers
    var model = Spec.Model()
    model.specificationVersion = 3
    model.description = Spec.ModelDescription()
    model.type = .neuralNetwork(network)
    model.description?.input = [image("image", width, height)]
    changing(&model)
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let url: URL = folder.appendingPathComponent("model.mlmodel")
    try Data(model.serialized()).write(to: url)
    let configuration = MLModelConfiguration()
    configuration.computeUnits = .cpuOnly
    configuration.memoryLimit = memoryLimit
    return try MLModel(contentsOf: url, configuration: configuration)
  }
}

/// Creates an image with a different colour in each quarter. The left half has red, and the right half has blue. The
/// upper half also has green.
private func quarters(width: Int, height: Int) throws -> Picture {
  try Picture(width: width, height: height) { pixels in
    for y in 0..<height {
      for x in 0..<width {
        let offset = (y * width + x) * 3
        pixels[offset] = x < width / 2 ? 200 : 0
        pixels[offset + 1] = y < height / 2 ? 200 : 0
        pixels[offset + 2] = x < width / 2 ? 0 : 200
      }
    }
  }
}

private func painting(_ request: VNCoreMLRequest) throws -> Picture {
  let observation = try #require(request.results?.first as? VNPixelBufferObservation)
  #expect(observation.featureName == "painting")
  return try Picture(observation.pixelBuffer)
}

private func message(of body: () throws -> Void) -> String? {
  do {
    try body()
    return nil
  } catch {
    return error.localizedDescription
  }
}

@Suite("Vision")
struct VisionTests {
  @Test(
    "Every crop and scale option matches Imaging",
    arguments: [
      (VNImageCropAndScaleOption.centerCrop, CropAndScale.centerCrop), (.scaleFit, .scaleFit),
      (.scaleFill, .scaleFill), (.scaleFitRotate90CCW, .scaleFitRotate90CCW),
      (.scaleFillRotate90CCW, .scaleFillRotate90CCW),
    ])
  func options(option: VNImageCropAndScaleOption, mode: CropAndScale) throws {
    let model = try VNCoreMLModel(for: Models.painter(width: 10, height: 6))
    let request = VNCoreMLRequest(model: model)
    #expect(request.imageCropAndScaleOption == .centerCrop)
    request.imageCropAndScaleOption = option
    let picture = try quarters(width: 24, height: 40)
    try VNImageRequestHandler(cgImage: CGImage(picture)).perform([request])
    #expect(try painting(request) == picture.fitted(toWidth: 10, height: 6, mode: mode))
  }

  @Test("Every orientation rotates the image before it is scaled", arguments: 1...8)
  func orientations(number: UInt32) throws {
    let orientation = CGImagePropertyOrientation(rawValue: number)!
    let model = try VNCoreMLModel(for: Models.painter(width: 8, height: 4))
    let request = VNCoreMLRequest(model: model)
    request.imageCropAndScaleOption = .scaleFill
    let picture = try quarters(width: 16, height: 12)
    try VNImageRequestHandler(ciImage: CIImage(picture), orientation: orientation)
      .perform([request])
    let expected = try picture.oriented(orientation.pictureOrientation)
      .fitted(toWidth: 8, height: 4, mode: .scaleFill)
    let painted = try painting(request)
    // Scaling before a rotation gives the same pixels as scaling after the rotation, except for rounding.
    for (one, other) in zip(painted.pixels, expected.pixels) {
      #expect(abs(Int(one) - Int(other)) <= 2)
    }
  }

  @Test("The region of interest is measured from the lower left")
  func regionOfInterest() throws {
    let model = try VNCoreMLModel(for: Models.painter(width: 4, height: 4))
    let request = VNCoreMLRequest(model: model)
    request.regionOfInterest = CGRect(x: 0.5, y: 0, width: 0.5, height: 0.5)
    try VNImageRequestHandler(cgImage: CGImage(quarters(width: 16, height: 16))).perform([request])
    #expect(try Array(painting(request).pixels.prefix(3)) == [0, 0, 200])
    request.regionOfInterest = CGRect(x: 0.5, y: 0, width: 0.6, height: 0.5)
    let handler = VNImageRequestHandler(cgImage: CGImage(try quarters(width: 16, height: 16)))
    #expect(
      message { try handler.perform([request]) }?.hasPrefix("The region of interest is") == true)
    #expect(request.results == nil)
  }

  @Test("All kinds of sources give the same image")
  func sources() throws {
    let model = try VNCoreMLModel(for: Models.painter(width: 8, height: 8))
    let picture = try quarters(width: 20, height: 30)
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).png")
    try picture.write(toFile: file.path)
    let handlers = [
      VNImageRequestHandler(cgImage: CGImage(picture)),
      VNImageRequestHandler(ciImage: CIImage(picture)),
      VNImageRequestHandler(cvPixelBuffer: try picture.pixelBuffer()),
      VNImageRequestHandler(url: file), VNImageRequestHandler(data: try Data(contentsOf: file)),
    ]
    let expected = try picture.fitted(toWidth: 8, height: 8, mode: .centerCrop)
    for handler in handlers {
      let request = VNCoreMLRequest(model: model)
      try handler.perform([request])
      #expect(try painting(request) == expected)
    }
    let request = VNCoreMLRequest(model: model)
    try VNSequenceRequestHandler().perform([request], on: CGImage(picture))
    #expect(try painting(request) == expected)
  }

  @Test("A classifier returns classes, the most confident first, and calls the handler")
  func classification() throws {
    let model = try VNCoreMLModel(for: Models.classifier())
    nonisolated(unsafe) var calls = 0
    let request = VNCoreMLRequest(model: model) { request, error in
      calls += 1
      #expect(error == nil)
      #expect(request.results?.count == 3)
    }
    let picture = try Picture(width: 4, height: 4) { pixels in
      for index in 0..<16 { (pixels[index * 3], pixels[index * 3 + 2]) = (20, 90) }
    }
    try VNImageRequestHandler(cgImage: CGImage(picture)).perform([request])
    let classes = try #require(request.results as? [VNClassificationObservation])
    #expect(classes.map(\.identifier) == ["blue", "red", "green"])
    #expect(classes.map(\.confidence) == [90, 20, 0])
    #expect(calls == 1)
    #expect(!classes[0].hasPrecisionRecallCurve)
  }

  @Test("Outputs that are neither classes nor images are feature values")
  func featureValues() throws {
    let model = try VNCoreMLModel(for: Models.features(width: 2, height: 1))
    let request = VNCoreMLRequest(model: model)
    let picture = try Picture(width: 2, height: 1, pixels: [1, 2, 3, 4, 5, 6])
    try VNImageRequestHandler(cgImage: CGImage(picture)).perform([request])
    let value = try #require(request.results?.first as? VNCoreMLFeatureValueObservation)
    #expect(value.featureName == "numbers")
    let array = try #require(value.featureValue.multiArrayValue)
    #expect((0..<6).map { array[$0].intValue } == [1, 4, 2, 5, 3, 6])
  }

  @Test("A model without an image input is refused with the names of its inputs")
  func noImageInput() throws {
    let model = try Models.arrays()
    #expect(
      message { _ = try VNCoreMLModel(for: model) }
        == "The model has no image input (its inputs are \"image\"), so Vision cannot use it. "
        + "Call MLModel.prediction(from:) instead.")
    let wrapped = try VNCoreMLModel(for: Models.classifier())
    wrapped.inputImageFeatureName = "photo"
    let handler = VNImageRequestHandler(cgImage: CGImage(try quarters(width: 4, height: 4)))
    #expect(
      message { try handler.perform([VNCoreMLRequest(model: wrapped)]) }
        == "The model has no image input \"photo\"; set inputImageFeatureName to one of its image inputs."
    )
  }

  @Test("An unreadable image fails the request, its handler and perform")
  func unreadablePicture() throws {
    let model = try VNCoreMLModel(for: Models.classifier())
    nonisolated(unsafe) var seen: String?
    let request = VNCoreMLRequest(model: model) { _, error in seen = error?.localizedDescription }
    let handler = VNImageRequestHandler(url: URL(fileURLWithPath: "/nowhere/cat.jpg"))
    let thrown = message { try handler.perform([request]) }
    #expect(thrown?.contains("/nowhere/cat.jpg") == true)
    #expect(seen == thrown)
  }

  @Test("A model that does not fit into memory is refused before the image is read")
  func refused() throws {
    let model = try Models.painter(width: 64, height: 64, memoryLimit: 30_000)
    let request = VNCoreMLRequest(model: try VNCoreMLModel(for: model))
    let handler = VNImageRequestHandler(url: URL(fileURLWithPath: "/nowhere/cat.jpg"))
    let thrown = message { try handler.perform([request]) }
    #expect(thrown?.contains("of memory and 0.0 GB is free") == true, "\(thrown ?? "")")
  }

  @Test("Requests share one plan")
  func onePlan() throws {
    let model = try Models.painter(width: 8, height: 6)
    let wrapped = try VNCoreMLModel(for: model)
    for side in [4, 8, 20] {
      let handler = VNImageRequestHandler(cgImage: CGImage(try quarters(width: side, height: side)))
      try handler.perform([VNCoreMLRequest(model: wrapped)])
    }
    #expect(try model.network(pictures: nil)?.0.planCount == 1)
  }

  @Test("A cancelled request throws once and works again")
  func cancelled() throws {
    let request = VNCoreMLRequest(model: try VNCoreMLModel(for: Models.classifier()))
    let handler = VNImageRequestHandler(cgImage: CGImage(try quarters(width: 4, height: 4)))
    request.cancel()
    #expect(message { try handler.perform([request]) } == "The request was cancelled.")
    try handler.perform([request])
    #expect(request.results?.count == 3)
  }
}
