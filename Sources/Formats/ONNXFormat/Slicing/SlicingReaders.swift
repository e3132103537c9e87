import Graph
import Operators

/// Slices of tensors.
enum SlicingReaders {
  static let all: [NodeReader] = [
    NodeReader("Slice", as: [SliceStaticOperator.self, SliceDynamicOperator.self], .exact) {
      [try $0.slice()]
    },
    NodeReader("ReverseSequence", as: [ReverseSeqOperator.self], .exact) { node in
      let (x, lengths) = (try node.tensor(0), try node.tensor(1))
      let reversing = ReverseSeqOperator(
        batchAxis: node.int("batch_axis", or: 1), sequenceAxis: node.int("time_axis", or: 0))
      return [ONNXTensor(try node.add(reversing, x.id, node.real(lengths)), x.element)]
    },
    NodeReader(
      "Trilu",
      as: [
        UpperTriangularOperator.self, LowerTriangularOperator.self, WhereBroadcastableOperator.self,
      ], .exact
    ) { node in
      let x: ONNXTensor = try node.tensor(0)
      if try node.optional(1) != nil, try node.ints(at: 1) == nil { return [try node.triangle(x)] }
      let diagonal: Int = try node.ints(at: 1)?.first ?? 0
      let operation: any Operator =
        node.flag("upper", or: true)
        ? UpperTriangularOperator(diagonal: diagonal) : LowerTriangularOperator(diagonal: diagonal)
      return [ONNXTensor(try node.add(operation, x.id), x.element)]
    },
  ]
}

extension ONNXNode {
  fileprivate func slice() throws -> ONNXTensor {
    let x: ONNXTensor = try tensor(0)
    let extents: [Int?] = try extents(x)
    let rank: Int = extents.count
    let isOld: Bool = version < 10
    let starts: [Int]? = isOld ? ints("starts") : try ints(at: 1)
    let ends: [Int]? = isOld ? ints("ends") : try ints(at: 2)
    let given: [Int]? = isOld ? ints("axes") : try ints(at: 3)
    let steps: [Int]? = isOld ? nil : try ints(at: 4)
    // Any of the four lists may be computed at run time. All four lists have the same length.
    let count: Int? =
      try starts?.count ?? ends?.count ?? given?.count ?? steps?.count ?? computedBoundCount
    guard let count, count <= rank else {
      throw invalid(
        "the number of bounds is \(count.map(String.init) ?? "not known"), expected at most \(rank)."
      )
    }
    let axes: [Int] = try given?.map { try axis($0, rank: rank) } ?? Array(0..<count)
    guard
      [starts?.count, ends?.count, axes.count, steps?.count].allSatisfy({ $0 ?? count == count }),
      Set(axes).count == count
    else { throw invalid("expected \(count) starts, ends, axes and steps each.") }
    if let axis = steps?.firstIndex(of: 0) { throw invalid("the step of axis \(axes[axis]) is 0.") }
    let hasComputedAxes: Bool = try !isOld && given == nil && optional(3) != nil
    let hasComputedSteps: Bool = try !isOld && steps == nil && optional(4) != nil
    if let starts, let ends, !hasComputedAxes, !hasComputedSteps {
      var slices = [AxisSlice](repeating: AxisSlice(), count: rank)
      for index in 0..<count {
        slices[axes[index]] = Self.slice(
          starts[index], ends[index], steps?[index] ?? 1, of: extents[axes[index]])
      }
      return ONNXTensor(try add(SliceStaticOperator(slices: slices), x.id), x.element)
    }
    guard !isOld else { throw invalid("'starts' or 'ends' is missing.") }
    if hasComputedAxes { return try slice(x, rank, alongComputedAxes: tensor(3)) }
    return try computedSlice(x, rank, axes, steps, hasComputedSteps: hasComputedSteps)
  }

  /// The length of the lists of starts, ends, axes and steps, if all these lists are computed at run time.
  private var computedBoundCount: Int? {
    get throws {
      for position in 1...4 {
        if let list = try optional(position), let count = try extents(list).first ?? nil {
          return count
        }
      }
      return nil
    }
  }

