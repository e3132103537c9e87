import ModelFormat

/// A k-nearest-neighbours classifier.
///
/// The model file chooses how the examples are searched: as a list or in a k-d tree. The results are the same.
public struct NearestNeighbors: Sendable {
  /// The distinct labels of the examples.
  public enum Labels: Sendable, Equatable {
    case strings([String])
    case integers([Int64])

    /// The number of distinct labels.
    public var count: Int {
      switch self {
      case .strings(let labels): labels.count
      case .integers(let labels): labels.count
      }
    }
  }

  /// The distinct labels, in the order of their first example. If the model has no examples, the default label is the
  /// only label. If the model has examples, a default label that no example has is not in the list.
  public let labels: Labels
  /// The number of values per example.
  public let inputCount: Int

  private let points: ExamplePoints
  private let tree: KDTree?
  private let labelOfSample: [Int]
  private let defaultLabel: Int?
  private let neighborCount: Int
  /// Whether a neighbour counts by the inverse of its squared distance. Otherwise, all neighbours count equally.
  private let weighsDistance: Bool

  /// Reads and checks a model.
  ///
  /// - Parameter numberOfNeighbors: The number of neighbours to compare; nil for the model's number.
  public init(
    _ message: Spec.KNearestNeighborsClassifier, numberOfNeighbors: Int64? = nil
  ) throws {
    guard let index = message.nearestNeighborsIndex, index.numberOfDimensions > 0 else {
      throw ClassicalModelError.model(
        "The nearest-neighbours classifier has examples without dimensions. The model may be "
          + "damaged.")
    }
    inputCount = Int(index.numberOfDimensions)
    let wanted: Int64 = numberOfNeighbors ?? message.numberOfNeighbors?.defaultValue ?? 0
    guard wanted > 0 else {
      throw ClassicalModelError.model(
        "The nearest-neighbours classifier asks for \(wanted) neighbours; expected 1 or more.")
    }
    neighborCount = Int(min(wanted, Int64(index.floatSamples.count)))
    if case .inverseDistanceWeighting? = message.weightingScheme {
      weighsDistance = true
    } else {
      weighsDistance = false
    }
    var samples: [Float] = []
    for (number, sample) in index.floatSamples.enumerated() {
      guard sample.vector.count == inputCount else {
        throw ClassicalModelError.model(
          "Example \(number) of the nearest-neighbours classifier has \(sample.vector.count) "
            + "values; expected \(inputCount).")
      }
      samples += sample.vector.array()
    }
    points = ExamplePoints(dimension: inputCount, values: samples)
    if case .singleKdTreeIndex(let parameters)? = index.indexType {
      tree = KDTree(points, leafSize: Int(parameters.leafSize))
    } else {
      tree = nil
    }
    (labels, labelOfSample, defaultLabel) = try NearestNeighbors.readLabels(message)
    guard labelOfSample.count == index.floatSamples.count else {
      throw ClassicalModelError.model(
        "The nearest-neighbours classifier has \(index.floatSamples.count) examples, but "
          + "\(labelOfSample.count) labels; it needs one for each.")
    }
  }

  /// Returns the index of the predicted label, and the weight of each label among the neighbours. The weights add up to
  /// 1.
  public func predict(_ values: [Double]) throws -> (label: Int, shares: [Double]) {
    guard values.count == inputCount else {
      throw ClassicalModelError.input(
        "The nearest-neighbours classifier has examples of \(inputCount) values, but its input has "
          + "\(values.count).")
    }
    guard !labelOfSample.isEmpty else {
      guard let defaultLabel else {
        throw ClassicalModelError.model(
          "The nearest-neighbours classifier has no examples and no default label.")
      }
      return (defaultLabel, [1])
    }
    if let index = values.firstIndex(where: \.isNaN) {
      throw ClassicalModelError.input(
        "Value \(index) of the nearest-neighbours classifier's input is NaN, expected a number; replace "
          + "missing values first.")
    }
    let nearest: [Neighbor] =
      tree?.nearest(neighborCount, to: values) ?? points.nearest(neighborCount, to: values)
    let hasExact: Bool = nearest.first?.distance == 0
    var shares: [Double] = Array(repeating: 0, count: labels.count)
    for neighbor in nearest {
      let weight: Double
      if !weighsDistance {
        weight = 1
      } else if hasExact {
        weight = neighbor.distance == 0 ? 1 : 0
      } else {
        weight = 1 / neighbor.distance
      }
      shares[labelOfSample[neighbor.example]] += weight
    }
    var best: Int = labelOfSample[nearest[0].example]
    for neighbor in nearest {
      let label: Int = labelOfSample[neighbor.example]
      if shares[label] > shares[best] { best = label }
    }
    return (best, normalized(shares))
  }
}
