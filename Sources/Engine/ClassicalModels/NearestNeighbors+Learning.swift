import ModelFormat

extension NearestNeighbors {
  /// The label of an example to learn.
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

  /// An example to learn: its values and its label.
  public struct Example: Sendable {
    let values: [Float]
    let label: Label

    /// An example.
    public init(values: [Float], label: Label) {
      self.values = values
      self.label = label
    }
  }
}

extension Spec.KNearestNeighborsClassifier {
  /// Appends examples with their labels: all that a nearest-neighbours classifier has to learn.
  ///
  /// - Throws: `ClassicalModelError`, before anything changes, for an example of another dimension or
  ///   with a value that is no number, and for labels of another kind than the model's.
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
    // Emptied first, so that the list of examples is held once and grows in place.
    nearestNeighborsIndex = nil
    index.floatSamples += examples.map { example in
      var vector = Spec.FloatVector()
      vector.vector = FloatValues(example.values)
      return vector
    }
    nearestNeighborsIndex = index
  }

  /// The class labels with those of further examples.
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

  /// The labels of a model that has strings; nil for one that has whole numbers.
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
