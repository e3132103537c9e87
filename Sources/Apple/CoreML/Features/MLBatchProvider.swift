/// A list of inputs, or of outputs, for one batch prediction.
public protocol MLBatchProvider: AnyObject {
  /// The number of entries.
  var count: Int { get }

  /// The entry at an index.
  func features(at index: Int) -> any MLFeatureProvider
}
