import Foundation

/// The sequences that a feature allows.
public final class MLSequenceConstraint: NSObject, Sendable {
  /// The description of each element.
  public let valueDescription: MLFeatureDescription

  let counts: AllowedLengths

  init(valueDescription: MLFeatureDescription, counts: AllowedLengths) {
    self.valueDescription = valueDescription
    self.counts = counts
  }

  /// The allowed numbers of elements.
  public var countRange: NSRange { counts.range }
}
