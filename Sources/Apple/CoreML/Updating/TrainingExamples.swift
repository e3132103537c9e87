/// The examples of a training. An example is made only when the training reads it.
struct TrainingExamples {
  /// The number of examples.
  let count: Int
  private let make: (Int) throws -> any MLFeatureProvider

  /// Uses the entries of a batch.
  init(_ batch: any MLBatchProvider) {
    count = batch.count
    make = { batch.features(at: $0) }
  }

  private init(count: Int, make: @escaping (Int) throws -> any MLFeatureProvider) {
    self.count = count
    self.make = make
  }

  /// Returns examples that are transformed copies of these examples. An example is transformed only when the training
  /// reads it.
  func map(
    _ transform: @escaping (any MLFeatureProvider) throws -> any MLFeatureProvider
  ) -> TrainingExamples {
    TrainingExamples(count: count) { try transform(try make($0)) }
  }

  /// Calls `read` with an example and returns the result of `read`. The message of an error contains the example's
  /// index.
  func read<Result>(
    _ index: Int, _ read: (any MLFeatureProvider) throws -> Result
  ) throws -> Result {
    do {
      return try translatingErrors { try read(try make(index)) }
    } catch let error as MLModelError {
      throw MLModelError(error.code, "Training example \(index): \(error.message)", cause: error)
    }
  }

  /// Returns the value of a feature of an example.
  static func value(
    _ name: String, of example: any MLFeatureProvider
  ) throws -> MLFeatureValue {
    guard let value = example.featureValue(for: name), !value.isUndefined else {
      throw MLModelError(
        .featureType,
        "The training feature \"\(name)\" is required but the example does not have it; "
          + "\(example.featureSummary).")
    }
    return value
  }
}
