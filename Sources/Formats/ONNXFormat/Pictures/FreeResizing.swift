import Graph
import Operators

/// One axis resized while the network runs, where its extent or its new one is not known before.
///
/// What ``ResizingRule`` computes in numbers is computed here by operators: the place of each element of the output,
/// the elements of the input around it, and their shares.
struct FreeResizing {
  private let node: ONNXNode
  private let rule: ResizingRule
  private let axis: Int
  private let rank: Int
  /// The extent, and the new one: `float32` of rank 0.
  private let extent: Graph.ValueID
  private let count: Graph.ValueID
  /// The factor of rank 0.
  private let scale: Graph.ValueID
  /// The factor where it is known.
  private let knownScale: Double?

  /// An axis of a value.
  ///
  /// - Parameters:
  ///   - scale: The factor; nil where the new extent is given.
  ///   - count: The new extent as a whole number of rank 0; nil where the factor is given.
  init(
    _ node: ONNXNode, _ rule: ResizingRule, axis: Int, rank: Int, of value: Graph.ValueID,
    scale: Double?, count: Graph.ValueID?
  ) throws {
    guard rule.region == nil else {
      throw node.unsupported(
        "it crops, and the extents are not known before the network runs; state the input's shape.")
    }
    guard !rule.isAntialiased || scale != nil else {
      throw node.unsupported(
        "its factors are not known before the network runs, and 'antialias' is set; state the input's shape."
      )
    }
    (self.node, self.rule, self.axis, self.rank) = (node, rule, axis, rank)
    extent = try node.add(
      CastOperator(to: .float32), node.reshaped(node.extent(of: value, axis: axis), to: []))
    knownScale = scale
    if let scale {
      self.scale = node.constant(scale)
      self.count = try node.map(.floor, node.join(.multiply, extent, self.scale))
    } else {
      self.count = try node.add(
        CastOperator(to: .float32), node.reshaped(count ?? node.constant([1]), to: []))
      self.scale = try node.join(.divide, self.count, extent)
    }
  }

  /// The most elements that are mixed for one: each is a part of the graph.
  private static let mostSteps = 1024

  /// The value with the axis resized.
  func apply(to value: Graph.ValueID) throws -> Graph.ValueID {
    let points: Graph.ValueID = try points()
    guard !rule.isNearest else {
      return try element(at: try nearest(points), of: value)
    }
    let reach: Double =
      (rule.kind == "cubic" ? 2 : 1) / (rule.isAntialiased ? min(knownScale ?? 1, 1) : 1)
    let first = try node.scaled(
      node.map(.floor, node.scaled(points, by: 1, plus: -Float(reach))), by: 1, plus: 1)
    var (sum, total): (Graph.ValueID?, Graph.ValueID?)
    let steps = Int(bounding: (2 * reach).rounded(.up))
    guard steps <= Self.mostSteps else {
      throw node.unsupported(
        "a factor of \(knownScale ?? 1) mixes \(steps) elements for each, expected at most \(Self.mostSteps)."
      )
    }
    for step in 0..<steps {
      let place = try node.scaled(first, by: 1, plus: Float(step))
      let share = try share(of: place, at: points)
      let part = try node.join(
        .multiply, element(at: place, of: value), alongAxis(share))
      sum = try sum.map { try node.join(.add, $0, part) } ?? part
      total = try total.map { try node.join(.add, $0, share) } ?? share
    }
    guard let sum, let total else { return value }
    return try node.join(.divide, sum, alongAxis(total))
  }

  /// Where each element of the output is read.
  private func points() throws -> Graph.ValueID {
    let places = try node.add(RangeDynamicOperator(start: 0, step: 1), count)
    if node.builder.extents(of: places) == nil {
      node.builder.state([Extent(from: 0)], .float32, of: places)
    }
    func centres(less shift: Float) throws -> Graph.ValueID {
      try node.scaled(
        node.join(.divide, node.scaled(places, by: 1, plus: 0.5), scale), by: 1, plus: -shift)
    }
    func lessOne(_ number: Graph.ValueID) throws -> Graph.ValueID {
      try node.scaled(number, by: 1, plus: -1)
    }
    switch rule.coordinates {
    case "asymmetric": return try node.join(.divide, places, scale)
    case "align_corners":
      let last = try node.join(.maximum, lessOne(count), number: 1)
      return try node.join(.divide, node.join(.multiply, places, lessOne(extent)), last)
    case "pytorch_half_pixel":
      // What becomes one element is the first one.
      let isWide = try node.join(.isGreater, count, number: 1)
      return try node.join(.multiply, centres(less: 0.5), isWide)
    case "half_pixel_symmetric":
      // The part that whole extents leave out of the scaled one is left out on both sides.
      let left = try node.join(
        .subtract, node.constant(1), node.join(.divide, count, node.join(.multiply, scale, extent)))
      let offset = try node.join(.multiply, node.scaled(extent, by: 0.5), left)
      return try node.join(.add, centres(less: 0.5), offset)
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

  /// The elements at whole places, those at the ends in place of what is beyond them.
  private func element(at places: Graph.ValueID, of value: Graph.ValueID) throws -> Graph.ValueID {
    let last = try node.scaled(extent, by: 1, plus: -1)
    let kept = try node.join(.minimum, node.join(.maximum, places, number: 0), last)
    let indices = try node.add(CastOperator(to: .int32), kept)
    return try node.add(GatherOperator(axis: axis), value, indices)
  }

  /// A number for each element of the axis, so that it broadcasts.
  private func alongAxis(_ numbers: Graph.ValueID) throws -> Graph.ValueID {
    let after: Int = rank - 1 - axis
    return after == 0 ? numbers : try node.stretched(numbers, Array(1...after))
  }

  /// The share of the elements at whole places for points near them.
  private func share(of places: Graph.ValueID, at points: Graph.ValueID) throws -> Graph.ValueID {
    let factor = Float(rule.isAntialiased ? min(knownScale ?? 1, 1) : 1)
    let distance = try node.scaled(
      node.map(.magnitude, node.join(.subtract, places, points)), by: factor)
    var share: Graph.ValueID
    if rule.kind == "cubic" {
      let (d, a) = (Formula.operand(0), Formula.number(Float(rule.cubic)))
      let near: Formula = ((a + 2) * d - (a + 3)) * d * d + 1
      let far: Formula = ((a * d - 5 * a) * d + 8 * a) * d - 4 * a
      // 1 up to a distance and 0 beyond it.
      func isWithin(_ bound: Float) -> Formula { .operation(.isAtMost, d, .number(bound)) }
      let formula: Formula = isWithin(1) * near + (isWithin(2) - isWithin(1)) * far
      share = try node.add(FormulaOperator(formula, inputCount: 1), distance)
    } else {
      share = try node.join(.maximum, node.scaled(distance, by: -1, plus: 1), number: 0)
    }
    guard rule.excludesOutside else { return share }
    let isInside = try node.join(
      .multiply, node.join(.isAtLeast, places, number: 0), node.join(.isLess, places, extent))
    share = try node.join(.multiply, share, isInside)
    return share
  }
}
