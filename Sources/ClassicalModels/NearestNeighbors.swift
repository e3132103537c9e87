import ModelFormat

/// Classifies by the nearest of known examples.
///
/// Whatever index the model asks for, all examples are looked at: the neighbours are the same.
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

  private let samples: [Float]
  private let labelOfSample: [Int]
  private let defaultLabel: Int?
  private let neighborCount: Int
  private let weighsDistance: Bool

  /// Reads and checks a model.
  public init(_ message: Spec.KNearestNeighborsClassifier) throws {
    guard let index = message.nearestNeighborsIndex, index.numberOfDimensions > 0 else {
      throw ClassicalModelError.model(
        "The nearest-neighbours classifier has examples without dimensions. The model may be "
          + "damaged.")
    }
    inputCount = Int(index.numberOfDimensions)
    let wanted: Int64 = message.numberOfNeighbors?.defaultValue ?? 0
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
    self.samples = samples
    (labels, labelOfSample, defaultLabel) = try NearestNeighbors.readLabels(message)
    guard labelOfSample.count == index.floatSamples.count else {
      throw ClassicalModelError.model(
        "The nearest-neighbours classifier has \(index.floatSamples.count) examples, but "
          + "\(labelOfSample.count) labels; it needs one for each.")
    }
  }

  /// The different labels of a model; nil where it has none or a default one of another kind.
  public static func labels(of message: Spec.KNearestNeighborsClassifier) -> Labels? {
    (try? readLabels(message))?.0
  }

  private static func readLabels(
    _ message: Spec.KNearestNeighborsClassifier
  ) throws -> (Labels, [Int], Int?) {
    switch (message.classLabels, message.defaultClassLabel) {
    case (.stringClassLabels(let list)?, .defaultStringLabel(let other)?):
      let (unique, positions, known) = distinct(list.vector, other)
      return (.strings(unique), positions, known)
    case (.stringClassLabels(let list)?, nil):
      let (unique, positions, _) = distinct(list.vector, nil)
      return (.strings(unique), positions, nil)
    case (.int64ClassLabels(let list)?, .defaultInt64Label(let other)?):
      let (unique, positions, known) = distinct(list.vector, other)
      return (.integers(unique), positions, known)
    case (.int64ClassLabels(let list)?, nil):
      let (unique, positions, _) = distinct(list.vector, nil)
      return (.integers(unique), positions, nil)
    case (nil, .defaultStringLabel(let other)?):
      return (.strings([other]), [], 0)
    case (nil, .defaultInt64Label(let other)?):
      return (.integers([other]), [], 0)
    case (nil, nil):
      throw ClassicalModelError.model(
        "The nearest-neighbours classifier has no class labels. The model may be damaged.")
    case (_?, _?):
      throw ClassicalModelError.model(
        "The nearest-neighbours classifier's default label is not of the kind of its class labels.")
    }
  }

  /// The different labels, the position of each in that list, and the default label's.
  private static func distinct<Label: Hashable>(
    _ labels: [Label], _ other: Label?
  ) -> ([Label], [Int], Int?) {
    var unique: [Label] = []
    var known: [Label: Int] = [:]
    let positions: [Int] = labels.map { label in
      if let position = known[label] { return position }
      known[label] = unique.count
      unique.append(label)
      return unique.count - 1
    }
    guard let other, labels.isEmpty else { return (unique, positions, other.flatMap { known[$0] }) }
    return ([other], [], 0)
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
    let nearest: [(distance: Double, sample: Int)] = neighbors(of: values)
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
      shares[labelOfSample[neighbor.sample]] += weight
    }
    var best: Int = labelOfSample[nearest[0].sample]
    for neighbor in nearest {
      let label: Int = labelOfSample[neighbor.sample]
      if shares[label] > shares[best] { best = label }
    }
    return (best, normalized(shares))
  }

  /// The nearest examples with their squared distances, nearest first, earlier ones first.
  private func neighbors(of values: [Double]) -> [(distance: Double, sample: Int)] {
    var all: [(distance: Double, sample: Int)] = []
    all.reserveCapacity(labelOfSample.count)
    samples.withUnsafeBufferPointer { samples in
      values.withUnsafeBufferPointer { values in
        for sample in labelOfSample.indices {
          var sum: Double = 0
          let start: Int = sample * inputCount
          for index in 0..<inputCount {
            let difference: Double = values[index] - Double(samples[start + index])
            sum += difference * difference
          }
          all.append((sum.isNaN ? .infinity : sum, sample))
        }
      }
    }
    all.sort { left, right in
      left.distance == right.distance ? left.sample < right.sample : left.distance < right.distance
    }
    return Array(all.prefix(neighborCount))
  }
}
