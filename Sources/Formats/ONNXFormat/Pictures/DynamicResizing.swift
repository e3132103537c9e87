import Graph
import Operators

/// Resizes one axis whose old or new extent is known only at run time.
///
/// ``ResizingRule`` computes positions and weights as numbers when the file is read. This type adds operators that
/// compute the same at run time. For each output element, these operators compute the element's position in the input.
/// They also select the input elements around that position, and compute their weights.
struct DynamicResizing {
  private let node: ONNXNode
  private let rule: ResizingRule
  private let axis: Int
  private let rank: Int
  /// The part of the axis to resize, as fractions of the axis's extent. Nil means the whole axis.
  private let region: (start: Double, end: Double)?
  /// The old extent (`extent`) and the new extent (`count`). Both are `float32` values of rank 0.
  private let extent: Graph.ValueID
  private let count: Graph.ValueID
  /// The factor by which the extent changes: about `count` / `extent`. A value of rank 0.
  private let scale: Graph.ValueID
  /// `scale` as a number, if the number is known when the file is read.
  private let knownScale: Double?

  /// The quantity that determines the new extent of an axis.
  enum Target {
    /// A factor that is known when the file is read.
    case factor(Double)
    /// A factor that the model computes at run time: one `float32`.
    case computedFactor(Graph.ValueID)
    /// A new extent: one `int32`.
    case count(Graph.ValueID)
    /// A new extent, and the unrounded factor from which the new extent follows.
    case roundedCount(Graph.ValueID, factor: Graph.ValueID)
  }

  /// Prepares the resizing of one axis of a value.
  init(
    _ node: ONNXNode, _ rule: ResizingRule, axis: Int, rank: Int, of value: Graph.ValueID,
    region: (start: Double, end: Double)?, to target: Target
  ) throws {
    (self.node, self.rule, self.axis, self.rank) = (node, rule, axis, rank)
    self.region = region
    func scalar(_ number: Graph.ValueID) throws -> Graph.ValueID {
      try node.add(CastOperator(to: .float32), node.reshaped(number, to: []))
    }
    let extent: Graph.ValueID = try scalar(node.extent(of: value, axis: axis))
    self.extent = extent
    var known: Double?
    switch target {
    case .factor(let factor):
      known = factor
      let scale = node.constant(factor)
      self.scale = scale
      count = try node.map(.floor, node.join(.multiply, extent, scale))
    case .computedFactor(let factor):
      let scale = try node.reshaped(factor, to: [])
      self.scale = scale
      count = try node.map(.floor, node.join(.multiply, extent, scale))
    case .count(let number):
      let count = try scalar(number)
      self.count = count
      scale = try node.join(.divide, count, extent)
    case .roundedCount(let number, let factor):
      count = try scalar(number)
      scale = try node.reshaped(factor, to: [])
    }
    knownScale = known
  }

  /// The largest number of input elements that contribute to one output element. Each of these input elements adds
  /// nodes to the graph.
  private static let mostSteps = 1024

  /// Returns the value with the axis resized. If only a region of the axis is resized, also returns marks along the
  /// axis. A mark is 1 if the input position of the output element is inside the axis, else 0.
  func apply(to value: Graph.ValueID) throws -> (value: Graph.ValueID, inside: Graph.ValueID?) {
    let points: Graph.ValueID = try points()
    guard region != nil else { return (try resized(value, points), nil) }
    let last = try node.scaled(extent, by: 1, plus: -1)
    let isInside = try node.join(
      .multiply, node.join(.isAtLeast, points, number: 0), node.join(.isAtMost, points, last))
    return (try resized(value, points), try alongAxis(isInside))
  }

