/// The examples of a training, each of which is made when it is asked for.
struct TrainingExamples {
  /// How many there are.
  let count: Int
  private let make: (Int) throws -> any MLFeatureProvider

  /// The entries of a batch.
  init(_ batch: any MLBatchProvider) {
    count = batch.count
    make = { batch.features(at: $0) }
  }

  private init(count: Int, make: @escaping (Int) throws -> any MLFeatureProvider) {
    self.count = count
    self.make = make
  }

  /// The same examples, each turned into another.
  func map(
    _ transform: @escaping (any MLFeatureProvider) throws -> any MLFeatureProvider
  ) -> TrainingExamples {
    TrainingExamples(count: count) { try transform(try make($0)) }
  }

  /// What `read` makes of an example. Errors say which one it was.
  func read<Result>(
    _ index: Int, _ read: (any MLFeatureProvider) throws -> Result
  ) throws -> Result {
    do {
      return try translatingErrors { try read(try make(index)) }
    } catch let error as MLModelError {
      throw MLModelError(error.code, "Training example \(index): \(error.message)", cause: error)
    }
  }

  /// The value of a feature of an example.
  static func value(
    _ name: String, of example: any MLFeatureProvider
  ) throws -> MLFeatureValue {
    guard let value = example.featureValue(for: name), !value.isUndefined else {
      throw MLModelError(
        .featureType,
        "The training feature \"\(name)\" is required but the example does not have it; "
          + "\(example.wordsOnItsFeatures).")
    }
    return value
  }
}
