import CoreGraphics
import CoreML
import Imaging

/// The output of a model with the painting: a picture, or an array that can be converted to a picture.
struct PaintingOutput {
  let name: String
  private let model: String

  /// Chooses the first picture among a model's outputs or, if there is none, the first array. Nil if the model has
  /// neither.
  ///
  /// - Parameter model: The name of the model in error messages.
  init?(of description: MLModelDescription, model: String) {
    let outputs = description.outputNames.compactMap { description.outputDescriptionsByName[$0] }
    guard
      let output = outputs.first(where: { $0.type == .image })
        ?? outputs.first(where: { $0.type == .multiArray })
    else { return nil }
    name = output.name
    self.model = model
  }

  /// Converts the painting in the result of a prediction to a picture.
  ///
  /// - Parameter range: The range of the numbers of an array.
  func picture(in result: any MLFeatureProvider, range: PictureRange) throws -> Picture {
    let value: MLFeatureValue? = result.featureValue(for: name)
    if let buffer = value?.imageBufferValue { return try Picture(buffer) }
    guard let array = value?.multiArrayValue, let picture = try Picture(array, range) else {
      throw StyleTransferError(
        .network,
        "The output '\(name)' of model '\(model)' is not a picture.")
    }
    return picture
  }

  /// Converts the painting in the result of a prediction to a picture of 16 bits, and crops it at the right and the
  /// bottom to a size. Nil if the painting is smaller, or if the model's output is a picture of 8 bits.
  func deepPicture(in result: any MLFeatureProvider, size: PictureSize) throws -> DeepPicture? {
    guard let array = result.featureValue(for: name)?.multiArrayValue else { return nil }
    let shape: [Int] = array.shape.map(\.intValue)
    guard array.dataType == .float32, let layout = PictureArrayLayout(shape),
      !layout.hasChannelsLast
    else { return nil }
    let (height, width) = (layout.size.height, layout.size.width)
    guard width >= size.width, height >= size.height else { return nil }
    return try array.withUnsafeBufferPointer(ofType: Float.self) { values in
      try DeepPicture(width: size.width, height: size.height) { target in
        for row in 0..<size.height {
          for column in 0..<size.width {
            for channel in 0..<3 {
              let value: Float = values[(channel * height + row) * width + column] * 257
              target[(row * size.width + column) * 3 + channel] =
                value.isNaN ? 0 : UInt16(min(65535, max(0, value.rounded())))
            }
          }
        }
      }
    }
  }
}

extension Picture {
  /// Converts an array `[…, 3, height, width]` or `[…, height, width, 3]` to a picture. Nil if the array has another
  /// shape.
  fileprivate init?(_ array: MLMultiArray, _ range: PictureRange) throws {
    let shape: [Int] = array.shape.map(\.intValue)
    guard let layout = PictureArrayLayout(shape) else { return nil }
    let (width, height) = (layout.size.width, layout.size.height)
    let area: Int = width * height
    var pixels = [UInt8](repeating: 0, count: area * 3)
    for index in 0..<area * 3 {
      let value: Float = range.sample(ofNumber: array[index].floatValue)
      let sample: Float = value.isFinite ? min(255, max(0, value.rounded())) : 0
      pixels[layout.hasChannelsLast ? index : index % area * 3 + index / area] = UInt8(sample)
    }
    try self.init(width: width, height: height, pixels: pixels)
  }
}
