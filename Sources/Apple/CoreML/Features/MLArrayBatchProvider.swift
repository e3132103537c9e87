import Foundation

/// A batch held in an array.
open class MLArrayBatchProvider: NSObject, MLBatchProvider {
  /// The entries.
  public let array: [any MLFeatureProvider]

  /// Makes a batch of entries.
  public init(array: [any MLFeatureProvider]) {
    self.array = array
  }

  /// Makes a batch of columns: for each feature, its values in the order of the entries.
  ///
  /// - Throws: ``MLModelError`` when columns differ in length or hold what is no feature value.
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

  /// The entry at an index.
  open func features(at index: Int) -> any MLFeatureProvider { array[index] }
}
