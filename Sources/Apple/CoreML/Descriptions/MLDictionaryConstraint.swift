import Foundation

/// What dictionaries a feature takes or gives.
public final class MLDictionaryConstraint: NSObject, Sendable {
  /// The kind of the keys: `.string` or `.int64`.
  public let keyType: MLFeatureType

  init(keyType: MLFeatureType) {
    self.keyType = keyType
  }
}
