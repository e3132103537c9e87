import CoreML
import Imaging
import Testing

/// Compares a network with 26 styles with the ONNX network that has the same weights.
@Suite("A multi-style network", .enabled(if: Fixtures.areAvailable), .serialized)
struct MultiStyleTests {
  /// The styles in `Expected/multistyle.npy`, which `make_multistyle.py` writes.
  static let styles = [3, 11, 24]

  /// Returns every second pixel of the astronaut photo as planes of red, green and blue, 0…1.
  private static func photo() throws -> MLMultiArray {
    let picture = try Picture(contentsOf: Fixtures.photo("skimage-astronaut.png"))
    let pixels: [UInt8] = picture.pixels
    let array = try MLMultiArray(shape: [3, 256, 256], dataType: .float32)
    array.withUnsafeMutableBufferPointer(ofType: Float.self) { target, _ in
      for index in 0..<3 * 256 * 256 {
        let (channel, row, column) = (index / 65536, index / 256 % 256, index % 256)
        target[index] = Float(pixels[(row * 2 * 512 + column * 2) * 3 + channel]) / 255
      }
    }
    return array
  }

  /// Returns a one-hot vector for the style: a sequence of 26 numbers.
  private static func choice(_ style: Int) throws -> MLMultiArray {
    let array = try MLMultiArray(shape: [26, 1, 1, 1, 1], dataType: .double)
    for index in 0..<26 { array[index] = index == style ? 1 : 0 }
    return array
  }

  @Test("Every style matches ONNX Runtime", arguments: Exactness.both)
  func styles(exactness: Exactness) throws {
    let expected = try NumPyArray(contentsOf: Fixtures.expectation("multistyle.npy"))
    #expect(expected.shape == [3, 52, 52, 3])
    let model = try MLModel(
      contentsOf: Fixtures.model("fns-style/stylize.mlmodel"),
      configuration: exactness.configuration)
    let photo = try Self.photo()
    for (position, style) in Self.styles.enumerated() {
      let output = try model.prediction(
        from: MLDictionaryFeatureProvider(dictionary: [
          "input__0": photo, "style_num__0": try Self.choice(style),
        ]))
      let painting = try #require(output.featureValue(for: "Squeeze__0")?.multiArrayValue)
      let values: [Float] = try painting.floats
      #expect(values.count == 3 * 256 * 256)
      let size: Int = 52 * 52 * 3
      let sampled: [Float] = (0..<size).map { (index: Int) -> Float in
        let (row, column, channel) = (index / 156 * 5, index / 3 % 52 * 5, index % 3)
        return values[channel * 65536 + row * 256 + column]
      }
      let wanted = Array(expected.values[position * size..<(position + 1) * size])
      let difference = meanDifference(sampled, wanted)
      print("stylize.mlmodel, style \(style), \(exactness.units): \(difference)")
      #expect(difference <= exactness.bound)
    }
  }
}
