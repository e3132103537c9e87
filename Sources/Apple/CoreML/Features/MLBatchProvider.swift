/// The inputs or outputs of a batch prediction.
public protocol MLBatchProvider: AnyObject {
  /// The number of entries.
  var count: Int { get }

  /// Returns the entry at an index.
  func features(at index: Int) -> any MLFeatureProvider
}
