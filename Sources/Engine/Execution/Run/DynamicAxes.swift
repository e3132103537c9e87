/// Records which values of a graph have had several lengths. Segments that read such a value are planned for its length
/// rounded up to a power of two.
struct DynamicAxes: Sendable {
  /// The dynamic axis of each value, by the value's index. Nil for values of fixed shape.
  private(set) var axes: [Int?]

  init(valueCount: Int) { axes = [Int?](repeating: nil, count: valueCount) }

  /// Whether no value has a dynamic axis.
  var isNone: Bool { axes.allSatisfy { $0 == nil } }

  /// Learns from earlier plans of the same segment. If the segment was planned for two lengths of an axis, and the axis
  /// now has a third length, the axis is dynamic.
  mutating func learn(from planned: [PlannedSegment], _ forms: [TensorDescriptor?]) {
    var seen: [Int: (axis: Int, times: Int)] = [:]
    for segment in planned where segment.isExact {
      guard let resized = Self.resized(segment, forms) else { continue }
      for (value, axis) in resized {
        if let known = seen[value], known.axis != axis { return }
        seen[value] = (axis, (seen[value]?.times ?? 0) + 1)
      }
    }
    for (value, dynamicAxes) in seen where dynamicAxes.times >= 2 { axes[value] = dynamicAxes.axis }
  }

  /// Returns the values whose length along one axis differs from the planned length, each with this axis. Nil if
  /// anything else differs.
  private static func resized(_ segment: PlannedSegment, _ forms: [TensorDescriptor?])
    -> [(value: Int, axis: Int)]?
  {
    var result: [(Int, Int)] = []
    for input in segment.inputs {
      guard let form = forms[input.value] else { return nil }
      if form == input.form { continue }
      let (new, old) = (form.shape.dimensions, input.form.shape.dimensions)
      guard new.count == old.count,
        let axis = new.indices.first(where: { new[$0] != old[$0] }),
        form.isLike(input.form, butAlong: axis), form.canExtend(along: axis)
      else { return nil }
      result.append((input.value, axis))
    }
    return result
  }

  /// Records that an axis of a value is dynamic.
  mutating func note(_ value: Int, _ axis: Int) { axes[value] = axis }
}

/// Finds the axes that depend on a dynamic length. Infers types twice: once with the actual length, once with a larger
/// length. An axis whose length differs between the two inferences is dynamic. An axis that has the dynamic length only
/// by chance has the same length in both inferences, so it does not count as dynamic.
struct DynamicAxisInference {
  /// The types with the actual length.
  private(set) var exact: Graph
  /// The types with the length for which the segment is planned. While types are inferred, the graph has this length
  /// plus one, so that no actual length equals it.
  private(set) var large: Graph
  /// The dynamic axes of values, by the value's index.
  private(set) var axes: [Int: Int] = [:]
  /// The position after the last node that the segment can contain.
  private(set) var end: Int
  /// The actual length of the dynamic axes. Nil until a value with a dynamic axis is found.
  private(set) var extent: Int?
  private var bucket = 0
  private let dynamicAxes: DynamicAxes

  /// Infers the types of the node at position `start` and of the nodes after it.
  ///
  /// - Parameter typed: The graph with the types of all values that exist.
  init(_ typed: Graph, from start: Int, _ dynamicAxes: DynamicAxes, _ forms: [TensorDescriptor?]) {
    exact = typed
    large = typed
    end = start
    self.dynamicAxes = dynamicAxes
    while end < exact.nodes.count, take(exact.nodes[end], forms) { end += 1 }
    for (value, axis) in axes { large[Graph.ValueID(value)].type?.shape.dimensions[axis] = bucket }
  }

  /// Infers a node's types in both graphs. Returns false if the node must be planned for its exact shapes.
  private mutating func take(_ node: Graph.Node, _ forms: [TensorDescriptor?]) -> Bool {
    if node.writesRows { return false }
    for input in node.inputs where axes[input.index] == nil {
      guard let axis = dynamicAxes.axes[input.index], let form = forms[input.index],
        exact[input].constant == nil
      else { continue }
      guard start(input, form, axis) else { return false }
    }
    let isDynamic = node.inputs.contains { axes[$0.index] != nil }
    if isDynamic, !(node.operation is any ElementwiseOperator) { return false }
    for input in node.inputs where exact[input].type == nil {
      let known = exact[input].constant?.type
      exact[input].type = known
      large[input].type = known
    }
    // If shape inference rejects the larger length, the node is planned for the actual length.
    guard let isKnown = try? exact.infer(node), isKnown,
      let isKnownLarge = try? large.infer(node), isKnownLarge
    else { return false }
    for value in node.inputs + node.outputs where exact[value].type?.shape.count == 0 {
      return false
    }
    return !isDynamic || node.outputs.allSatisfy { follow($0, from: node) }
  }

  /// Marks an input's axis as dynamic, and gives the axis the larger length.
  private mutating func start(_ input: Graph.ValueID, _ form: TensorDescriptor, _ axis: Int) -> Bool
  {
    guard form.canExtend(along: axis), form.storage.isFloatingPoint,
      extent ?? form.shape[axis] == form.shape[axis],
      let larger = LengthBucket.holding(form.shape[axis])
    else { return false }
    (extent, bucket) = (form.shape[axis], larger)
    axes[input.index] = axis
    large[input].type?.shape.dimensions[axis] = larger + 1
    return true
  }

  /// Returns whether an output has the dynamic length on the inputs' dynamic axis. If so, records the output's axis.
  private mutating func follow(_ output: Graph.ValueID, from node: Graph.Node) -> Bool {
    guard let small = exact[output].type, let big = large[output].type, let extent,
      let source = node.inputs.first(where: { axes[$0.index] != nil }),
      let sourceAxis = axes[source.index], let rank = exact[source].type?.shape.rank
    else { return false }
    let axis = small.shape.rank - rank + sourceAxis
    guard small.element.isFloatingPoint, axis >= 0, small.shape.rank == big.shape.rank,
      small.shape[axis] == extent, big.shape[axis] == bucket + 1,
      TensorDescriptor(small.shape).canExtend(along: axis),
      TensorDescriptor(small.shape).isLike(TensorDescriptor(big.shape), butAlong: axis)
    else { return false }
    axes[output.index] = axis
    return true
  }
}
