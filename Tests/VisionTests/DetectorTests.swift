import CoreGraphics
import Foundation
import Imaging
import ModelFormat
import Testing

@testable import CoreML
@testable import Vision

/// Tests object detectors: models that end in non-maximum suppression.
@Suite("Object detectors")
struct DetectorTests {
  /// A detector that answers with fixed boxes for every image of 8 × 4 pixels: the network's outputs are constants.
  private static func detector(
    _ boxes: [[Float]], _ scores: [[Float]], hasThresholds: Bool = false,
    rows: (UInt64, Int64) = (0, -1)
  ) throws -> MLModel {
    func constant(_ name: String, _ rows: [[Float]]) -> Spec.NeuralNetworkLayer {
      var layer = Spec.NeuralNetworkLayer()
      var values = Spec.LoadConstantNDLayerParams()
      values.shape = [UInt64(rows.count), UInt64(rows[0].count)]
      var weights = Spec.WeightParams()
      weights.floatValue = .init(rows.flatMap { $0 })
      values.data = weights
      layer.layer = .loadConstantND(values)
      (layer.name, layer.output) = (name, [name])
      return layer
    }
    func array(_ name: String, _ shape: [Int]) -> Spec.FeatureDescription {
      var type = Spec.ArrayFeatureType()
      (type.shape, type.dataType) = (shape.map(Int64.init), .float32)
      return feature(name, .multiArrayType(type))
    }
    func selected(_ name: String, _ columns: Int) -> Spec.FeatureDescription {
      var (first, second) = (Spec.SizeRange(), Spec.SizeRange())
      (first.lowerBound, first.upperBound) = rows
      (second.lowerBound, second.upperBound) = (UInt64(columns), Int64(columns))
      var range = Spec.ArrayFeatureType.ShapeRange()
      range.sizeRanges = [first, second]
      var type = Spec.ArrayFeatureType()
      (type.dataType, type.shapeFlexibility) = (.float32, .shapeRange(range))
      return feature(name, .multiArrayType(type))
    }
    func feature(
      _ name: String, _ type: Spec.FeatureType.OneOfType, isOptional: Bool = false
    ) -> Spec.FeatureDescription {
      var kind = Spec.FeatureType()
      (kind.type, kind.isOptional) = (type, isOptional)
      var made = Spec.FeatureDescription()
      (made.name, made.type) = (name, kind)
      return made
    }
    func model(
      _ type: Spec.Model.OneOfType, _ inputs: [Spec.FeatureDescription],
      _ outputs: [Spec.FeatureDescription]
    ) -> Spec.Model {
      var model = Spec.Model()
      model.specificationVersion = 4
      var description = Spec.ModelDescription()
      (description.input, description.output) = (inputs, outputs)
      (model.type, model.description) = (type, description)
      return model
    }
    var image = Spec.ImageFeatureType()
    (image.width, image.height, image.colorSpace) = (8, 4, .rgb)
    let photo: Spec.FeatureDescription = feature("photo", .imageType(image))
    let raw: [Spec.FeatureDescription] = [
      array("raw_boxes", [boxes.count, 4]), array("raw_scores", [scores.count, scores[0].count]),
    ]
    var network = Spec.NeuralNetwork()
    network.arrayInputShapeMapping = .exactArrayMapping
    network.layers = [constant("raw_boxes", boxes), constant("raw_scores", scores)]
    var suppression = Spec.NonMaximumSuppression()
    (suppression.iouThreshold, suppression.confidenceThreshold) = (0.5, 0.25)
    var top = Spec.NonMaximumSuppression.PickTop()
    top.perClass = true
    suppression.suppressionMethod = .pickTop(top)
    var names = Spec.StringVector()
    names.vector = ["cat", "dog"]
    suppression.classLabels = .stringClassLabels(names)
    suppression.confidenceInputFeatureName = "raw_scores"
    suppression.coordinatesInputFeatureName = "raw_boxes"
    suppression.confidenceOutputFeatureName = "confidence"
    suppression.coordinatesOutputFeatureName = "coordinates"
    var thresholds: [Spec.FeatureDescription] = []
    if hasThresholds {
      suppression.confidenceThresholdInputFeatureName = "confidenceThreshold"
      suppression.iouThresholdInputFeatureName = "iouThreshold"
      thresholds = ["confidenceThreshold", "iouThreshold"].map {
        feature($0, .doubleType(Spec.DoubleFeatureType()), isOptional: true)
      }
    }
    let outputs: [Spec.FeatureDescription] = [
      selected("confidence", 2), selected("coordinates", 4),
    ]
    var pipeline = Spec.Pipeline()
    pipeline.models = [
      model(.neuralNetwork(network), [photo], raw),
      model(.nonMaximumSuppression(suppression), raw + thresholds, outputs),
    ]
    let configuration = MLModelConfiguration()
    configuration.computeUnits = .cpuOnly
    return try MLModel(
      specification: model(.pipeline(pipeline), [photo] + thresholds, outputs),
      configuration: configuration)
  }

