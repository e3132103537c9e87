/// A line search: finds a point along a direction that fulfils the strong Wolfe conditions, with cubic interpolation.
///
///     f(x + t·d) ≤ f(x) + 10⁻⁴ · t · slope        |slope at t| ≤ 0.9 · |slope|
///
/// **Source:** Nocedal and Wright, “Numerical Optimization”, 2nd edition (2006), algorithms 3.5 and 3.6, and equation
/// 3.59 for the interpolation.
struct LineSearch {
  /// A point on the line that was evaluated.
  struct Trial {
    let length: Double
    let point: [Float]
    let value: Double
    let slope: Double
    let gradient: [Float]
  }

  let direction: [Float]
  let start: Trial
  private(set) var evaluations: Int = 0

  private static let decrease: Double = 1e-4
  private static let flatness: Double = 0.9
  private static let longest: Double = 1e10
  private static let limit: Int = 20

  init(origin: [Float], direction: [Float], value: Double, slope: Double, gradient: [Float]) {
    self.direction = direction
    start = Trial(length: 0, point: origin, value: value, slope: slope, gradient: gradient)
  }

  /// Runs the search. Returns the point, or nil if the function does not decrease along the direction.
  mutating func run(_ objective: any Objective, from first: Double) throws -> Trial? {
    var previous: Trial = start
    var length: Double = first
    while evaluations < Self.limit {
      let trial: Trial = try evaluate(objective, length)
      // If the function is infinite or NaN at a point, the point is too far away.
      if !trial.value.isFinite {
        length = (previous.length + length) / 2
        continue
      }
      if !isLow(trial) || (evaluations > 1 && trial.value >= previous.value) {
        return try zoom(objective, low: previous, high: trial)
      }
      if abs(trial.slope) <= -Self.flatness * start.slope { return trial }
      if trial.slope >= 0 { return try zoom(objective, low: trial, high: previous) }
      let stretched: Double = interpolate(previous, trial, from: 1.1, to: 10)
      previous = trial
      length = min(stretched, Self.longest)
    }
    return previous.length > 0 ? previous : nil
  }

  private func isLow(_ trial: Trial) -> Bool {
    trial.value <= start.value + Self.decrease * trial.length * start.slope
  }

  /// Narrows an interval until it finds a point that fulfils the conditions. The interval must contain such a point.
  private mutating func zoom(_ objective: any Objective, low first: Trial, high second: Trial)
    throws
    -> Trial?
  {
    var (low, high) = (first, second)
    while evaluations < Self.limit {
      let width: Double = abs(high.length - low.length)
      guard width > 1e-12 * max(low.length, high.length) else { break }
      let trial: Trial = try evaluate(objective, between(low, high))
      if !trial.value.isFinite || !isLow(trial) || trial.value >= low.value {
        high = trial
      } else {
        if abs(trial.slope) <= -Self.flatness * start.slope { return trial }
        if trial.slope * (high.length - low.length) >= 0 { high = low }
        low = trial
      }
    }
    return low.length > 0 && low.value < start.value ? low : nil
  }

  private mutating func evaluate(_ objective: any Objective, _ length: Double) throws -> Trial {
    let point: [Float] = Vectors.sum(start.point, length, direction)
    var gradient = [Float](repeating: 0, count: point.count)
    let value: Double = try objective.evaluate(at: point, gradient: &gradient)
    evaluations += 1
    return Trial(
      length: length, point: point, value: value, slope: Vectors.dot(gradient, direction),
      gradient: gradient)
  }

  /// Returns the minimum of the cubic through both trials, clamped to stay a tenth of the interval away from the ends.
  private func between(_ low: Trial, _ high: Trial) -> Double {
    let middle: Double = (low.length + high.length) / 2
    guard high.value.isFinite, high.slope.isFinite,
      let least = Self.cubic(low, high)
    else { return middle }
    let (left, right) = (min(low.length, high.length), max(low.length, high.length))
    let margin: Double = 0.1 * (right - left)
    return least.isFinite ? min(right - margin, max(left + margin, least)) : middle
  }

  /// Returns the next length to try: the minimum of the cubic through both trials, clamped to `from`…`to` times the
  /// length of the last trial.
  private func interpolate(_ previous: Trial, _ trial: Trial, from: Double, to: Double) -> Double {
    let least: Double = Self.cubic(previous, trial) ?? .infinity
    guard least.isFinite, least > trial.length else { return trial.length * to }
    return min(trial.length * to, max(trial.length * from, least))
  }

  private static func cubic(_ one: Trial, _ two: Trial) -> Double? {
    let distance: Double = two.length - one.length
    let first: Double = one.slope + two.slope + 3 * (one.value - two.value) / distance
    let square: Double = first * first - one.slope * two.slope
    guard square >= 0, distance != 0 else { return nil }
    let second: Double = (distance > 0 ? 1 : -1) * square.squareRoot()
    let share: Double = (two.slope + second - first) / (two.slope - one.slope + 2 * second)
    return two.length - distance * share
  }
}
