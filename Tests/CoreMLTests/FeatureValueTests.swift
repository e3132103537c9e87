import CoreML
import Imaging
import Testing

@Suite("Feature values and providers")
struct FeatureValueTests {
  @Test("A value has one type and returns nothing for other types")
  func kinds() throws {
    let number = MLFeatureValue(int64: 3)
    #expect(number.type == .int64)
    #expect(number.int64Value == 3)
    #expect(number.doubleValue == 0)
    #expect(number.stringValue == "")
    #expect(number.multiArrayValue == nil)
    #expect(MLFeatureValue(double: 2.5).doubleValue == 2.5)
    #expect(MLFeatureValue(string: "a").stringValue == "a")
    #expect(MLFeatureValue(sequence: MLSequence(strings: ["a"])).sequenceValue?.type == .string)
    let missing = MLFeatureValue(undefined: .image)
    #expect(missing.isUndefined && missing.type == .image)
    #expect(MLFeatureType(rawValue: 5) == .multiArray)
  }

  @Test("Dictionaries have keys of one type; mixed keys throw an error with a message")
  func dictionaries() throws {
    let value = try MLFeatureValue(dictionary: ["a": 0.5, "b": 2])
    #expect(value.dictionaryValue as? [String: Double] == ["a": 0.5, "b": 2])
    #expect(try MLFeatureValue(dictionary: [1: 0.5]).dictionaryValue[1] == 0.5)
    let problem = sentence { _ = try MLFeatureValue(dictionary: ["a": 1, 2: 3]) }
    #expect(
      problem
        == "The keys of a dictionary feature must be all strings or all integers, but they are "
        + "[\"2\", \"a\"].")
  }

  @Test("Values are equal if their types and contents are")
  func equality() throws {
    #expect(MLFeatureValue(int64: 1) == MLFeatureValue(int64: 1))
    #expect(MLFeatureValue(int64: 1) != MLFeatureValue(double: 1))
    let one = try pixelBuffer(width: 3, height: 2) { x, y in (UInt8(x), UInt8(y), 7) }
    let same = try pixelBuffer(width: 3, height: 2) { x, y in (UInt8(x), UInt8(y), 7) }
    let other = try pixelBuffer(width: 3, height: 2) { _, _ in (0, 0, 0) }
    #expect(MLFeatureValue(pixelBuffer: one) == MLFeatureValue(pixelBuffer: same))
    #expect(MLFeatureValue(pixelBuffer: one) != MLFeatureValue(pixelBuffer: other))
  }

  @Test("Pixel format 0, the packing of a CGImage, gives a colour buffer")
  func formatZero() throws {
    let image = CGImage(
      try Picture(width: 4, height: 4, pixels: [UInt8](repeating: 90, count: 48)))
    let value = try MLFeatureValue(
      cgImage: image, pixelsWide: 2, pixelsHigh: 2,
      pixelFormatType: image.pixelFormatInfo.rawValue)
    let buffer = try #require(value.imageBufferValue)
    #expect(CVPixelBufferGetPixelFormatType(buffer) == kCVPixelFormatType_32BGRA)
    #expect(CVPixelBufferGetWidth(buffer) == 2)
  }

  @Test("A dictionary provider accepts plain values and refuses unsupported ones")
  func provider() throws {
    let provider = try MLDictionaryFeatureProvider(dictionary: [
      "int": 3, "double": 2.5, "string": "s", "array": try MLMultiArray([1.0]),
      "shaped": MLShapedArray<Float>(scalars: [1, 2], shape: [2]), "number": NSNumber(value: 1.5),
      "dictionary": ["a": 1] as [AnyHashable: NSNumber],
      "image": try pixelBuffer(width: 1, height: 1) { _, _ in (1, 2, 3) },
    ])
    #expect(provider["int"]?.int64Value == 3)
    #expect(provider["number"]?.doubleValue == 1.5)
    #expect(provider["shaped"]?.multiArrayValue?.shape == [2])
    #expect(provider["image"]?.type == .image)
    #expect(provider.featureNames.count == 8)
    #expect(provider.featureValue(for: "none") == nil)
    let problem = sentence { _ = try MLDictionaryFeatureProvider(dictionary: ["x": Date()]) }
    #expect(problem?.hasPrefix("The value of feature 'x' is a Date; expected") == true)
  }

  @Test("A batch of columns has one entry per row")
  func batch() throws {
    let batch = try MLArrayBatchProvider(dictionary: ["a": [1, 2], "b": ["x", "y"]])
    #expect(batch.count == 2)
    #expect(batch.features(at: 1).featureValue(for: "b")?.stringValue == "y")
    #expect(
      sentence { _ = try MLArrayBatchProvider(dictionary: ["a": [1], "b": []]) }?
        .hasPrefix("The columns of a batch must have the same length") == true)
  }

  @Test("A sendable value preserves its content in both directions")
  func sendable() throws {
    let array = MLShapedArray<Float>(scalars: [1, 2], shape: [2])
    let value = MLSendableFeatureValue(array)
    #expect(value.isShapedArray && !value.isScalar)
    #expect(value.shapedArrayValue(of: Float.self) == array)
    #expect(MLFeatureValue(value).multiArrayValue?[1] == 2)
    #expect(MLSendableFeatureValue(MLFeatureValue(string: "a"))?.stringValue == "a")
    #expect(MLSendableFeatureValue(["a": 1]).stringDictionaryValue == ["a": 1])
    #expect(MLSendableFeatureValue(undefined: .double).isUndefined)
    let image = try pixelBuffer(width: 1, height: 1) { _, _ in (1, 2, 3) }
    #expect(MLSendableFeatureValue(MLFeatureValue(pixelBuffer: image)) == nil)
  }

  @Test("An image is stretched to the size unless the options say otherwise")
  func images() throws {
    let picture = try Picture(
      width: 4, height: 2, pixels: [UInt8](repeating: 255, count: 24))
    let image = CGImage(picture)
    let filled = try MLFeatureValue(
      cgImage: image, pixelsWide: 4, pixelsHigh: 4, pixelFormatType: kCVPixelFormatType_32BGRA)
    let buffer = filled.imageBufferValue!
    #expect(CVPixelBufferGetWidth(buffer) == 4 && CVPixelBufferGetHeight(buffer) == 4)
    #expect(bytes(buffer, x: 0, y: 0) == [255, 255, 255, 255])
    let fitted = try MLFeatureValue(
      cgImage: image, pixelsWide: 4, pixelsHigh: 4, pixelFormatType: kCVPixelFormatType_32BGRA,
      options: [.cropAndScale: UInt(1)])
    #expect(bytes(fitted.imageBufferValue!, x: 0, y: 0) == [0, 0, 0, 255])
    #expect(bytes(fitted.imageBufferValue!, x: 0, y: 1) == [255, 255, 255, 255])
  }

  @Test("A crop rectangle is measured from the lower left of the upright image")
  func cropRect() throws {
    // The image has four pixels: red and green in the first row, blue and white in the second.
    let pixels: [UInt8] = [255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255]
    let image = CGImage(try Picture(width: 2, height: 2, pixels: pixels))
    func colour(_ rect: CGRect, _ orientation: CGImagePropertyOrientation = .up) throws -> [UInt8] {
      let value = try MLFeatureValue(
        cgImage: image, orientation: orientation, pixelsWide: 1, pixelsHigh: 1,
        pixelFormatType: kCVPixelFormatType_32BGRA, options: [.cropRect: rect])
      return Array(bytes(value.imageBufferValue!, x: 0, y: 0).prefix(3).reversed())
    }
    let lowerLeft = CGRect(x: 0, y: 0, width: 0.5, height: 0.5)
    let upperRight = CGRect(x: 0.5, y: 0.5, width: 0.5, height: 0.5)
    #expect(try colour(lowerLeft) == [0, 0, 255])
    #expect(try colour(upperRight) == [0, 255, 0])
    #expect(try colour(upperRight, .down) == [0, 0, 255])
    let problem = sentence {
      _ = try colour(CGRect(x: 0.5, y: 0, width: 1, height: 1))
    }
    #expect(problem?.hasPrefix("The option cropRect must be a CGRect inside 0 to 1") == true)
  }

  @Test("A missing image file gives a one-sentence error")
  func missingFile() {
    let problem = sentence {
      _ = try MLFeatureValue(
        imageAt: URL(fileURLWithPath: "/nowhere/cat.jpg"), pixelsWide: 1, pixelsHigh: 1,
        pixelFormatType: kCVPixelFormatType_32BGRA)
    }
    #expect(problem?.contains("/nowhere/cat.jpg") == true)
    #expect(problem?.contains("there is no such file") == true)
  }
}
