import Graph
import Operators

/// Sorting, top-k and cumulative operations.
enum OrderingReaders {
  static let all: [NodeReader] = [
    NodeReader("TopK", as: [TopKOperator.self], .exact) { try $0.topK() },
    NodeReader("CumSum", as: [CumSumOperator.self]) { node in
      let x: ONNXTensor = try node.tensor(0)
      guard let axis = try node.ints(at: 1)?.first else {
        let sums = CumSumOperator(
          axis: 0, isExclusive: node.flag("exclusive"), isReversed: node.flag("reverse"),
          overflow: x.element.overflowFromONNX)
        return [ONNXTensor(try node.add(sums, x.id, node.tensor(1).id), x.element)]
      }
      let sums = CumSumOperator(
        axis: try node.axis(axis, rank: node.rank(x)), isExclusive: node.flag("exclusive"),
        isReversed: node.flag("reverse"), overflow: x.element.overflowFromONNX)
      return [ONNXTensor(try node.add(sums, x.id), x.element)]
    },
    NodeReader("CumProd", as: [BinaryFunctionOperator.self, ConcatNDOperator.self]) {
      [try $0.runningProduct()]
    },
    NodeReader("NonZero", as: [WhereNonZeroOperator.self], .exact) { node in
      let x: ONNXTensor = try node.tensor(0)
      let rank: Int = max(1, try node.rank(x))
      let flat: Graph.ValueID = try node.rank(x) == 0 ? node.reshaped(x.id, to: [1]) : x.id
      let nonZero = try node.add(
        WhereNonZeroOperator(),
        node.builder.isInteger(flat) ? node.real(ONNXTensor(flat, x.element)) : flat)
      node.builder.state([Extent(from: 0), Extent(rank)], .float32, of: nonZero)
      let columns = try node.add(TransposeOperator(axes: [1, 0]), nonZero)
      return [ONNXTensor(try node.add(CastOperator(to: .int32), columns), .int64)]
    },
    NodeReader("Compress", as: [WhereNonZeroOperator.self, GatherOperator.self], .exact) { node in
      var x: ONNXTensor = try node.tensor(0)
      var axis = 0
      if let given = node.optionalInt("axis") {
        axis = try node.axis(given, rank: node.rank(x))
      } else {
        x.id = try node.reshaped(x.id, to: [-1])
      }
      let nonZero = try node.add(WhereNonZeroOperator(), node.tensor(1).id)
      node.builder.state([Extent(from: 0), 1], .float32, of: nonZero)
      let indices = try node.add(
        CastOperator(to: .int32), node.add(SqueezeOperator(axes: [1]), nonZero))
      let made = try node.add(GatherOperator(axis: axis), x.id, indices)
      return [ONNXTensor(made, x.element)]
    },
  ]
}

extension GraphBuilder {
  /// Returns whether the graph stores a value as integers.
  func isInteger(_ value: Graph.ValueID) -> Bool { element(of: value)?.isInteger ?? false }
}

extension ONNXNode {
  /// Returns the K largest or smallest elements along an axis, and the indices of these elements. Before opset 10, K is
  /// an attribute.
  fileprivate func topK() throws -> [ONNXTensor] {
    let x: ONNXTensor = try tensor(0)
    let axis: Int = try axis(int("axis", or: -1), rank: rank(x))
    let isBottom: Bool = version >= 11 && !flag("largest", or: true)
    let made: [Graph.ValueID]
    let count: Int? = version < 10 ? try int("k") : try ints(at: 1)?.first
    if let count {
      guard count >= 0 else { throw invalid("K is \(count), expected 0 or more.") }
      made = try add(TopKOperator(axis: axis, count: count, isBottom: isBottom), [x.id], outputs: 2)
    } else {
      made = try add(
        TopKOperator(axis: axis, count: 0, isBottom: isBottom), [x.id, tensor(1).id], outputs: 2)
    }
    // Shape inference tries some lengths for a dynamic axis. It finds no extents if K is an input, or if K exceeds the
    // lengths that it tries. In these cases, the reader declares the extents.
    let types: [ElementType] = [
      x.element.heldFromONNX, x.element.isHeldAsInteger ? .int32 : .float32,
    ]
    var extents: [Int?] = try extents(x)
    extents[axis] = count
    for (value, type) in zip(made, types) where builder.extents(of: value) == nil {
      builder.state(extents.map { $0.map { Extent($0) } ?? Extent(from: 0) }, type, of: value)
    }
    return [
      ONNXTensor(made[0], x.element),
      ONNXTensor(try add(CastOperator(to: .int32), made[1]), .int64),
    ]
  }

  /// Computes cumulative products along an axis of known extent. The graph computes one position after the other.
  fileprivate func runningProduct() throws -> ONNXTensor {
    let x: ONNXTensor = try tensor(0)
    let extents: [Int?] = try extents(x)
    let rank: Int = extents.count
    guard let given = try knownInts(at: 1, "the axis")?.first else {
      throw invalid("input 2, the axis, is missing.")
    }
    let axis: Int = try axis(given, rank: rank)
    // Each position of the axis adds one operator to the graph.
    guard let extent = extents[axis] else { throw unknownExtent(ofAxis: axis, of: "the input") }
    guard (1...1024).contains(extent) else {
      throw unsupported("the axis has \(extent) elements, expected 1 to 1024.")
    }
    let (isExclusive, isReversed) = (flag("exclusive"), flag("reverse"))
    let order: [Int] = isReversed ? (0..<extent).reversed() : Array(0..<extent)
    var parts: [Graph.ValueID] = []
    var held: Graph.ValueID?
    for index in order {
      let part = try sliced(x.id, axis: axis, rank: rank, from: index, to: index + 1)
      let product = try held.map { try join(.multiply, $0, part, as: x.element) } ?? part
      if isExclusive {
        let ones = try add(FillLikeOperator(value: 1), part)
        parts.append(
          try held ?? (x.element.isHeldAsInteger ? add(CastOperator(to: .int32), ones) : ones))
      } else {
        parts.append(product)
      }
      held = product
    }
    if isReversed { parts.reverse() }
    return ONNXTensor(
      parts.count == 1 ? parts[0] : try add(ConcatNDOperator(axis: axis), parts), x.element)
  }
}