  private static let boxes: [[Float]] = [
    [0.5, 0.5, 0.5, 0.5], [0.5, 0.5, 0.5, 0.4], [0.125, 0.25, 0.25, 0.5], [0.9, 0.9, 0.1, 0.1],
  ]
  private static let scores: [[Float]] = [[0.5, 0.1], [0.75, 0], [0.25, 0.625], [0.1, 0.2]]

  private static func objects(
    _ model: VNCoreMLModel, _ picture: Picture, _ option: VNImageCropAndScaleOption = .scaleFill,
    region: CGRect? = nil
  ) throws -> [VNRecognizedObjectObservation] {
    let request = VNCoreMLRequest(model: model)
    request.imageCropAndScaleOption = option
    if let region { request.regionOfInterest = region }
    try VNImageRequestHandler(cgImage: CGImage(picture)).perform([request])
    return try #require(request.results as? [VNRecognizedObjectObservation])
  }

  private static func black(_ width: Int, _ height: Int) throws -> Picture {
    try Picture(width: width, height: height) { _ in }
  }

  @Test(
    "A detector gives the boxes that suppression selects, the most confident first, with all labels"
  )
  func recognizedObjects() throws {
    let model = try Self.detector(Self.boxes, Self.scores)
    #expect(model.modelDescription.classLabels as? [String] == ["cat", "dog"])
    let found = try Self.objects(VNCoreMLModel(for: model), Self.black(16, 8))
    #expect(found.map(\.confidence) == [0.75, 0.625])
    #expect(found.map { $0.labels.map(\.identifier) } == [["cat", "dog"], ["dog", "cat"]])
    #expect(found.map { $0.labels.map(\.confidence) } == [[0.75, 0], [0.625, 0.25]])
    // The origin of boxes is the lower left.
    #expect(found[1].boundingBox == CGRect(x: 0, y: 0.5, width: 0.25, height: 0.5))
    let pixels = VNImageRectForNormalizedRect(found[1].boundingBox, 16, 8)
    #expect(pixels == CGRect(x: 0, y: 4, width: 4, height: 4))
  }

