/// The optimiser L-BFGS, a quasi-Newton method with limited memory. It computes the direction of a step from the
/// previous steps, and from the changes of the gradient along them. A line search finds a length of the step that
/// fulfils the strong Wolfe conditions.
///
/// The same objective and start give the same steps, because all sums have a fixed order. Points and gradients are
/// `Float`, sums are `Double`.
///
/// **Source:** Nocedal and Wright, “Numerical Optimization”, 2nd edition (2006), algorithms 7.4
/// (two-loop recursion), 7.5, 3.5 and 3.6.
public struct LBFGS: Minimizer {
  public private(set) var point: [Float]
  public private(set) var value: Double
  public private(set) var evaluations: Int
  private var gradient: [Float]
  private var history: [Correction] = []
  private let memory: Int
  private let firstLength: Double?

  /// A step `s` and the change `y` of the gradient along it.
  private struct Correction {
    let step: [Float]
    let change: [Float]
    /// `1 / (y · s)`
    let curvature: Double
  }

  /// Evaluates the objective at the start point.
  ///
  /// - Parameters:
  ///   - memory: The number of steps to store. Each takes as much memory as two points.
  ///   - firstLength: The length of the first step that is tried, in the units of the point. Nil for at most 1.
  public init(
    _ objective: any Objective, from point: [Float], memory: Int = 12, firstLength: Double? = nil
  ) throws {
    precondition(memory > 0 && !point.isEmpty)
    self.point = point
    self.memory = memory
    self.firstLength = firstLength
    gradient = [Float](repeating: 0, count: point.count)
    value = try objective.evaluate(at: point, gradient: &gradient)
    evaluations = 1
    try requireFinite(value)
  }

  public mutating func step(_ objective: any Objective) throws -> Bool {
    var direction: [Float] = descent()
    var slope: Double = Vectors.dot(gradient, direction)
    if slope >= 0 {
      // Rounding errors made the direction an ascent. Continue with the negative gradient.
      history.removeAll()
      direction = gradient
      Vectors.scale(&direction, by: -1)
      slope = Vectors.dot(gradient, direction)
    }
    guard slope < 0 else { return false }
    let first: Double
    if history.isEmpty {
      let length: Double = Vectors.dot(direction, direction).squareRoot()
      first = firstLength.map { $0 / length } ?? min(1, 1 / length)
    } else {
      first = 1
    }
    var search = LineSearch(
      origin: point, direction: direction, value: value, slope: slope, gradient: gradient)
    let found: LineSearch.Trial? = try search.run(objective, from: first)
    evaluations += search.evaluations
    guard let found else {
      guard !history.isEmpty else { return false }
      // The function may still decrease along the gradient.
      history.removeAll()
      return try step(objective)
    }
    remember(found, direction)
    point = found.point
    value = found.value
    gradient = found.gradient
    return true
  }

  private mutating func remember(_ trial: LineSearch.Trial, _ direction: [Float]) {
    let step: [Float] = Vectors.difference(trial.point, point)
    let change: [Float] = Vectors.difference(trial.gradient, gradient)
    let product: Double = Vectors.dot(step, change)
    // Skip a step without positive curvature, which would make the estimate of the Hessian indefinite.
    guard product > 1e-10 * Vectors.dot(change, change), product.isFinite else { return }
    if history.count == memory { history.removeFirst() }
    history.append(Correction(step: step, change: change, curvature: 1 / product))
  }

  /// Returns the direction: the estimate of the inverse Hessian times the negative gradient.
  private func descent() -> [Float] {
    var direction: [Float] = gradient
    Vectors.scale(&direction, by: -1)
    guard let last = history.last else { return direction }
    var factors: [Double] = []
    for correction in history.reversed() {
      let factor: Double = correction.curvature * Vectors.dot(correction.step, direction)
      Vectors.add(-factor, correction.change, to: &direction)
      factors.append(factor)
    }
    let size: Double = Vectors.dot(last.change, last.change)
    Vectors.scale(&direction, by: 1 / (last.curvature * size))
    for (correction, factor) in zip(history, factors.reversed()) {
      let other: Double = correction.curvature * Vectors.dot(correction.change, direction)
      Vectors.add(factor - other, correction.step, to: &direction)
    }
    return direction
  }
}
