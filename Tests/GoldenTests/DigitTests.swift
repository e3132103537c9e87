import CoreML
import Imaging
import Testing

/// Tests the classification of handwritten digits from OpenCV's image: 50 rows and 100 columns of 20 × 20 pixels, white
/// on black. The first five rows show 0, the next five 1, and so on.
@Suite("Handwritten digits", .enabled(if: Fixtures.areAvailable), .serialized)
struct DigitTests {
  /// Returns a digit in the training format: 20 × 20 pixels centred in 28 × 28, white on black.
  private static func centred(_ pixels: [UInt8], row: Int, column: Int) throws -> CVPixelBuffer {
    var made: CVPixelBuffer?
    CVPixelBufferCreate(nil, 28, 28, kCVPixelFormatType_OneComponent8, nil, &made)
    let buffer = try #require(made)
    CVPixelBufferLockBaseAddress(buffer, [])
    defer { CVPixelBufferUnlockBaseAddress(buffer, []) }
    let base = try #require(CVPixelBufferGetBaseAddress(buffer))
    let stride: Int = CVPixelBufferGetBytesPerRow(buffer)
    memset(base, 0, stride * 28)
    for y in 0..<20 {
      for x in 0..<20 {
        let grey: UInt8 = pixels[((row * 20 + y) * 2000 + column * 20 + x) * 3]
        base.storeBytes(of: grey, toByteOffset: (y + 4) * stride + x + 4, as: UInt8.self)
      }
    }
    return buffer
  }

  @Test(
    "Over 95 % of 500 digits are classified correctly", arguments: [MLComputeUnits.cpuOnly, .all])
  func reads(units: MLComputeUnits) throws {
    let configuration = MLModelConfiguration()
    configuration.computeUnits = units
    let model = try MLModel(
      contentsOf: Fixtures.model("digits/mnistCNN.mlmodel"), configuration: configuration)
    let picture = try Picture(contentsOf: Fixtures.model("digits/digits.png"))
    try #require(picture.width == 2000 && picture.height == 1000)
    let pixels: [UInt8] = picture.pixels
    var right = 0
    for row in 0..<50 {
      for column in stride(from: row % 10, to: 100, by: 10) {
        let buffer = try Self.centred(pixels, row: row, column: column)
        let output = try model.prediction(
          from: MLDictionaryFeatureProvider(dictionary: ["image": buffer]))
        if output.featureValue(for: "classLabel")?.stringValue == String(row / 5) { right += 1 }
      }
    }
    print("mnistCNN, \(units): \(right) of 500")
    #expect(right > 475)
  }
}
