import ModelFormat

extension NearestNeighbors {
  /// The label of a training example.
  public enum Label: Sendable, Equatable {
    case string(String)
    case integer(Int64)

    var sentenceName: String {
      switch self {
      case .string: "a string"
      case .integer: "an int64"
      }
    }
  }

  /// A training example: its values and its label.
  public struct Example: Sendable {
    let values: [Float]
    let label: Label

    /// Creates an example.
    public init(values: [Float], label: Label) {
      self.values = values
      self.label = label
    }
  }
}

extension Spec.KNearestNeighborsClassifier {
  /// Appends examples with their labels. A nearest-neighbours classifier learns by storing its examples.
  ///
  /// - Throws: `ClassicalModelError` if the dimension of an example or the type of a label differs from the model's, or
  ///   if a value of an example is not finite. If the method throws, the model is unchanged.
  public mutating func learn(_ examples: [NearestNeighbors.Example]) throws {
    guard var index = nearestNeighborsIndex, index.numberOfDimensions > 0 else {
      throw ClassicalModelError.model(
        "The nearest-neighbours classifier has examples without dimensions. The model may be "
          + "damaged.")
    }
    for (number, example) in examples.enumerated() {
      guard example.values.count == Int(index.numberOfDimensions) else {
        throw ClassicalModelError.input(
          "Training example \(number) has \(example.values.count) values, but the nearest-neighbours "
            + "classifier has examples of \(index.numberOfDimensions).")
      }
      guard example.values.allSatisfy(\.isFinite) else {
        throw ClassicalModelError.input(
          "Training example \(number) has a value that is not a finite number, from which no "
            + "distance can be computed.")
      }
    }
    classLabels = try labels(with: examples.map(\.label))
    // The property is emptied first. Then `index` is the only reference to the list, so the list is extended in place.
    nearestNeighborsIndex = nil
    index.floatSamples += examples.map { example in
      var vector = Spec.FloatVector()
      vector.vector = FloatValues(example.values)
      return vector
    }
    nearestNeighborsIndex = index
  }

  /// Returns the model's class labels, followed by the labels of more examples.
  private func labels(with more: [NearestNeighbors.Label]) throws -> OneOfClassLabels {
    if var known = try stringLabels() {
      for (number, label) in more.enumerated() {
        guard case .string(let text) = label else { throw wrongKind(label, number, "strings") }
        known.vector.append(text)
      }
      return .stringClassLabels(known)
    }
    var known = Spec.Int64Vector()
    if case .int64ClassLabels(let labels)? = classLabels { known = labels }
    for (number, label) in more.enumerated() {
      guard case .integer(let value) = label else { throw wrongKind(label, number, "int64s") }
      known.vector.append(value)
    }
    return .int64ClassLabels(known)
  }

  /// Returns the labels of a model with strings; nil for a model with integers.
  private func stringLabels() throws -> Spec.StringVector? {
    switch (classLabels, defaultClassLabel) {
    case (.stringClassLabels(let labels)?, _): return labels
    case (nil, .defaultStringLabel?): return Spec.StringVector()
    case (.int64ClassLabels?, _), (nil, .defaultInt64Label?): return nil
    case (nil, nil):
      throw ClassicalModelError.model(
        "The nearest-neighbours classifier has no class labels. The model may be damaged.")
    }
  }

  private func wrongKind(
    _ label: NearestNeighbors.Label, _ number: Int, _ expected: String
  ) -> ClassicalModelError {
    .input(
      "The label of training example \(number) is \(label.sentenceName), but the nearest-neighbours "
        + "classifier has \(expected) for labels.")
  }
}