  @Test("Boxes are normalised to the region of interest")
  func regionOfInterest() throws {
    let model = try VNCoreMLModel(for: Self.detector(Self.boxes, Self.scores))
    let region = CGRect(x: 0.5, y: 0.25, width: 0.5, height: 0.5)
    let found = try Self.objects(model, Self.black(32, 16), region: region)
    #expect(found[1].boundingBox == CGRect(x: 0, y: 0.5, width: 0.25, height: 0.5))
    let pixels = VNImageRectForNormalizedRectUsingRegionOfInterest(
      found[1].boundingBox, 32, 16, region)
    #expect(pixels == CGRect(x: 16, y: 8, width: 4, height: 4))
    #expect(
      VNNormalizedRectForImageRectUsingRegionOfInterest(pixels, 32, 16, region)
        == found[1].boundingBox)
  }

  @Test("Thresholds come from the feature provider; rows of zeros are no objects")
  func thresholds() throws {
    let model = try VNCoreMLModel(
      for: Self.detector(Self.boxes, Self.scores, hasThresholds: true, rows: (6, 6)))
    #expect(try Self.objects(model, Self.black(16, 8)).count == 2)
    model.featureProvider = try MLDictionaryFeatureProvider(
      dictionary: ["confidenceThreshold": 0.15, "iouThreshold": 0.9])
    #expect(
      try Self.objects(model, Self.black(16, 8)).map(\.confidence) == [0.75, 0.625, 0.5, 0.2])
  }

  @Test("The newer interface gives the same objects")
  func newInterface() async throws {
    let container = try CoreMLModelContainer(model: Self.detector(Self.boxes, Self.scores))
    let request = CoreMLRequest(model: container)
    #expect(request.supportedIdentifiers == ["cat", "dog"])
    let found = try await ImageRequestHandler(CGImage(Self.black(16, 8))).perform(request)
    let objects = found.compactMap { $0 as? RecognizedObjectObservation }
    #expect(objects.map { $0.labels[0].identifier } == ["cat", "dog"])
    let rect = objects[1].boundingBox.toImageCoordinates(
      CGSize(width: 16, height: 8), origin: .upperLeft)
    #expect(rect == CGRect(x: 0, y: 0, width: 4, height: 4))
    let data = try JSONEncoder().encode(objects[1])
    #expect(try JSONDecoder().decode(RecognizedObjectObservation.self, from: data) == objects[1])
  }

  /// Finds a white rectangle in the image that a model gets, and expects that its box maps to the rectangle.
  @Test(
    "A box in the model's image maps back to the picture for every option and orientation",
    arguments: [
      CropAndScale.centerCrop, .scaleFit, .scaleFill, .scaleFitRotate90CCW, .scaleFillRotate90CCW,
    ], 1...8)
  func mapping(mode: CropAndScale, number: UInt32) throws {
    let orientation = try #require(Orientation(rawValue: number))
    let (width, height) = (120, 80)
    let white = CGRect(x: 45, y: 24, width: 24, height: 16)
    let upright = try Picture(width: width, height: height) { pixels in
      for y in Int(white.minY)..<Int(white.maxY) {
        for x in Int(white.minX)..<Int(white.maxX) {
          for component in 0..<3 { pixels[(y * width + x) * 3 + component] = 255 }
        }
      }
    }
    let undoing: Orientation =
      switch orientation {
      case .left: .right
      case .right: .left
      default: orientation
      }
    let stored: Picture = try upright.oriented(undoing)
    for (modelWidth, modelHeight) in [(90, 60), (64, 96), (80, 80)] {
      let image: Picture = try stored.fitted(
        toWidth: modelWidth, height: modelHeight, mode: mode, orientation: orientation)
      let lit: [(Int, Int)] = (0..<modelWidth * modelHeight)
        .filter { image.pixels[$0 * 3] > 127 }.map { ($0 % modelWidth, $0 / modelWidth) }
      let columns: [Int] = lit.map(\.0).sorted()
      let rows: [Int] = lit.map(\.1).sorted()
      let (left, right) = (try #require(columns.first), try #require(columns.last))
      let (top, bottom) = (try #require(rows.first), try #require(rows.last))
      let box = CGRect(
        x: Double(left) / Double(modelWidth), y: Double(top) / Double(modelHeight),
        width: Double(right + 1 - left) / Double(modelWidth),
        height: Double(bottom + 1 - top) / Double(modelHeight))
      let mapped: CGRect = BoxMapping(
        mode, width: width, height: height, modelWidth: modelWidth, modelHeight: modelHeight
      ).normalizedRect(ofModelBox: box)
      let pixels: CGRect = VNImageRectForNormalizedRect(mapped, width, height)
      // One pixel of the model's image is up to 2 pixels of the picture.
      #expect(abs(pixels.minX - white.minX) <= 2, "\(modelWidth) × \(modelHeight): \(pixels)")
      #expect(abs(pixels.maxX - white.maxX) <= 2, "\(modelWidth) × \(modelHeight): \(pixels)")
      #expect(abs(CGFloat(height) - pixels.maxY - white.minY) <= 2, "\(pixels)")
      #expect(abs(CGFloat(height) - pixels.minY - white.maxY) <= 2, "\(pixels)")
    }
  }

  @Test("Points and rectangles convert between pixels and normalised coordinates")
  func geometry() {
    let region = CGRect(x: 0.25, y: 0.5, width: 0.5, height: 0.25)
    let point = CGPoint(x: 0.5, y: 0.25)
    #expect(VNImagePointForNormalizedPoint(point, 200, 100) == CGPoint(x: 100, y: 25))
    #expect(
      VNImagePointForNormalizedPointUsingRegionOfInterest(point, 200, 100, region)
        == CGPoint(x: 100, y: 56.25))
    #expect(
      VNNormalizedPointForImagePointUsingRegionOfInterest(
        CGPoint(x: 100, y: 56.25), 200, 100, region) == point)
    #expect(
      VNNormalizedRectForImageRect(CGRect(x: 50, y: 50, width: 100, height: 25), 200, 100)
        == region)
    #expect(VNNormalizedRectIsIdentityRect(VNNormalizedIdentityRect))
    #expect(
      VNImagePointForFaceLandmarkPoint(SIMD2(0.5, 0.25), region, 200, 100)
        == CGPoint(x: 100, y: 56.25))
    let rect = NormalizedRect(normalizedRect: region)
    #expect(
      rect.toImageCoordinates(CGSize(width: 200, height: 100), origin: .upperLeft)
        == CGRect(x: 50, y: 25, width: 100, height: 25))
    #expect(rect.verticallyFlipped() == NormalizedRect(x: 0.25, y: 0.25, width: 0.5, height: 0.25))
    #expect(
      NormalizedPoint(
        imagePoint: CGPoint(x: 100, y: 56.25), in: CGSize(width: 200, height: 100),
        normalizedTo: rect) == NormalizedPoint(x: 0.5, y: 0.25))
  }
}
