import Engine
import Foundation
import ModelFormat
import Testing

@testable import CoreML

@Suite("Painting sizes and their memory")
struct PaintingSizeTests {
  /// Makes a model of the given layers. The model declares an input image and an output image of 24 × 16 pixels.
  private static func model(
    _ layers: [Spec.NeuralNetworkLayer]? = nil, anySize: Bool = true, memoryLimit: Int? = nil
  ) throws -> MLModel {
    let configuration = MLModelConfiguration()
    configuration.allowsAnyInputSize = anySize
    configuration.memoryLimit = memoryLimit
    return try MLModel(
      specification: SampleModels.picture(width: 24, height: 16, layers: layers),
      configuration: configuration)
  }

  private static func planCount(of model: MLModel) throws -> Int {
    try #require(try model.network(pictures: nil)).0.planCount
  }

  private static func predict(_ model: MLModel, width: Int, height: Int) throws {
    var buffer: CVPixelBuffer?
    CVPixelBufferCreate(nil, width, height, kCVPixelFormatType_32BGRA, nil, &buffer)
    let value = MLFeatureValue(pixelBuffer: try #require(buffer))
    _ = try model.prediction(from: MLDictionaryFeatureProvider(dictionary: ["image": value]))
  }

  private static func size(_ size: MLImageSize?) -> String { size?.description ?? "none" }

  @Test("A network of any size paints a photo at the photo's size")
  func ownSize() throws {
    let model = try Self.model()
    #expect(Self.size(model.paintingSize(width: 301, height: 77)) == "301 × 77")
    #expect(Self.size(model.paintedSize(width: 301, height: 77)) == "301 × 77")
    #expect(try Self.planCount(of: model) == 0)
  }

  @Test("A model that may not use other sizes paints at its declared size")
  func declaredSize() throws {
    let model = try Self.model(anySize: false)
    #expect(Self.size(model.paintingSize(width: 301, height: 77)) == "24 × 16")
    #expect(Self.size(model.paintingSize(width: 24, height: 16)) == "24 × 16")
  }

  @Test("A network with an output size other than its input size paints at its declared size")
  func enlarging() throws {
    var upsample = Spec.UpsampleLayerParams()
    upsample.scalingFactor = [2, 2]
    var layer = Spec.NeuralNetworkLayer()
    (layer.name, layer.input, layer.output) = ("up", ["image"], ["painting"])
    layer.layer = .upsample(upsample)
    let model = try Self.model([layer])
    #expect(Self.size(model.paintedSize(width: 301, height: 77)) == "602 × 154")
    #expect(Self.size(model.paintingSize(width: 301, height: 77)) == "24 × 16")
  }

  @Test("A model without images has no painting size")
  func noPicture() throws {
    let model = try MLModel(
      specification: SampleModels.doubling(), configuration: MLModelConfiguration())
    #expect(model.paintingSize(width: 9, height: 9) == nil)
    #expect(model.paintedSize(width: 9, height: 9) == nil)
  }

  @Test("A memory estimate and the predictions of that size share one plan")
  func onePlan() throws {
    let model = try Self.model()
    #expect(try model.memoryNeeded(width: 100, height: 50) > 100 * 50 * 3 * 2)
    for _ in 0..<3 { try Self.predict(model, width: 100, height: 50) }
    #expect(try Self.planCount(of: model) == 1)
    try Self.predict(model, width: 40, height: 50)
    #expect(try Self.planCount(of: model) == 2)
  }

  @Test("A size that does not fit is refused during preparation, with a size that would fit")
  func refused() throws {
    let needed = try Self.model().memoryNeeded(width: 200, height: 100)
    let model = try Self.model(memoryLimit: needed / 4)
    #expect(try model.memoryNeeded(width: 60, height: 50) <= needed / 4)
    let error = try #require(throws: MLModelError.self) {
      try model.prepare(pictures: .init(width: 200, height: 100))
    }
    #expect(error.message.hasSuffix("a picture of 95 × 47 would fit."), "\(error.message)")
    try model.prepare(pictures: .init(width: 95, height: 47))
  }

  @Test("For a model that is not a neural network, the error says that its memory is unknown")
  func classical() throws {
    let asset = SampleModels.picture(width: 8, height: 8)
    var pipeline = Spec.Pipeline()
    pipeline.models = [asset]
    var model = asset
    model.type = .pipeline(pipeline)
    let opened = try MLModel(specification: model, configuration: MLModelConfiguration())
    let error = try #require(throws: MLModelError.self) {
      try opened.memoryNeeded(width: 8, height: 8)
    }
    #expect(error.message.contains("only neural networks are planned"))
  }
}
