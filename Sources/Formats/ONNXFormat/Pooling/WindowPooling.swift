import Graph
import Operators

/// Pooling that is built from slices, one slice per element of a window. It computes the cases for which there is no
/// kernel: dilated windows, uneven padding in ceiling mode, indices of maxima, and norms other than the Euclidean norm.
struct WindowPooling {
  private let node: ONNXNode
  private let x: ONNXTensor
  private let shape: [Int]
  private let windows: Windows
  private let before: [Int]
  private let after: [Int]
  /// The number of windows along each axis.
  private let counts: [Int]

  /// The largest number of elements in a window.
  static let elementLimit = 4096

  init(_ node: ONNXNode) throws {
    self.node = node
    x = try node.tensor(0)
    shape = try node.shape(x, "the input")
    windows = try Windows(node, axes: shape.count - 2)
    let spatial = Array(shape.dropFirst(2))
    (before, after) = windows.amounts(for: spatial)
    let isComplete: Bool =
      node.flag("ceil_mode") && windows.padding != .same(startHeavy: true)
      && windows.padding != .same(startHeavy: false)
    var counts: [Int] = []
    for axis in spatial.indices {
      let space: Int = spatial[axis] + before[axis] + after[axis] - windows.span(axis)
      guard space >= 0 else {
        throw node.invalid(
          "a window of \(windows.span(axis)) does not fit an axis of \(spatial[axis]) with its padding."
        )
      }
      let stride: Int = windows.strides[axis]
      var count: Int = (isComplete ? space + stride - 1 : space) / stride + 1
      // No window starts in the padding at the end.
      if isComplete, (count - 1) * stride >= spatial[axis] + before[axis] { count -= 1 }
      counts.append(count)
    }
    self.counts = counts
    _ = try Shape.computed(counts, "the windows")
    _ = try Shape.computed(Array(shape.prefix(2)), "the planes")
    guard windows.kernel.product <= Self.elementLimit else {
      throw node.unsupported("a window has more than \(Self.elementLimit) elements.")
    }
  }

  private var rank: Int { shape.count }

  /// For each element of a window, its index along each axis of the window. The gaps of dilation do not count. The last
  /// axis varies fastest.
  private var windowOffsets: [[Int]] {
    var result: [[Int]] = []
    Shape(windows.kernel).forEachIndex { index, _ in result.append(index) }
    return result
  }

  /// Pads a value so that it is long enough for the last window.
  private func padded(_ value: Graph.ValueID, _ fill: Float) throws -> Graph.ValueID {
    var amounts: [Int] = [0, 0, 0, 0]
    for axis in counts.indices {
      let needed: Int = (counts[axis] - 1) * windows.strides[axis] + windows.span(axis)
      let end: Int = max(after[axis], needed - shape[axis + 2] - before[axis])
      amounts += [before[axis], end]
    }
    guard amounts.contains(where: { $0 > 0 }) else { return value }
    return try node.add(ConstantPadOperator(value: fill, amounts: amounts), value)
  }

  /// Returns the elements that have this offset in their windows, one element per window.
  private func part(_ value: Graph.ValueID, _ offset: [Int]) throws -> Graph.ValueID {
    var slices: [AxisSlice] = [AxisSlice(), AxisSlice()]
    for axis in counts.indices {
      let start: Int = offset[axis] * windows.dilations[axis]
      slices.append(
        AxisSlice(
          begin: start, end: start + (counts[axis] - 1) * windows.strides[axis] + 1,
          stride: windows.strides[axis]))
    }
    return try node.add(SliceStaticOperator(slices: slices), value)
  }

  private func combine(_ value: Graph.ValueID, _ fill: Float, _ function: BinaryFunction) throws
    -> Graph.ValueID
  {
    let filled: Graph.ValueID = try padded(value, fill)
    var result: Graph.ValueID?
    for offset in windowOffsets {
      let part: Graph.ValueID = try part(filled, offset)
      result = try result.map { try node.join(function, $0, part) } ?? part
    }
    guard let result else { throw node.invalid("a window has no elements.") }
    return result
  }

