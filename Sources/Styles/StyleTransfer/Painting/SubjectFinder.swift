import CoreGraphics
import CoreML
import Foundation
import Imaging

/// Finds the subject of a picture with a model for segmentation or salient objects.
///
/// The model has one picture as input and a mask as output. The mask may be:
/// - a grey picture;
/// - an array with one plane of probabilities or, if values are outside of 0…1, of logits;
/// - an array with one plane per class, where the first class is the background;
/// - an array of class numbers, where 0 is the background.
///
/// A model with a colour picture as output, such as a style network, is refused.
public struct SubjectFinder {
  private let model: MLModel
  private let input: MLFeatureDescription
  private let constraint: MLImageConstraint
  private let output: MLFeatureDescription
  private let name: String

  /// Creates a finder with a model.
  ///
  /// - Parameter name: The name of the model in error messages.
  public init(_ model: MLModel, name: String) throws {
    let description: MLModelDescription = model.modelDescription
    let pictures = description.inputDescriptionsByName.values.filter { $0.type == .image }
    let outputs = description.outputDescriptionsByName.values.sorted { $0.name < $1.name }
    let masks = outputs.filter(\.mayBeMask)
    guard pictures.count == 1, let constraint = pictures[0].imageConstraint,
      let output = masks.first(where: { $0.type == .image }) ?? masks.first
    else {
      if pictures.count == 1, let picture = outputs.first(where: { $0.type == .image }) {
        throw StyleTransferError(
          .network,
          "The output '\(picture.name)' of model '\(name)' is a colour picture, expected a mask: a"
            + " grey picture or a segmentation. Use --model for a style network.")
      }
      throw StyleTransferError(
        .network,
        "Model '\(name)' does not turn a picture into a mask; `atelier inspect` shows its inputs"
          + " and outputs.")
    }
    self.model = model
    self.constraint = constraint
    self.output = output
    self.name = name
    input = pictures[0]
  }

  /// Runs the model on a photo and returns the mask of its subject.
  public func mask(of photo: Picture) throws -> StyleMask {
    let buffer = try photo.withoutAlpha.pixelBuffer(
      format: constraint.pixelFormatType, fittedToWidth: constraint.pixelsWide,
      height: constraint.pixelsHigh, mode: .scaleFill)
    let features = try model.prediction(
      from: MLDictionaryFeatureProvider(
        dictionary: [input.name: MLFeatureValue(pixelBuffer: buffer)]))
    let value: MLFeatureValue? = features.featureValue(for: output.name)
    if let buffer = value?.imageBufferValue { return StyleMask(try Picture(buffer)) }
    guard let array = value?.multiArrayValue, let mask = Self.mask(array) else {
      let shape: String =
        value?.multiArrayValue?.shape.map { "\($0)" }.joined(separator: " × ") ?? "nothing"
      throw StyleTransferError(
        .network,
        "The output '\(output.name)' of model '\(name)' has the shape \(shape), expected a mask:"
          + " rows and columns, or one such plane per class.")
    }
    return mask
  }

  /// Converts an array to a mask. Returns nil for an array without rows and columns, and for a colour picture. Three
  /// planes are a colour picture if they are neither probabilities that add up to 1 nor scores with negative values.
  static func mask(_ array: MLMultiArray) -> StyleMask? {
    let shape: [Int] = array.shape.map(\.intValue)
    guard shape.count >= 2, shape.allSatisfy({ $0 > 0 }),
      shape.dropLast(3).allSatisfy({ $0 == 1 })
    else { return nil }
    let (height, width) = (shape[shape.count - 2], shape[shape.count - 1])
    let planes: Int = shape.count > 2 ? shape[shape.count - 3] : 1
    guard height > 1, width > 1 else { return nil }
    let values: [Float] = (0..<array.count).map { array[$0].floatValue }
    let area: Int = height * width
    if planes == 3, values.allSatisfy({ $0 >= 0 }) {
      let areShares: Bool = (0..<area).allSatisfy {
        abs(values[$0] + values[area + $0] + values[2 * area + $0] - 1) < 1e-2
      }
      guard areShares else { return nil }
    }
    let weights: [Float]
    if planes > 1 {
      // The weight is the probability of all classes but the background together.
      weights = (0..<area).map { place -> Float in
        let scores: [Float] = (0..<planes).map { values[$0 * area + place] }
        let greatest: Float = scores.max() ?? 0
        let isShare: Bool =
          scores.allSatisfy { $0 >= 0 && $0 <= 1 } && abs(scores.reduce(0, +) - 1) < 1e-3
        let powers: [Float] = isShare ? scores : scores.map { exp($0 - greatest) }
        return 1 - powers[0] / powers.reduce(0, +)
      }
    } else if array.dataType == .int32 {
      weights = values.map { $0 == 0 ? 0 : 1 }
    } else if values.contains(where: { $0 < 0 || $0 > 1 }) {
      weights = values.map { 1 / (1 + exp(-$0)) }
    } else {
      weights = values
    }
    return StyleMask(width: width, height: height, weights: weights)
  }
}

extension MLFeatureDescription {
  /// Whether an output may be a mask: a grey picture, an array with rows and columns, or an array without a declared
  /// shape.
  fileprivate var mayBeMask: Bool {
    switch type {
    case .image:
      let grey: [OSType?] = [
        kCVPixelFormatType_OneComponent8, kCVPixelFormatType_OneComponent16Half,
      ]
      return grey.contains(imageConstraint?.pixelFormatType)
    case .multiArray:
      let shape: [Int] = multiArrayConstraint?.shape.map(\.intValue) ?? []
      return shape.isEmpty
        || shape.count >= 2 && shape.dropLast(3).allSatisfy { $0 <= 1 }
          && shape.suffix(2).allSatisfy { $0 != 1 }
    default: return false
    }
  }
}
