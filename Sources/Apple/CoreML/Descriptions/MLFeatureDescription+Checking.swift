import CoreVideo
import Foundation

extension MLFeatureDescription {
  /// Returns one sentence that says why the feature does not allow a value. Returns nil if the feature allows the
  /// value.
  ///
  /// - Parameter allowsAnySize: Whether to allow images and arrays of any size.
  func problem(with value: MLFeatureValue, allowsAnySize: Bool = false) -> String? {
    if value.isUndefined {
      return isOptional
        ? nil
        : "The input feature \"\(name)\" is required but its value is undefined; the model expects "
          + "\(type.sentenceName)."
    }
    switch (value.content, constraint) {
    case (.image(let buffer), .image(let constraint)):
      return allowsAnySize ? nil : problem(with: buffer, constraint)
    case (.multiArray(let array), .multiArray(let constraint)):
      return allowsAnySize ? nil : problem(with: array, constraint)
    case (.dictionary, .dictionary(let constraint)),
      (.probabilities, .dictionary(let constraint)):
      return problem(with: value.dictionaryValue, constraint)
    case (.sequence(let sequence), .sequence(let constraint)):
      return problem(with: sequence, constraint)
    case (.int64, _) where type == .int64 || type == .double: return nil
    case (.double, _) where type == .double: return nil
    case (.string, _) where type == .string: return nil
    default:
      return
        "The input feature \"\(name)\" expects \(type.sentenceName), but its value is "
        + "\(value.type.sentenceName)."
    }
  }

  private func problem(with buffer: CVPixelBuffer, _ constraint: MLImageConstraint) -> String? {
    let width: Int = CVPixelBufferGetWidth(buffer)
    let height: Int = CVPixelBufferGetHeight(buffer)
    if constraint.sizeConstraint.allows(width: width, height: height) { return nil }
    return "The image for the input feature \"\(name)\" is \(width) × \(height) pixels, but the "
      + "model expects \(constraint.sizeConstraint). Scale it first, or let Vision do it."
  }

  private func problem(
    with array: MLMultiArray, _ constraint: MLMultiArrayConstraint
  ) -> String? {
    if constraint.allows(array.layout.shape) { return nil }
    return "The multi-array for the input feature \"\(name)\" has the shape "
      + "\(sentence(array.layout.shape)), but the model expects \(constraint.shapeConstraint)."
  }

  private func problem(
    with dictionary: [AnyHashable: NSNumber], _ constraint: MLDictionaryConstraint
  ) -> String? {
    for key in dictionary.keys {
      let fits: Bool =
        constraint.keyType == .string ? key.base is String : integerKey(key) != nil
      if !fits {
        return "The dictionary for the input feature \"\(name)\" has the key \(key), but the model "
          + "expects each key to be \(constraint.keyType.sentenceName)."
      }
    }
    return nil
  }

  private func problem(with sequence: MLSequence, _ constraint: MLSequenceConstraint) -> String? {
    let expected: MLFeatureType = constraint.valueDescription.type
    if sequence.type != expected {
      return "The sequence for the input feature \"\(name)\" holds \(sequence.type) values, but "
        + "the model expects \(expected) values."
    }
    if !constraint.counts.contains(sequence.count) {
      return "The sequence for the input feature \"\(name)\" has \(sequence.count) elements, but "
        + "the model expects \(constraint.counts)."
    }
    return nil
  }
}
