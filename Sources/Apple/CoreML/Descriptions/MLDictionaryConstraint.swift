import Foundation

/// The dictionaries that a feature allows.
public final class MLDictionaryConstraint: NSObject, Sendable {
  /// The type of the keys: `.string` or `.int64`.
  public let keyType: MLFeatureType

  init(keyType: MLFeatureType) {
    self.keyType = keyType
  }
}
