import Graph
import Operators

/// Pools as ``WindowPooling`` does, along axes whose extents are known only at run time. The padding and the number of
/// windows are computed during the run, by operators that this type adds to the graph.
struct DynamicWindowPooling {
  private let node: ONNXNode
  private let x: ONNXTensor
  private let rank: Int
  private let windows: Windows
  /// For each spatial axis, the declared padding before and after the axis. Each padding is an `int32` vector of one
  /// element.
  private let before: [Graph.ValueID]
  private let after: [Graph.ValueID]
  /// For each spatial axis, how many elements the last window may extend beyond the declared padding. 0 except in
  /// ceiling mode.
  private let slack: [Int]
  /// For each spatial axis, the end of the slice that takes the first element of every window. Each end is an `int32`
  /// vector of one element.
  private let axisEnds: [Graph.ValueID]
  /// The ends of the same slice for all axes of the tensor, as one vector of `rank` elements. The ends of the batch and
  /// channel axes are 0, and the masks of the slice ignore them.
  private let ends: Graph.ValueID

  init(_ node: ONNXNode) throws {
    (self.node, x) = (node, try node.tensor(0))
    rank = try node.rank(x)
    windows = try Windows(node, axes: rank - 2)
    guard
      windows.kernel.reduce(1, { min($0 * $1, WindowPooling.elementLimit + 1) })
        <= WindowPooling.elementLimit
    else {
      throw node.unsupported("a window has more than \(WindowPooling.elementLimit) elements.")
    }
    var isComplete: Bool = node.flag("ceil_mode")
    if case .same = windows.padding { isComplete = false }
    slack = windows.strides.map { isComplete ? $0 - 1 : 0 }
    var (before, after, ends): ([Graph.ValueID], [Graph.ValueID], [Graph.ValueID]) = ([], [], [])
    for axis in windows.kernel.indices {
      let (stride, span) = (Float(windows.strides[axis]), Float(windows.span(axis)))
      let size = try node.add(
        CastOperator(to: .float32), node.extent(of: x.id, axis: axis + 2))
      var (first, last): (Graph.ValueID, Graph.ValueID)
      switch windows.padding {
      case .amounts(let starts, let stops):
        first = node.constant([Double(starts[axis])], [1])
        last = node.constant([Double(stops[axis])], [1])
      case .same(let startHeavy):
        // There are ⌈size / stride⌉ windows. Their number determines the padding. If the padding is odd, one end gets
        // one element more than the other.
        let count = try node.map(
          .ceiling, node.join(.divide, size, node.constant([Double(stride)], [1])))
        let needed = try node.scaled(count, by: stride, plus: span - stride)
        let total = try node.join(.maximum, node.join(.subtract, needed, size), number: 0)
        let half = try node.map(
          startHeavy ? .ceiling : .floor, node.scaled(total, by: 0.5))
        (first, last) = (half, try node.join(.subtract, total, half))
      }
      let all = try node.join(.add, size, node.join(.add, first, last))
      let space = try node.scaled(all, by: 1, plus: Float(slack[axis]) - span)
      // The number of steps from the first to the last window. No window starts in the padding at the end.
      var steps = try node.map(
        .floor, node.join(.divide, space, node.constant([Double(stride)], [1])))
      if isComplete {
        let start = try node.scaled(steps, by: stride)
        let isOutside = try node.join(.isAtLeast, start, node.join(.add, size, first))
        steps = try node.join(.subtract, steps, isOutside)
      }
      func asInt32(_ value: Graph.ValueID) throws -> Graph.ValueID {
        try node.add(CastOperator(to: .int32), value)
      }
      before.append(try asInt32(first))
      after.append(try asInt32(last))
      ends.append(try asInt32(node.scaled(steps, by: stride, plus: 1)))
    }
    (self.before, self.after, axisEnds) = (before, after, ends)
    self.ends = try node.add(ConcatNDOperator(axis: 0), [node.constant([0, 0])] + ends)
  }

