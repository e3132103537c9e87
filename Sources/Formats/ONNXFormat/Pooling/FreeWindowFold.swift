import Graph
import Operators

/// What ``WindowFold`` puts together, over axes whose extents are known only when the network runs: the border and the
/// number of windows are computed by operators.
struct FreeWindowFold {
  private let node: ONNXNode
  private let x: ONNXTensor
  private let rank: Int
  private let windows: Windows
  /// The elements before and after each spatial axis that are declared: `int32` of one element each.
  private let before: [Graph.ValueID]
  private let after: [Graph.ValueID]
  /// What is filled in beyond them, for a last window that reaches over the end.
  private let slack: [Int]
  /// The place after the last element that the first place of the windows reads, `[rank]`.
  private let ends: Graph.ValueID

  init(_ node: ONNXNode) throws {
    (self.node, x) = (node, try node.tensor(0))
    rank = try node.rank(x)
    windows = try Windows(node, axes: rank - 2)
    guard
      windows.kernel.reduce(1, { min($0 * $1, WindowFold.placeLimit + 1) })
        <= WindowFold.placeLimit
    else { throw node.unsupported("a window has more than \(WindowFold.placeLimit) places.") }
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
        // ⌈size / stride⌉ windows, and what they need beyond the size; the odd element on the heavy side.
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
      // The step to the last window; one that would start in the padding at the end is none.
      var steps = try node.map(
        .floor, node.join(.divide, space, node.constant([Double(stride)], [1])))
      if isComplete {
        let start = try node.scaled(steps, by: stride)
        let isOutside = try node.join(.isAtLeast, start, node.join(.add, size, first))
        steps = try node.join(.subtract, steps, isOutside)
      }
      func whole(_ value: Graph.ValueID) throws -> Graph.ValueID {
        try node.add(CastOperator(to: .int32), value)
      }
      before.append(try whole(first))
      after.append(try whole(last))
      ends.append(try whole(node.scaled(steps, by: stride, plus: 1)))
    }
    (self.before, self.after) = (before, after)
    self.ends = try node.add(ConcatNDOperator(axis: 0), [node.constant([0, 0])] + ends)
  }

  /// A value with the border filled, by the declared elements or by those beyond them.
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

  /// A value whose rank is that of the input, whatever its extents are.
  private func stated(_ value: Graph.ValueID) -> Graph.ValueID {
    if node.builder.extents(of: value) == nil {
      node.builder.state(
        [Extent](repeating: Extent(from: 0), count: rank),
        node.builder.element(of: x.id) ?? .float32, of: value)
    }
    return value
  }

  private func fold(_ filled: Graph.ValueID, _ function: BinaryFunction) throws -> Graph.ValueID {
    var places: [[Int]] = []
    Shape(windows.kernel).forEachIndex { index, _ in places.append(index) }
    let masks: [Bool] = [true, true] + windows.kernel.map { _ in false }
    let slices = SliceDynamicOperator(
      strides: [1, 1] + windows.strides, beginMasks: masks, endMasks: masks)
    var result: Graph.ValueID?
    for place in places {
      let start = node.constant([0, 0] + zip(place, windows.dilations).map { $0 * $1 })
      let part = stated(
        try node.add(slices, filled, start, node.join(.add, ends, start)))
      result = try result.map { try node.join(function, $0, part) } ?? part
    }
    guard let result else { throw node.invalid("a window has no places.") }
    return result
  }

  private func folded(_ value: Graph.ValueID, _ fill: Float, _ function: BinaryFunction) throws
    -> Graph.ValueID
  {
    let inside = try padded(value, fill, isDeclared: true)
    return try fold(padded(inside, fill, isDeclared: false), function)
  }

  /// Maximum, average or Euclidean norm of each window.
  func folded(_ kind: PoolingOperator.Kind) throws -> ONNXTensor {
    switch kind {
    case .maximum:
      let least: Float = x.element.isHeldWhole ? -0x1p31 : -.infinity
      return ONNXTensor(try folded(x.id, least, .maximum), x.element)
    case .average:
      let sum = try folded(node.real(x), 0, .add)
      // Ones in the place of what counts, of one sample and channel.
      let slices: [AxisSlice] =
        [AxisSlice(begin: 0, end: 1), AxisSlice(begin: 0, end: 1)]
        + windows.kernel.map { _ in AxisSlice() }
      let ones = try node.add(
        FillLikeOperator(value: 1), node.add(SliceStaticOperator(slices: slices), node.real(x)))
      let declared = try padded(
        ones, node.flag("count_include_pad") ? 1 : 0, isDeclared: true)
      let counts = try fold(padded(declared, 0, isDeclared: false), .add)
      return ONNXTensor(
        try node.join(.divide, sum, node.join(.maximum, counts, number: 1)), x.element)
    case .l2: return try norm()
    }
  }

  /// (Σ |x|^p)^(1/p) of each window.
  func norm() throws -> ONNXTensor {
    let p: Int = node.int("p", or: 2)
    let size: Graph.ValueID = try node.map(.magnitude, x.id)
    let powers: Graph.ValueID =
      p == 1 ? size : try node.add(UnaryOperator(.power(alpha: Float(p))), size)
    let sum: Graph.ValueID = try folded(powers, 0, .add)
    return ONNXTensor(
      p == 1 ? sum : try node.add(UnaryOperator(.power(alpha: 1 / Float(p))), sum), x.element)
  }
}

extension ONNXNode {
  /// Whether all extents of the first input are known.
  private var isOfKnownSize: Bool {
    get throws { try !extents(tensor(0)).contains(nil) }
  }

  /// Maximum, average or Euclidean norm of windows that no kernel has.
  func foldedWindows(_ kind: PoolingOperator.Kind) throws -> ONNXTensor {
    try isOfKnownSize ? WindowFold(self).folded(kind) : FreeWindowFold(self).folded(kind)
  }

  /// Another norm of windows than the Euclidean one.
  func normOfWindows() throws -> ONNXTensor {
    try isOfKnownSize ? WindowFold(self).norm() : FreeWindowFold(self).norm()
  }
}