  /// Returns the slice of one axis by NumPy's rules. Bounds that exceed 32 bits are clamped, because no axis is that
  /// long. If the end lies beyond the axis in the direction of the step, the slice has no end.
  private static func slice(_ start: Int, _ end: Int, _ step: Int, of extent: Int?) -> AxisSlice {
    let far = Int(Int32.max)
    func clamped(_ number: Int) -> Int { min(max(number, -far), far) }
    let (stop, most) = (clamped(end), extent ?? far - 1)
    let isOpen: Bool = step < 0 ? stop < -most : stop >= most
    return AxisSlice(begin: clamped(start), end: isOpen ? nil : stop, stride: clamped(step))
  }

  /// Slices with bounds that are computed at run time. Axes that the node does not name keep all elements.
  private func computedSlice(
    _ x: ONNXTensor, _ rank: Int, _ axes: [Int], _ steps: [Int]?, hasComputedSteps: Bool
  ) throws -> ONNXTensor {
    func vector(_ position: Int, or standard: Int) throws -> Graph.ValueID {
      let bounds: Graph.ValueID = try integer(tensor(position))
      if axes == Array(0..<rank) { return bounds }
      let parts: [Graph.ValueID] = try (0..<rank).map { axis in
        guard let index = axes.firstIndex(of: axis) else { return constant([standard]) }
        return try sliced(bounds, axis: 0, rank: 1, from: index, to: index + 1)
      }
      return parts.count == 1 ? parts[0] : try add(ConcatNDOperator(axis: 0), parts)
    }
    var strides = [Int](repeating: 1, count: rank)
    for (axis, step) in zip(axes, steps ?? []) { strides[axis] = step }
    let open: [Bool] = (0..<rank).map { !axes.contains($0) }
    var bounds: [Graph.ValueID] = [try vector(1, or: 0), try vector(2, or: Int(Int32.max))]
    if hasComputedSteps { bounds.append(try vector(4, or: 1)) }
    let made = try add(
      SliceDynamicOperator(strides: strides, beginMasks: open, endMasks: open), [x.id] + bounds)
    if builder.extents(of: made) == nil {
      let known: [Int?] = try extents(x)
      builder.state(
        known.indices.map { axis in
          axes.contains(axis) ? Extent(from: 0) : known[axis].map { Extent($0) } ?? Extent(from: 0)
        }, x.element.heldFromONNX, of: made)
    }
    return ONNXTensor(made, x.element)
  }

  /// Slices along axes that are known only at run time. Scatters the bounds of these axes into lists with one bound for
  /// every axis.
  private func slice(
    _ x: ONNXTensor, _ rank: Int, alongComputedAxes axes: ONNXTensor
  ) throws -> ONNXTensor {
    let positions: Graph.ValueID = try integer(axes)
    func vector(_ input: Int, or standard: Int) throws -> Graph.ValueID {
      let all = constant([Int](repeating: standard, count: rank))
      guard let own = try optional(input) else { return all }
      return try add(ScatterAlongAxisOperator(axis: 0), all, positions, integer(own))
    }
    let made = try add(
      SliceDynamicOperator(), x.id, vector(1, or: 0), vector(2, or: Int(Int32.max)),
      vector(4, or: 1))
    try stateRank(of: made, like: x)
    return ONNXTensor(made, x.element)
  }

  /// Keeps the elements on a diagonal and on one side of it: above if `upper` is set, else below. All other elements
  /// become 0. The diagonal is known only at run time.
  fileprivate func triangle(_ x: ONNXTensor) throws -> ONNXTensor {
    let rank: Int = try rank(x)
    guard rank >= 2 else { throw invalid("the input has \(rank) axes, expected 2 or more.") }
    let rows = try positions(below: extent(of: x.id, axis: rank - 2))
    let columns = try positions(below: extent(of: x.id, axis: rank - 1))
    let first = try join(.add, stretched(rows, [1]), reshaped(integer(tensor(1)), to: [1]))
    let isKept = try join(flag("upper", or: true) ? .isAtLeast : .isAtMost, columns, first)
    return ONNXTensor(
      try add(WhereBroadcastableOperator(), isKept, x.id, constant(0, as: x.element)), x.element)
  }
}
