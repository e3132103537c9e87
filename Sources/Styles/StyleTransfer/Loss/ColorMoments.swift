import Engine
import Imaging
import Operators

/// The mean and the standard deviation of lightness and colour over a picture.
///
/// The three components are Y, Cb and Cr of sRGB samples of 0…1. This is a linear transform of gamma-encoded samples:
///
///     Y  = 0.299 R + 0.587 G + 0.114 B
///     Cb = (B − Y) / 1.772
///     Cr = (R − Y) / 1.402
///
/// **Source:** ITU-T T.871 (JFIF), without the offset of Cb and Cr.
public struct ColorMoments: Sendable, Hashable {
  /// The means of Y (0…1), Cb and Cr (−½…½).
  public var means: [Double]
  /// The standard deviations of Y, Cb and Cr.
  public var deviations: [Double]

  /// The rows Y, Cb and Cr of the matrix that is multiplied by red, green and blue.
  static let matrix: [[Double]] = {
    let luma: [Double] = [Luma.red, Luma.green, Luma.blue].map { Double($0) }
    return [
      luma, zip([0, 0, 1], luma).map { ($0 - $1) / 1.772 },
      zip([1, 0, 0], luma).map { ($0 - $1) / 1.402 },
    ]
  }()

  /// Added to variances in a graph, because the gradient of √x is infinite at 0.
  static let epsilon: Double = 1e-6

  /// Creates moments from their values.
  public init(means: [Double], deviations: [Double]) {
    precondition(means.count == 3 && deviations.count == 3, "three colour components")
    self.means = means
    self.deviations = deviations
  }

  /// Computes the statistics of a picture.
  public init(of picture: Picture) {
    self.init(planes: picture.planes)
  }

  /// Computes the statistics of planes `[3, height, width]` of 0…255.
  init(planes: [Float]) {
    let area: Int = planes.count / 3
    var (sums, squares) = ([0.0, 0, 0], [0.0, 0, 0])
    for pixel in 0..<area {
      for (index, row) in Self.matrix.enumerated() {
        let value: Double =
          (row[0] * Double(planes[pixel]) + row[1] * Double(planes[area + pixel]) + row[2]
            * Double(planes[2 * area + pixel])) / 255
        sums[index] += value
        squares[index] += value * value
      }
    }
    let means: [Double] = sums.map { $0 / Double(area) }
    self.init(
      means: means,
      deviations: zip(squares, means).map { square, mean in
        max(0, square / Double(area) - mean * mean).squareRoot()
      })
  }
}

extension Graph {
  /// Adds the colour loss of pictures `[N, 3, height, width]` of 0…255: the mean over the pictures of
  /// `factor · Σ ((μ − μ target)² + (σ − σ target)²)` over the three components.
  mutating func addColorDifference(
    of picture: ValueID, from target: ColorMoments, factor: Double, name: String
  ) throws -> ValueID {
    let targets: [ValueID] = [("mean", target.means), ("deviation", target.deviations)].map {
      part, wanted in
      addConstant(
        Constant([1, 3, 1, 1], wanted.map { Float($0) }), name: "\(name) \(part) target")
    }
    return try addColorDifference(
      of: picture, from: (targets[0], targets[1]), isPainted: nil, factor: factor, name: name)
  }

  /// Adds the colour loss of pictures whose targets are values of the graph, `[N, 3, 1, 1]`.
  ///
  /// - Parameter isPainted: A factor for each picture's moments, `[N, 1, 1, 1]`. The caller has multiplied the targets
  ///   by it already. Nil for 1.
  mutating func addColorDifference(
    of picture: ValueID, from target: (means: ValueID, deviations: ValueID), isPainted: ValueID?,
    factor: Double, name: String
  ) throws -> ValueID {
    let found: (means: ValueID, deviations: ValueID) = try addColorMoments(of: picture, name: name)
    let batch = Double(try knownShape(of: picture)[0])
    let terms: [ValueID] = try [
      ("mean", found.means, target.means), ("deviation", found.deviations, target.deviations),
    ].map { part, found, wanted in
      let counted: ValueID =
        try isPainted.map {
          try apply(
            MultiplyOperator(inputCount: 2), to: [found, $0], name: "\(name) \(part) painted")
        } ?? found
      return try addSquaredDifference(
        counted, wanted, factor: factor / batch, name: "\(name) \(part)")
    }
    return try addSum(terms, name: name)
  }

  /// Adds the means and deviations of the colours of pictures `[N, 3, height, width]` of 0…255, each `[N, 3, 1, 1]`.
  private mutating func addColorMoments(of picture: ValueID, name: String) throws -> (
    means: ValueID, deviations: ValueID
  ) {
    let weights: ValueID = addConstant(
      Constant([3, 3, 1, 1], ColorMoments.matrix.joined().map { Float($0 / 255) }),
      name: "\(name)/weights")
    let components: ValueID = try apply(
      ConvolutionOperator(
        outputChannels: 3, kernelChannels: 3, kernel: ConvolutionOperator.Pair(1, 1)),
      to: [picture, weights], name: "\(name) components")
    let means: ValueID = try apply(
      ReduceAxesOperator(.mean, axes: [2, 3], keepsAxes: true), to: [components],
      name: "\(name) means")
    let centered: ValueID = try apply(
      BinaryFunctionOperator(.subtract), to: [components, means], name: "\(name) centered")
    let squares: ValueID = try apply(
      ReduceAxesOperator(.sumOfSquares, axes: [2, 3], keepsAxes: true), to: [centered],
      name: "\(name) squares")
    let shape: Shape = try knownShape(of: picture)
    let deviations: ValueID = try apply(
      UnaryOperator(
        .squareRoot, scale: 1 / Float(shape[2] * shape[3]), shift: Float(ColorMoments.epsilon)),
      to: [squares], name: "\(name) deviations")
    return (means, deviations)
  }
}