  private func resized(_ value: Graph.ValueID, _ points: Graph.ValueID) throws -> Graph.ValueID {
    guard !rule.isNearest else {
      return try element(at: try nearest(points), of: value)
    }
    guard !rule.isAntialiased || knownScale != nil else { return try mixed(value, points) }
    let reach: Double =
      (rule.kind == "cubic" ? 2 : 1) / (rule.isAntialiased ? min(knownScale ?? 1, 1) : 1)
    let first = try node.scaled(
      node.map(.floor, node.scaled(points, by: 1, plus: -Float(reach))), by: 1, plus: 1)
    var (sum, total): (Graph.ValueID?, Graph.ValueID?)
    let steps = Int(bounding: (2 * reach).rounded(.up))
    guard steps <= Self.mostSteps else {
      throw node.unsupported(
        "a factor of \(knownScale ?? 1) mixes \(steps) input elements per output element, expected at most \(Self.mostSteps)."
      )
    }
    for step in 0..<steps {
      let position = try node.scaled(first, by: 1, plus: Float(step))
      let weight = try weight(of: position, at: points)
      let part = try node.join(
        .multiply, element(at: position, of: value), alongAxis(weight))
      sum = try sum.map { try node.join(.add, $0, part) } ?? part
      total = try total.map { try node.join(.add, $0, weight) } ?? weight
    }
    guard let sum, let total else { return value }
    return try node.join(.divide, sum, alongAxis(total))
  }

  /// Resizes by a multiplication with a matrix of weights. An antialiased axis with a computed factor needs this
  /// method, because the number of input elements per output element is known only at run time. The matrix has one row
  /// per output element. It has one column per input element. The elements at both ends are repeated, and each
  /// repetition has a column, too. Rows near the ends read these repetitions.
  private func mixed(_ value: Graph.ValueID, _ points: Graph.ValueID) throws -> Graph.ValueID {
    // No row reads further outside the axis than `margin`. The factor 1.25 allows for `half_pixel_symmetric`, which
    // moves points by at most a quarter of `reach`.
    let reach = try node.join(
      .divide, node.constant(rule.kind == "cubic" ? 2.0 : 1.0), reduction())
    let margin = try node.map(.ceiling, node.scaled(reach, by: 1.25, plus: 2))
    let positions = try node.add(
      RangeDynamicOperator(start: 0, step: 1), node.join(.add, extent, margin),
      node.scaled(margin, by: -1))
    if node.builder.extents(of: positions) == nil {
      node.builder.state([Extent(from: 0)], .float32, of: positions)
    }
    let weights = try weight(of: positions, at: node.stretched(points, [1]))
    let sums = try node.reduced(weights, .sum, [1], keepsAxes: true, rank: 2)
    let matrix = try node.join(.divide, weights, sums)
    var order: [Int] = (0..<rank).filter { $0 != axis } + [axis]
    let rows = try node.transposed(element(at: positions, of: value), order)
    let product = try node.add(BatchedMatMulOperator(transposesRight: true), rows, matrix)
    if rank == 1 { return try node.reshaped(product, to: [-1]) }
    order = (0..<rank).map { $0 < axis ? $0 : $0 == axis ? rank - 1 : $0 - 1 }
    return try node.transposed(product, order)
  }

  /// Returns `scale`, clamped to the range from 1 / `extent` to 1. A factor of 1 / `extent` leaves one element.
  /// Antialiasing divides the radius of the kernel by the clamped factor.
  private func reduction() throws -> Graph.ValueID {
    let least = try node.join(.divide, node.constant(1), extent)
    return try node.join(.minimum, node.join(.maximum, scale, least), number: 1)
  }

