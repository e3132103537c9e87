import ModelFormat

/// Takes elements out of an array, by their indices.
public struct ArrayFeatureExtractor: Sendable {
  private let indices: [UInt64]

  /// Reads and checks a model.
  public init(_ message: Spec.ArrayFeatureExtractor) throws {
    guard !message.extractIndex.isEmpty else {
      throw ClassicalModelError.model(
        "The array feature extractor has no index. The model may be damaged.")
    }
    indices = message.extractIndex
  }

  /// Returns the elements at the model's indices.
  public func apply(_ values: [Double]) throws -> [Double] {
    try indices.map { index in
      guard index < values.count else {
        throw ClassicalModelError.input(
          "The array feature extractor takes element \(index), but its input has \(values.count) "
            + "elements, counted from 0.")
      }
      return values[Int(index)]
    }
  }
}
