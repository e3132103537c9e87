import Foundation

/// What lists a feature takes or gives.
public final class MLSequenceConstraint: NSObject, Sendable {
  /// What every element is.
  public let valueDescription: MLFeatureDescription

  let counts: AllowedLengths

  init(valueDescription: MLFeatureDescription, counts: AllowedLengths) {
    self.valueDescription = valueDescription
    self.counts = counts
  }

  /// How many elements there may be.
  public var countRange: NSRange { counts.range }
}
