/// The optimiser Adam: gradient descent with exponential moving averages of the gradient and of its square.
///
/// **Source:** Kingma and Ba, “Adam: A Method for Stochastic Optimization”, arXiv:1412.6980,
/// algorithm 1.
public struct Adam: Minimizer {
  public private(set) var point: [Float]
  public private(set) var value: Double
  public private(set) var evaluations: Int
  /// The learning rate: approximately the longest step per coordinate.
  public var rate: Double
  private var gradient: [Float]
  private var mean: [Float]
  private var square: [Float]
  private var steps: Int = 0

  private static let meanDecay: Double = 0.9
  private static let squareDecay: Double = 0.999
  private static let epsilon: Float = 1e-8

  /// Evaluates the objective at the start point.
  public init(_ objective: any Objective, from point: [Float], rate: Double) throws {
    self.point = point
    self.rate = rate
    gradient = [Float](repeating: 0, count: point.count)
    mean = gradient
    square = gradient
    value = try objective.evaluate(at: point, gradient: &gradient)
    evaluations = 1
    try requireFinite(value)
  }

  public mutating func step(_ objective: any Objective) throws -> Bool {
    steps += 1
    let (first, second) = (Float(Self.meanDecay), Float(Self.squareDecay))
    let factor = Float(rate / (1 - power(Self.meanDecay, steps)))
    let correction = Float(1 / (1 - power(Self.squareDecay, steps)))
    for index in point.indices {
      let slope: Float = gradient[index]
      mean[index] = first * mean[index] + (1 - first) * slope
      square[index] = second * square[index] + (1 - second) * slope * slope
      let size: Float = (square[index] * correction).squareRoot() + Self.epsilon
      point[index] -= factor * mean[index] / size
    }
    value = try objective.evaluate(at: point, gradient: &gradient)
    evaluations += 1
    try requireFinite(value)
    return true
  }

  /// Clamps all coordinates of the point to a range.
  public mutating func clamp(to range: ClosedRange<Float>) {
    let (lower, upper) = (range.lowerBound, range.upperBound)
    for index in point.indices { point[index] = min(upper, max(lower, point[index])) }
  }

  /// Returns a number to an integer power, with the same result on every machine.
  private func power(_ base: Double, _ exponent: Int) -> Double {
    (0..<exponent).reduce(1) { (product: Double, _: Int) -> Double in product * base }
  }
}