  /// Computes the maximum, the average or the Euclidean norm of each window.
  func pooled(_ kind: PoolingOperator.Kind) throws -> ONNXTensor {
    switch kind {
    case .maximum:
      let least: Float = x.element.isHeldAsInteger ? -0x1p31 : -.infinity
      return ONNXTensor(try combine(x.id, least, .maximum), x.element)
    case .average:
      let sum: Graph.ValueID = try combine(node.real(x), 0, .add)
      return ONNXTensor(
        try node.join(.multiply, sum, node.constant(weights, Shape(counts))), x.element)
    case .l2: return try norm()
    }
  }

  /// For each window, the reciprocal of the number of counted elements. Elements inside the input count. Elements of
  /// the declared padding count if the node says so.
  private var weights: [Double] {
    let countsPadding: Bool = node.flag("count_include_pad")
    var result: [Double] = []
    Shape(counts).forEachIndex { window, _ in
      let inside: [Int] = window.indices.map { axis in
        let start: Int = window[axis] * windows.strides[axis] - before[axis]
        let lower: Int = countsPadding ? -before[axis] : 0
        let upper: Int = shape[axis + 2] + (countsPadding ? after[axis] : 0)
        return (0..<windows.kernel[axis]).count { offset in
          (lower..<upper).contains(start + offset * windows.dilations[axis])
        }
      }
      result.append(1 / Double(max(1, inside.product)))
    }
    return result
  }

  /// Computes the norm (Σ |x|^p)^(1/p) of each window.
  func norm() throws -> ONNXTensor {
    let p: Int = node.int("p", or: 2)
    let size: Graph.ValueID = try node.map(.magnitude, x.id)
    let powers: Graph.ValueID =
      p == 1 ? size : try node.add(UnaryOperator(.power(alpha: Float(p))), size)
    let sum: Graph.ValueID = try combine(powers, 0, .add)
    return ONNXTensor(
      p == 1 ? sum : try node.add(UnaryOperator(.power(alpha: 1 / Float(p))), sum), x.element)
  }

  /// Computes the maximum of each window. Also computes where the maximum is, as an index into the flattened input.
  func maximumWithIndices() throws -> [ONNXTensor] {
    let filled: Graph.ValueID = try padded(node.real(x), -.infinity)
    let spatial = Array(shape.dropFirst(2))
    // The flat indices are column-major if the node asks for that.
    let strides: [Int] =
      node.int("storage_order", or: 0) == 0
      ? Shape(spatial).strides
      : spatial.indices.map { spatial[..<$0].product }
    var best: (value: Graph.ValueID, index: Graph.ValueID)?
    for offset in windowOffsets {
      let part: Graph.ValueID = try part(filled, offset)
      let index: Graph.ValueID = node.constant(indices(offset, strides))
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
    let plane: Int = spatial.product
    let offsets = ReferenceTensor(
      Shape(Array(shape.prefix(2)) + [Int](repeating: 1, count: spatial.count)),
      integerValues: (0..<shape[0] * shape[1]).map { Int64($0 * plane) }, .int32)
    return [
      try node.held(best.value, as: x.element),
      ONNXTensor(try node.join(.add, best.index, node.constant(offsets)), .int64),
    ]
  }

  /// For each window, returns the index of the element that has this offset in the window. The index counts from the
  /// start of the element's channel.
  private func indices(_ offset: [Int], _ strides: [Int]) -> ReferenceTensor {
    var integerValues: [Int64] = []
    Shape(counts).forEachIndex { window, _ in
      var sum = 0
      for axis in window.indices {
        let position: Int =
          window[axis] * windows.strides[axis] - before[axis]
          + offset[axis] * windows.dilations[axis]
        sum += position * strides[axis]
      }
      integerValues.append(Int64(sum))
    }
    return ReferenceTensor(Shape(counts), integerValues: integerValues, .int32)
  }
}
