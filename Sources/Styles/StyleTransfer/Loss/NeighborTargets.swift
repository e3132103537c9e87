import Engine
import Operators

/// Features of a painting in one layer. Each feature of a picture is compared with the nearest of them.
public struct NeighborTargets: Sendable, Equatable {
  /// The mean of all the painting's features, one value per channel.
  let mean: [Float]
  /// Features after the mean was subtracted: columns of length 1, `[C, count]`.
  let candidates: FloatTensor

  /// The maximum number of candidates of the neighbour loss, which are evenly spaced over the painting.
  static let mostCandidates = 2048
  /// Added to the squares of lengths, because a feature may equal the mean.
  static let epsilon: Float = 1e-8

  /// Takes candidates from the features of a painting, `[1, C, H, W]`.
  init(features: FloatTensor) {
    let (channels, count) = (features.shape[1], features.shape[2] * features.shape[3])
    let columns = FeatureColumns(channels: [channels], count: count, values: features.values)
    let taken: Int = min(Self.mostCandidates, count)
    self.init(
      taken < count ? columns.taking((0..<taken).map { $0 * count / taken }) : columns,
      mean: columns.means)
  }

  /// Takes all columns as candidates.
  ///
  /// - Parameter mean: The mean of the painting's features.
  init(_ columns: consuming FeatureColumns, mean: [Float]) {
    columns.subtract(mean)
    columns.normalize()
    self.mean = mean
    candidates = FloatTensor([columns.rows, columns.count], columns.values)
  }

  /// The number of candidates.
  var count: Int { candidates.shape[1] }

  /// Returns the candidates as a matrix of more columns. The columns are repeated in their order.
  func repeated(to count: Int) -> [Float] {
    let (channels, own) = (candidates.shape[0], self.count)
    guard own < count else { return candidates.values }
    return (0..<channels).flatMap { channel in
      (0..<count).map { candidates.values[channel * own + $0 % own] }
    }
  }
}

extension Graph {
  /// Adds the cosine between each feature and its nearest candidate, after the mean was subtracted from the feature.
  ///
  /// - Parameters:
  ///   - rows: The features, `[…, positions, C]`.
  ///   - mean: The mean of the painting's features, which has the shape `[…, 1, C]`.
  ///   - candidates: Columns of length 1, from which the mean was subtracted, `[…, C, count]`.
  /// - Returns: The cosines, `[…, positions, 1]`.
  mutating func addNearestCosines(
    of rows: ValueID, mean: ValueID, candidates: ValueID, name: String
  ) throws -> ValueID {
    let taken: ValueID = try apply(
      BinaryFunctionOperator(.subtract), to: [rows, mean], name: "\(name) taken")
    let squares: ValueID = try apply(
      ReduceAxesOperator(.sumOfSquares, axes: [-1], keepsAxes: true), to: [taken],
      name: "\(name) squares")
    let inverse: ValueID = try apply(
      UnaryOperator(.reciprocalSquareRoot(epsilon: NeighborTargets.epsilon)), to: [squares],
      name: "\(name) inverse length")
    let products: ValueID = try apply(
      BatchedMatMulOperator(), to: [taken, candidates], name: "\(name) products")
    let largest: ValueID = try apply(
      ReduceAxesOperator(.maximum, axes: [-1], keepsAxes: true), to: [products],
      name: "\(name) largest")
    return try apply(
      MultiplyOperator(inputCount: 2), to: [largest, inverse], name: "\(name) cosine")
  }

  /// Adds the neighbour loss of features `[N, C, H, W]`: the mean over the pictures and positions of
  /// `factor · isPainted · (1 − max cos (feature − μ, candidate))`.
  ///
  /// - Parameters:
  ///   - mean: `[N, 1, C]`, or 1 instead of N for all pictures.
  ///   - candidates: `[N, C, count]`, or 1 instead of N for all pictures.
  ///   - isPainted: 1 for each picture with the style of a painting, and 0 for the others, `[N, 1, 1]`. Nil for 1.
  mutating func addNeighborDistance(
    of features: ValueID, mean: ValueID, candidates: ValueID, isPainted: ValueID?, factor: Double,
    name: String
  ) throws -> ValueID {
    let shape: Shape = try knownShape(of: features)
    let positions: Int = shape[2] * shape[3]
    let moved: ValueID = try apply(
      TransposeOperator(axes: [0, 2, 3, 1]), to: [features], name: "\(name) moved")
    let rows: ValueID = try apply(
      ReshapeStaticOperator(targetShape: [shape[0], positions, shape[1]]), to: [moved],
      name: "\(name) rows")
    let cosines: ValueID = try addNearestCosines(
      of: rows, mean: mean, candidates: candidates, name: name)
    guard let isPainted else {
      return try addOneMinusMean(cosines, factor: factor, name: name)
    }
    let counted: ValueID = try apply(
      MultiplyOperator(inputCount: 2), to: [cosines, isPainted], name: "\(name) painted")
    let distances: ValueID = try apply(
      BinaryFunctionOperator(.subtract), to: [isPainted, counted], name: "\(name) distances")
    let sum: ValueID = try apply(
      ReduceAxesOperator(.sum, axes: [], keepsAxes: false), to: [distances], name: "\(name) sum")
    return try apply(
      MultiplyOperator(inputCount: 1, alpha: Float(factor / Double(shape[0] * positions))),
      to: [sum], name: name)
  }
}
