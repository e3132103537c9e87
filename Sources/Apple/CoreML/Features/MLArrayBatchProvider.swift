import Foundation

/// A batch of feature providers in an array.
open class MLArrayBatchProvider: NSObject, MLBatchProvider {
  /// The feature providers of the batch.
  public let array: [any MLFeatureProvider]

  /// Makes a batch from entries.
  public init(array: [any MLFeatureProvider]) {
    self.array = array
  }

  /// Makes a batch from columns. A column contains the values of one feature.
  ///
  /// - Parameter dictionary: For each feature name, the feature's values in the order of the entries.
  /// - Throws: ``MLModelError`` if the columns differ in length, or if an element cannot become a feature value.
  public init(dictionary: [String: [Any]]) throws {
    let count: Int = dictionary.values.first?.count ?? 0
    for (name, column) in dictionary where column.count != count {
      throw MLModelError(
        .featureType,
        "The columns of a batch must have the same length, but '\(name)' has \(column.count) "
          + "values and another column has \(count).")
    }
    array = try (0..<count).map { (row: Int) throws -> any MLFeatureProvider in
      try MLDictionaryFeatureProvider(dictionary: dictionary.mapValues { $0[row] })
    }
  }

  /// The number of entries.
  open var count: Int { array.count }

  /// Returns the entry at an index.
  open func features(at index: Int) -> any MLFeatureProvider { array[index] }
}
