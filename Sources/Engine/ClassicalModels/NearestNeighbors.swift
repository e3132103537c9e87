import ModelFormat

/// Classifies by the nearest of known examples.
///
/// The neighbours are the same with either index, a list or a kd-tree.
public struct NearestNeighbors: Sendable {
  /// The labels of the examples, each once.
  public enum Labels: Sendable, Equatable {
    case strings([String])
    case integers([Int64])

    /// The number of different labels.
    public var count: Int {
      switch self {
      case .strings(let labels): labels.count
      case .integers(let labels): labels.count
      }
    }
  }

  /// The different labels in the order in which the examples have them first. A model without
  /// examples has its default label, which is the last one where no example has it.
  public let labels: Labels
  /// The number of values of an example.
  public let inputCount: Int

  private let points: ExamplePoints
  private let tree: KDTree?
  private let labelOfSample: [Int]
  private let defaultLabel: Int?
  private let neighborCount: Int
  private let weighsDistance: Bool

  /// Reads and checks a model.
  ///
  /// - Parameter numberOfNeighbors: In place of the model's own number.
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

  /// The position of the predicted label, and each label's share of the neighbours.
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
    if let place = values.firstIndex(where: \.isNaN) {
      throw ClassicalModelError.input(
        "Value \(place) of the nearest-neighbours classifier's input is NaN, which no example is near "
          + "to; replace missing values before.")
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
