/// The scales at which a picture is painted, coarse to fine, and the number of steps at each.
struct PaintingSchedule: Equatable {
  /// A scale.
  struct Scale: Equatable {
    /// The longer side of the picture in pixels.
    let side: Int
    /// The number of steps.
    let steps: Int
  }

  /// The scales, coarse to fine. The last one has the side of the finished painting.
  private(set) var scales: [Scale]
  /// The number of steps after those of the last scale.
  private(set) var finalSteps: Int = 0

  /// Creates a schedule.
  ///
  /// - Parameters:
  ///   - side: The longer side of the finished painting.
  ///   - least: The minimum longer side of all scales but the last.
  ///   - factor: The ratio of the sides of two successive scales.
  ///   - iterations: The total number of steps, divided in the ratio of `steps` and `finalSteps`. Nil for their sum.
  ///   - finalSteps: The number of steps after those of the last scale.
  ///   - steps: Returns the number of steps at a scale, from the longer side.
  init(
    side: Int, least: Int, factor: Double, iterations: Int?, finalSteps: Int = 0,
    steps: (Int) -> Int
  ) {
    var sides: [Int] = [side]
    while let next = sides.first.map({ Int((Double($0) / factor).rounded()) }), next >= least {
      sides.insert(next, at: 0)
    }
    var counts: [Int] = sides.map(steps) + [finalSteps]
    if let iterations { counts = Self.divided(iterations, as: counts) }
    scales = zip(sides, counts).map { Scale(side: $0, steps: $1) }
    self.finalSteps = counts[counts.count - 1]
  }

  /// The total number of steps.
  var total: Int { scales.reduce(finalSteps) { $0 + $1.steps } }

  /// Returns the share of the work that is done after some steps, 0…1. Each step is weighted by its number of pixels.
  func share(after steps: Int) -> Double {
    let last: Int = scales.last?.side ?? 1
    let parts: [(side: Int, steps: Int)] =
      scales.map { ($0.side, $0.steps) } + [(last, finalSteps)]
    let whole: Double = parts.reduce(0) { $0 + Double($1.side * $1.side * $1.steps) }
    var (left, sum): (Int, Double) = (steps, 0)
    for part in parts {
      let taken: Int = min(left, part.steps)
      sum += Double(part.side * part.side * taken)
      left -= taken
    }
    return whole > 0 ? sum / whole : 1
  }

  /// Divides a number in a ratio. The parts are integers whose sum is the number.
  private static func divided(_ number: Int, as ratio: [Int]) -> [Int] {
    let sum: Int = max(1, ratio.reduce(0, +))
    var (seen, given): (Int, Int) = (0, 0)
    return ratio.map { part in
      seen += part
      let until: Int = Int((Double(number) * Double(seen) / Double(sum)).rounded())
      defer { given = until }
      return until - given
    }
  }
}
