import CoreML
import Foundation
import Imaging
import ModelTools
import Testing

/// Tests the example in which a network is assembled in Swift, layer by layer.
@Suite(
  .enabled(
    if: Program.isBuilt("VGGNet") && Fixtures.areAvailable && FetchableModel.vgg16.isFetched()))
struct VGGNetTests {
  @Test("The VGGNet example matches the layers of the fetched model")
  func features() throws {
    let outcome = try Program.run([Fixtures.astronaut.path], program: "VGGNet")
    #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
    #expect(
      outcome.output.hasPrefix("14714688 parameters; features: 1 × 512 × 7 × 7, mean "),
      "\(outcome.output)")
    // The fetched model ends with the layer relu5_3. The example has one more layer, a pooling. So the test pools the
    // fetched model's output before it compares.
    let configuration = MLModelConfiguration()
    configuration.computeUnits = .cpuOnly
    let model = try MLModel(
      contentsOf: FetchableModel.vgg16.file(), configuration: configuration)
    let photo = try Picture(contentsOf: Fixtures.astronaut).withoutAlpha
    let buffer = try photo.pixelBuffer(
      format: kCVPixelFormatType_32BGRA, fittedToWidth: 224, height: 224, mode: .scaleFill)
    let output = try model.prediction(
      from: MLDictionaryFeatureProvider(
        dictionary: ["image": MLFeatureValue(pixelBuffer: buffer)]))
    let array = try #require(output.featureValue(for: "relu5_3")?.multiArrayValue)
    try #require(array.count == 512 * 14 * 14)
    var sum: Double = 0
    for channel in 0..<512 {
      for row in 0..<7 {
        for column in 0..<7 {
          let corners: [Double] = [0, 1, 14, 15].map {
            array[channel * 196 + row * 28 + column * 2 + $0].doubleValue
          }
          sum += corners.max() ?? 0
        }
      }
    }
    let words = outcome.output.split(separator: "\n").first?.split(separator: " ").last
    let mean = try #require(words.flatMap { Double($0) })
    #expect(abs(mean - sum / (512 * 49)) < 1e-4 * abs(mean) + 2e-6)
  }
}
