import CoreGraphics
import CoreML
import Imaging

/// The output of a model that is its painting: a picture, or an array that can be seen as one.
struct PaintingOutput {
  private let name: String
  private let model: String

  /// The first picture among a model's outputs, or else its first array; nil where it has neither.
  ///
  /// - Parameter model: what errors call it.
  init?(of description: MLModelDescription, model: String) {
    let outputs = description.outputNames.compactMap { description.outputDescriptionsByName[$0] }
    guard
      let output = outputs.first(where: { $0.type == .image })
        ?? outputs.first(where: { $0.type == .multiArray })
    else { return nil }
    name = output.name
    self.model = model
  }

  /// The painting in what a prediction gave.
  func picture(in result: any MLFeatureProvider) throws -> Picture {
    let value: MLFeatureValue? = result.featureValue(for: name)
    if let buffer = value?.imageBufferValue { return try Picture(buffer) }
    guard let array = value?.multiArrayValue, let picture = try Picture(array) else {
      throw StyleTransferError(.network, "Model '\(model)' gives '\(name)', which is no picture.")
    }
    return picture
  }
}

extension Picture {
  /// A picture of an array `[…, 3, height, width]` of 0…255, or nil where it has another shape.
  fileprivate init?(_ array: MLMultiArray) throws {
    let shape: [Int] = array.shape.map(\.intValue)
    guard shape.count >= 3, shape[shape.count - 3] == 3, shape.dropLast(3).allSatisfy({ $0 == 1 })
    else { return nil }
    let (height, width) = (shape[shape.count - 2], shape[shape.count - 1])
    let area: Int = width * height
    var pixels = [UInt8](repeating: 0, count: area * 3)
    for index in 0..<area * 3 {
      let value: Float = array[index].floatValue
      let sample: Float = value.isFinite ? min(255, max(0, value.rounded())) : 0
      pixels[index % area * 3 + index / area] = UInt8(sample)
    }
    try self.init(width: width, height: height, pixels: pixels)
  }
}
