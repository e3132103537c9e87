import Foundation

/// Converts the results of a classical model to the feature types that the model's description declares.
enum ClassicalOutputs {
  /// Converts numbers to the feature type that `description` declares.
  ///
  /// - Parameter shape: The shape of an array if the declared shape has too few or too many elements. Nil means a shape
  ///   with one axis.
  static func value(
    _ numbers: [Double], for description: MLFeatureDescription, shape: [Int]? = nil
  ) throws -> MLFeatureValue {
    switch (description.type, numbers.count) {
    case (.double, 1):
      return MLFeatureValue(double: numbers[0])
    case (.int64, 1):
      guard let integer = Int64(exactly: numbers[0].rounded()) else {
        throw MLModelError(
          .generic,
          "The output feature \"\(description.name)\" is declared as an int64, but the model "
            + "computed \(numbers[0]).")
      }
      return MLFeatureValue(int64: integer)
    case (.multiArray, _):
      let declared: [Int] = description.multiArrayConstraint?.dimensions ?? []
      let type: MLMultiArrayDataType = description.multiArrayConstraint?.dataType ?? .double
      let fits: Bool = !declared.isEmpty && checkedElementCount(of: declared) == numbers.count
      return MLFeatureValue(
        multiArray: try MLMultiArray(
          numbers: numbers, shape: fits ? declared : shape ?? [numbers.count], dataType: type))
    case (.double, _), (.int64, _):
      throw MLModelError(
        .io,
        "The output feature \"\(description.name)\" is declared as \(description.type.sentenceName), "
          + "but the model computes \(numbers.count) numbers.")
    default:
      throw MLModelError(
        .io,
        "The output feature \"\(description.name)\" is declared as \(description.type.sentenceName), "
          + "but the model computes numbers. The model may be damaged.")
    }
  }

  /// Returns the output that gets the result of a model with one result. This is the predicted feature if the model
  /// names such a feature. Otherwise, this is the first output.
  static func only(of description: MLModelDescription) throws -> MLFeatureDescription {
    if let name = description.predictedFeatureName,
      let output = description.outputDescriptionsByName[name]
    {
      return output
    }
    guard let name = description.outputNames.first,
      let output = description.outputDescriptionsByName[name]
    else {
      throw MLModelError(.io, "The model has no output features. The file may be damaged.")
    }
    return output
  }
}