  /// Pads a value. If `isDeclared` is true, adds the declared padding. Otherwise adds, at the end of each spatial axis,
  /// as many elements as `slack` states.
  private func padded(_ value: Graph.ValueID, _ fill: Float, isDeclared: Bool) throws
    -> Graph.ValueID
  {
    if !isDeclared {
      guard slack.contains(where: { $0 > 0 }) else { return value }
      return try node.add(
        ConstantPadOperator(value: fill, amounts: [0, 0, 0, 0] + slack.flatMap { [0, $0] }), value)
    }
    if case .amounts(let starts, let stops) = windows.padding {
      let amounts: [Int] = [0, 0, 0, 0] + zip(starts, stops).flatMap { [$0, $1] }
      guard amounts.contains(where: { $0 > 0 }) else { return value }
      return try node.add(ConstantPadOperator(value: fill, amounts: amounts), value)
    }
    let amounts = try node.add(
      ConcatNDOperator(axis: 0),
      [node.constant([0, 0, 0, 0])] + zip(before, after).flatMap { [$0, $1] })
    return stated(try node.add(ConstantPadOperator(value: fill, amounts: nil), value, amounts))
  }

  /// Declares that a value has the input's rank, with dynamic extents.
  private func stated(_ value: Graph.ValueID) -> Graph.ValueID {
    if node.builder.extents(of: value) == nil {
      node.builder.state(
        [Extent](repeating: Extent(from: 0), count: rank),
        node.builder.element(of: x.id) ?? .float32, of: value)
    }
    return value
  }

  /// For each element of a window, its offset from the first element of the window, with dilation. The last axis varies
  /// fastest.
  private var windowOffsets: [[Int]] {
    var result: [[Int]] = []
    Shape(windows.kernel).forEachIndex { index, _ in
      result.append(zip(index, windows.dilations).map { $0 * $1 })
    }
    return result
  }

  /// Returns the elements that have this offset in their windows, one element per window.
  private func part(_ filled: Graph.ValueID, _ offset: [Int]) throws -> Graph.ValueID {
    let masks: [Bool] = [true, true] + windows.kernel.map { _ in false }
    let slices = SliceDynamicOperator(
      strides: [1, 1] + windows.strides, beginMasks: masks, endMasks: masks)
    let start = node.constant([0, 0] + offset)
    return stated(try node.add(slices, filled, start, node.join(.add, ends, start)))
  }

  private func combine(_ filled: Graph.ValueID, _ function: BinaryFunction) throws -> Graph.ValueID
  {
    var result: Graph.ValueID?
    for offset in windowOffsets {
      let part: Graph.ValueID = try part(filled, offset)
      result = try result.map { try node.join(function, $0, part) } ?? part
    }
    guard let result else { throw node.invalid("a window has no elements.") }
    return result
  }

  /// Pads a value so that it is long enough for the last window.
  private func filled(_ value: Graph.ValueID, _ fill: Float) throws -> Graph.ValueID {
    try padded(padded(value, fill, isDeclared: true), fill, isDeclared: false)
  }

  private func pooled(_ value: Graph.ValueID, _ fill: Float, _ function: BinaryFunction) throws
    -> Graph.ValueID
  {
    try combine(filled(value, fill), function)
  }

  /// Computes the maximum, the average or the Euclidean norm of each window.
  func pooled(_ kind: PoolingOperator.Kind) throws -> ONNXTensor {
    switch kind {
    case .maximum:
      let least: Float = x.element.isHeldAsInteger ? -0x1p31 : -.infinity
      return ONNXTensor(try pooled(x.id, least, .maximum), x.element)
    case .average:
      let sum = try pooled(node.real(x), 0, .add)
      // `declared` is a tensor with one sample and one channel. An element is 1 if the average counts it, else 0. The
      // sum over a window is the divisor of the window's average.
      let slices: [AxisSlice] =
        [AxisSlice(begin: 0, end: 1), AxisSlice(begin: 0, end: 1)]
        + windows.kernel.map { _ in AxisSlice() }
      let ones = try node.add(
        FillLikeOperator(value: 1), node.add(SliceStaticOperator(slices: slices), node.real(x)))
      let declared = try padded(
        ones, node.flag("count_include_pad") ? 1 : 0, isDeclared: true)
      let counts = try combine(padded(declared, 0, isDeclared: false), .add)
      return ONNXTensor(
        try node.join(.divide, sum, node.join(.maximum, counts, number: 1)), x.element)
    case .l2: return try norm()
    }
  }

