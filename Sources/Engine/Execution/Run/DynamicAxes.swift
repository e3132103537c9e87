/// Which values of a graph have been seen in several lengths, and how far a segment goes that is planned
/// for the next power of two of such a length.
struct Growth: Sendable {
  /// The axis on which each value grows, by index.
  private(set) var axes: [Int?]

  init(valueCount: Int) { axes = [Int?](repeating: nil, count: valueCount) }

  /// Whether nothing grows.
  var isNone: Bool { axes.allSatisfy { $0 == nil } }

  /// Learns from plans that were made for one position before: what was planned twice and comes in a
  /// third length grows.
  mutating func learn(from planned: [PlannedSegment], _ forms: [TensorDescriptor?]) {
    var seen: [Int: (axis: Int, times: Int)] = [:]
    for segment in planned where segment.isExact {
      guard let grown = Self.grown(segment, forms) else { continue }
      for (value, axis) in grown {
        if let known = seen[value], known.axis != axis { return }
        seen[value] = (axis, (seen[value]?.times ?? 0) + 1)
      }
    }
    for (value, growth) in seen where growth.times >= 2 { axes[value] = growth.axis }
  }

  /// The values that have another length than was planned, and the axis; nil where anything else differs.
  private static func grown(_ segment: PlannedSegment, _ forms: [TensorDescriptor?])
    -> [(value: Int, axis: Int)]?
  {
    var result: [(Int, Int)] = []
    for input in segment.inputs {
      guard let form = forms[input.value] else { return nil }
      if form == input.form { continue }
      let (new, old) = (form.shape.dimensions, input.form.shape.dimensions)
      guard new.count == old.count,
        let axis = new.indices.first(where: { new[$0] != old[$0] }),
        form.isLike(input.form, butAlong: axis), form.grows(along: axis)
      else { return nil }
      result.append((input.value, axis))
    }
    return result
  }

  /// Notes that a value grows along an axis.
  mutating func note(_ value: Int, _ axis: Int) { axes[value] = axis }
}

/// A walk over neighbouring nodes with one length that grows, as it is and longer than any plan for it:
/// what has the length of both by chance does not grow.
struct GrowthWalk {
  /// The types with the length as it is.
  private(set) var exact: Graph
  /// The types with the length of the plan; during the walk, with one more.
  private(set) var large: Graph
  /// The axes of the values that grow, by index.
  private(set) var axes: [Int: Int] = [:]
  /// The position after the last node that can be planned so.
  private(set) var end: Int
  /// The length; nil while nothing that grows was met.
  private(set) var extent: Int?
  private var bucket = 0
  private let growth: Growth

  /// Walks from a position on.
  ///
  /// - Parameter typed: the graph with the types of all values that exist.
  init(_ typed: Graph, from start: Int, _ growth: Growth, _ forms: [TensorDescriptor?]) {
    exact = typed
    large = typed
    end = start
    self.growth = growth
    while end < exact.nodes.count, take(exact.nodes[end], forms) { end += 1 }
    for (value, axis) in axes { large[Graph.ValueID(value)].type?.shape.dimensions[axis] = bucket }
  }

  /// Takes a node in; false where it must be planned for its exact shapes.
  private mutating func take(_ node: Graph.Node, _ forms: [TensorDescriptor?]) -> Bool {
    if node.writesRows { return false }
    for input in node.inputs where axes[input.index] == nil {
      guard let axis = growth.axes[input.index], let form = forms[input.index],
        exact[input].constant == nil
      else { continue }
      guard start(input, form, axis) else { return false }
    }
    let grows = node.inputs.contains { axes[$0.index] != nil }
    if grows, !(node.operation is any ElementwiseOperator) { return false }
    for input in node.inputs where exact[input].type == nil {
      let known = exact[input].constant?.type
      exact[input].type = known
      large[input].type = known
    }
    // What does not fit the larger length is planned for the one that it has.
    guard let isKnown = try? exact.infer(node), isKnown,
      let isKnownLarge = try? large.infer(node), isKnownLarge
    else { return false }
    for value in node.inputs + node.outputs where exact[value].type?.shape.count == 0 {
      return false
    }
    return !grows || node.outputs.allSatisfy { follow($0, from: node) }
  }

  /// Enlarges an input that grows.
  private mutating func start(_ input: Graph.ValueID, _ form: TensorDescriptor, _ axis: Int) -> Bool
  {
    guard form.grows(along: axis), form.storage.isFloatingPoint,
      extent ?? form.shape[axis] == form.shape[axis],
      let larger = GrowthBucket.holding(form.shape[axis])
    else { return false }
    (extent, bucket) = (form.shape[axis], larger)
    axes[input.index] = axis
    large[input].type?.shape.dimensions[axis] = larger + 1
    return true
  }

  /// Whether an output has as many rows as the inputs that grow, and notes it.
  private mutating func follow(_ output: Graph.ValueID, from node: Graph.Node) -> Bool {
    guard let small = exact[output].type, let big = large[output].type, let extent,
      let source = node.inputs.first(where: { axes[$0.index] != nil }),
      let sourceAxis = axes[source.index], let rank = exact[source].type?.shape.rank
    else { return false }
    let axis = small.shape.rank - rank + sourceAxis
    guard small.element.isFloatingPoint, axis >= 0, small.shape.rank == big.shape.rank,
      small.shape[axis] == extent, big.shape[axis] == bucket + 1,
      TensorDescriptor(small.shape).grows(along: axis),
      TensorDescriptor(small.shape).isLike(TensorDescriptor(big.shape), butAlong: axis)
    else { return false }
    axes[output.index] = axis
    return true
  }
}

extension ElementType {
  /// Whether arithmetic on any bits ends without a trap.
  var isFloatingPoint: Bool {
    switch self {
    case .float16, .bfloat16, .float32, .float64: return true
    default: return false
    }
  }
}
