import Foundation

/// Turns what a classical model computes into values of the kinds that its description declares.
enum ClassicalOutputs {
  /// A value of the kind that `description` declares, for numbers of a shape.
  ///
  /// - Parameter shape: The shape of an array where the declared one does not fit; else one axis.
  static func value(
    _ numbers: [Double], for description: MLFeatureDescription, shape: [Int]? = nil
  ) throws -> MLFeatureValue {
    switch (description.type, numbers.count) {
    case (.double, 1):
      return MLFeatureValue(double: numbers[0])
    case (.int64, 1):
      guard let whole = Int64(exactly: numbers[0].rounded()) else {
        throw MLModelError(
          .generic,
          "The output feature \"\(description.name)\" is declared as an int64, but the model "
            + "computed \(numbers[0]).")
      }
      return MLFeatureValue(int64: whole)
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

  /// The output that a model with one result writes to: the predicted feature, else the first.
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