  /// Returns, for each output element, the position in the input that the element reads.
  private func points() throws -> Graph.ValueID {
    let positions = try node.add(RangeDynamicOperator(start: 0, step: 1), count)
    if node.builder.extents(of: positions) == nil {
      node.builder.state([Extent(from: 0)], .float32, of: positions)
    }
    func centres(less shift: Float) throws -> Graph.ValueID {
      try node.scaled(
        node.join(.divide, node.scaled(positions, by: 1, plus: 0.5), scale), by: 1, plus: -shift)
    }
    func lessOne(_ number: Graph.ValueID) throws -> Graph.ValueID {
      try node.scaled(number, by: 1, plus: -1)
    }
    switch rule.coordinates {
    case "asymmetric": return try node.join(.divide, positions, scale)
    case "align_corners":
      let last = try node.join(.maximum, lessOne(count), number: 1)
      return try node.join(.divide, node.join(.multiply, positions, lessOne(extent)), last)
    case "pytorch_half_pixel":
      // If there is only one output element, it reads the first input element.
      let isWide = try node.join(.isGreater, count, number: 1)
      return try node.join(.multiply, centres(less: 0.5), isWide)
    case "half_pixel_symmetric":
      // Rounding removed a fraction from the scaled extent. Half of this fraction is added at each end.
      let left = try node.join(
        .subtract, node.constant(1), node.join(.divide, count, node.join(.multiply, scale, extent)))
      let offset = try node.join(.multiply, node.scaled(extent, by: 0.5), left)
      return try node.join(.add, centres(less: 0.5), offset)
    case "tf_crop_and_resize":
      let (start, end): (Double, Double) = region ?? (0, 0)
      let last = try lessOne(extent)
      let steps = try node.join(.maximum, lessOne(count), number: 1)
      let moved = try node.join(
        .divide, node.join(.multiply, positions, node.scaled(last, by: Float(end - start))), steps)
      // If there is only one output element, it reads the middle of the region.
      let isSingle = try node.join(.isAtMost, count, number: 1)
      let middle = try node.join(
        .multiply, isSingle, node.scaled(last, by: Float((end - start) / 2)))
      let first = try node.join(.add, node.scaled(last, by: Float(start)), middle)
      return try node.join(.add, moved, first)
    case "tf_half_pixel_for_nn": return try centres(less: 0)
    default: return try centres(less: 0.5)
    }
  }

  private func nearest(_ points: Graph.ValueID) throws -> Graph.ValueID {
    switch rule.rounding {
    case "floor": return try node.map(.floor, points)
    case "ceil": return try node.map(.ceiling, points)
    case "round_prefer_ceil":
      return try node.map(.floor, node.scaled(points, by: 1, plus: 0.5))
    default: return try node.map(.ceiling, node.scaled(points, by: 1, plus: -0.5))
    }
  }

  /// Gathers the elements of a value at integer positions along the axis. Positions beyond an end read the element at
  /// that end.
  private func element(at positions: Graph.ValueID, of value: Graph.ValueID) throws -> Graph.ValueID
  {
    let last = try node.scaled(extent, by: 1, plus: -1)
    let clamped = try node.join(.minimum, node.join(.maximum, positions, number: 0), last)
    let indices = try node.add(CastOperator(to: .int32), clamped)
    return try node.add(GatherOperator(axis: axis), value, indices)
  }

  /// Reshapes a vector with one number per element of the axis. The result broadcasts with the value.
  private func alongAxis(_ numbers: Graph.ValueID) throws -> Graph.ValueID {
    let after: Int = rank - 1 - axis
    return after == 0 ? numbers : try node.stretched(numbers, Array(1...after))
  }

  /// Returns the weights of the input elements at integer positions. `points` are the input positions of the output
  /// elements.
  private func weight(of positions: Graph.ValueID, at points: Graph.ValueID) throws -> Graph.ValueID
  {
    var distance = try node.map(.magnitude, node.join(.subtract, positions, points))
    if rule.isAntialiased {
      if let knownScale {
        distance = try node.scaled(distance, by: Float(min(knownScale, 1)))
      } else {
        distance = try node.join(.multiply, distance, reduction())
      }
    }
    var weight: Graph.ValueID
    if rule.kind == "cubic" {
      let (d, a) = (Formula.operand(0), Formula.number(Float(rule.cubic)))
      let near: Formula = ((a + 2) * d - (a + 3)) * d * d + 1
      let far: Formula = ((a * d - 5 * a) * d + 8 * a) * d - 4 * a
      // Returns 1 if the distance is at most `bound`, else 0.
      func isWithin(_ bound: Float) -> Formula { .operation(.isAtMost, d, .number(bound)) }
      let formula: Formula = isWithin(1) * near + (isWithin(2) - isWithin(1)) * far
      weight = try node.add(FormulaOperator(formula, inputCount: 1), distance)
    } else {
      weight = try node.join(.maximum, node.scaled(distance, by: -1, plus: 1), number: 0)
    }
    guard rule.excludesOutside else { return weight }
    let isInside = try node.join(
      .multiply, node.join(.isAtLeast, positions, number: 0), node.join(.isLess, positions, extent))
    weight = try node.join(.multiply, weight, isInside)
    return weight
  }
}