  /// Computes the maximum of each window. Also computes where the maximum is, as an index into the flattened input.
  func maximumWithIndices() throws -> [ONNXTensor] {
    let filled: Graph.ValueID = try filled(node.real(x), -.infinity)
    let strides: [Graph.ValueID] = try planeStrides()
    var best: (value: Graph.ValueID, index: Graph.ValueID)?
    for offset in windowOffsets {
      let part: Graph.ValueID = try part(filled, offset)
      // The difference between the flat index of this element and that of the window's first element. The difference is
      // the same for all windows.
      let index: Graph.ValueID = try zip(offset, strides).reduce(node.constant([0])) {
        try node.join(.add, $0, node.join(.multiply, $1.1, node.constant([$1.0])))
      }
      guard let held = best else {
        let zeros = try node.add(
          CastOperator(to: .int32), node.add(FillLikeOperator(value: 0), part))
        best = (part, try node.join(.add, zeros, index))
        continue
      }
      let isLarger = try node.join(.isGreater, part, held.value)
      best = (
        try node.join(.maximum, held.value, part),
        try node.add(WhereBroadcastableOperator(), isLarger, index, held.index)
      )
    }
    guard let best else { return [] }
    return [
      try node.held(best.value, as: x.element),
      ONNXTensor(try node.join(.add, best.index, firstIndices(strides)), .int64),
    ]
  }

  /// Returns, for each spatial axis, the difference between the flat indices of two adjacent elements along the axis.
  /// The flat order is row-major, or column-major if the node asks for that. The last number of the result is the
  /// number of elements of one channel.
  private func planeStrides() throws -> [Graph.ValueID] {
    let isRowMajor: Bool = node.int("storage_order", or: 0) == 0
    let axes: [Int] = isRowMajor ? windows.kernel.indices.reversed() : Array(windows.kernel.indices)
    var strides = [Graph.ValueID](repeating: node.constant([1]), count: axes.count + 1)
    var size: Graph.ValueID = strides[axes.count]
    for axis in axes {
      strides[axis] = size
      size = try node.join(.multiply, size, node.extent(of: x.id, axis: axis + 2))
    }
    strides[axes.count] = size
    return strides
  }

  /// Returns the flat index of the first element of each window. This element may be in the padding. The index counts
  /// from the first element of the whole input, across samples and channels.
  private func firstIndices(_ strides: [Graph.ValueID]) throws -> Graph.ValueID {
    let plane: Graph.ValueID = strides[rank - 2]
    let channels: Graph.ValueID = try node.extent(of: x.id, axis: 1)
    var steps: [Graph.ValueID] = [try node.join(.multiply, plane, channels), plane]
    var positions: [Graph.ValueID] = [
      try node.positions(below: node.extent(of: x.id, axis: 0)),
      try node.positions(below: channels),
    ]
    for axis in windows.kernel.indices {
      let starts = try node.positions(below: axisEnds[axis], by: windows.strides[axis])
      positions.append(try node.join(.subtract, starts, before[axis]))
      steps.append(strides[axis])
    }
    let parts: [Graph.ValueID] = try positions.indices.map { axis in
      try node.along(axis, rank: rank, node.join(.multiply, positions[axis], steps[axis]))
    }
    return try parts.dropFirst().reduce(parts[0]) { try node.join(.add, $0, $1) }
  }

  /// Computes the norm (Σ |x|^p)^(1/p) of each window.
  func norm() throws -> ONNXTensor {
    let p: Int = node.int("p", or: 2)
    let size: Graph.ValueID = try node.map(.magnitude, x.id)
    let powers: Graph.ValueID =
      p == 1 ? size : try node.add(UnaryOperator(.power(alpha: Float(p))), size)
    let sum: Graph.ValueID = try pooled(powers, 0, .add)
    return ONNXTensor(
      p == 1 ? sum : try node.add(UnaryOperator(.power(alpha: 1 / Float(p))), sum), x.element)
  }
}

extension ONNXNode {
  /// Whether all extents of the first input are known.
  private var hasKnownExtents: Bool {
    get throws { try !extents(tensor(0)).contains(nil) }
  }

  /// Computes the maximum, the average or the Euclidean norm of each window from slices of the input. Used for nodes
  /// that no pooling operator supports.
  func pooledWindows(_ kind: PoolingOperator.Kind) throws -> ONNXTensor {
    try hasKnownExtents ? WindowPooling(self).pooled(kind) : DynamicWindowPooling(self).pooled(kind)
  }

  /// Computes the maximum of each window. Also computes where the maximum is, as an index into the flattened input.
  func maximumWithIndices() throws -> [ONNXTensor] {
    try hasKnownExtents
      ? WindowPooling(self).maximumWithIndices() : DynamicWindowPooling(self).maximumWithIndices()
  }

  /// Computes the norm (Σ |x|^p)^(1/p) of each window for a p other than 2.
  func normOfWindows() throws -> ONNXTensor {
    try hasKnownExtents ? WindowPooling(self).norm() : DynamicWindowPooling(self).norm()
  }
}
