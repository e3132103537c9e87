import Graph
import Operators

/// Elements added around the axes of a tensor.
enum PaddingReaders {
  static let all: [NodeReader] = [
    NodeReader(
      "Pad", as: [PaddingOperator.self, ConstantPadOperator.self, PadAxesOperator.self], .exact
    ) { [try $0.padded()] },
    NodeReader(
      "CenterCropPad", as: [SliceStaticOperator.self, ConstantPadOperator.self], .exact
    ) { [try $0.centred()] },
  ]
}

extension ONNXNode {
  fileprivate func padded() throws -> ONNXTensor {
    var x: ONNXTensor = try tensor(0)
    let rank: Int = try rank(x)
    let mode: String = string("mode", or: "constant")
    guard ["constant", "reflect", "edge", "wrap"].contains(mode) else {
      throw invalid("the mode is '\(mode)', expected constant, reflect, edge or wrap.")
    }
    var value: Float = 0
    if version < 11 {
      value = float("value", or: 0)
    } else if let given = try optional(2) {
      guard let known = try constant(given)?.reals.first else {
        throw unsupported("the value around the tensor is computed, expected a constant.")
      }
      value = Float(known)
      if x.element.isHeldWhole, mode == "constant", Double(value) != known {
        // Paddings state their value as float32: here 0 stands for a number that it does not hold.
        let number: Graph.ValueID = constant(known, as: .int32)
        x.id = try join(.subtract, x.id, number)
        value = 0
        let made: ONNXTensor = try padded(x, rank: rank, mode: mode, value)
        return ONNXTensor(try join(.add, made.id, number), x.element)
      }
    }
    return try padded(x, rank: rank, mode: mode, value)
  }

  /// A tensor with elements around it, as many as the node says.
  private func padded(_ x: ONNXTensor, rank: Int, mode: String, _ value: Float) throws
    -> ONNXTensor
  {
    let given: [Int]? = version < 11 ? ints("pads") : try ints(at: 1)
    guard var pads = given else {
      guard mode != "wrap" else {
        throw unsupported("the amounts are computed while the network runs, expected constants.")
      }
      // `[before…, after…]` as `[before, after]` for each axis.
      var pairs = try transposed(reshaped(tensor(1).id, to: [2, -1]), [1, 0])
      if let axes = try knownInts(at: 3, "the list of axes") {
        let places: [Int] = try axes.map { try axis($0, rank: rank) }
        let rows: [Graph.ValueID] = try (0..<rank).map { axis in
          guard let place = places.firstIndex(of: axis) else {
            return constant(ReferenceTensor([1, 2], wholes: [0, 0], .int32))
          }
          return try sliced(pairs, axis: 0, rank: 2, from: place, to: place + 1)
        }
        pairs = rows.count == 1 ? rows[0] : try add(ConcatNDOperator(axis: 0), rows)
      }
      let amounts = try reshaped(pairs, to: [-1])
      let operation: any Operator =
        mode == "constant"
        ? ConstantPadOperator(value: value, amounts: nil)
        : PadAxesOperator(repeatsEdge: mode == "edge", amounts: nil)
      let made = try add(operation, x.id, amounts)
      try stateRank(of: made, like: x)
      return ONNXTensor(made, x.element)
    }
    if let axes = try knownInts(at: 3, "the list of axes") {
      guard pads.count == 2 * axes.count else {
        throw invalid(
          "\(pads.count) amounts are given for \(axes.count) axes, expected two for each.")
      }
      var all = [Int](repeating: 0, count: 2 * rank)
      for (place, given) in axes.enumerated() {
        let axis: Int = try axis(given, rank: rank)
        all[axis] = pads[place]
        all[rank + axis] = pads[axes.count + place]
      }
      pads = all
    }
    guard pads.count == 2 * rank, pads.allSatisfy({ (-1 << 30...1 << 30).contains($0) }) else {
      throw invalid("the amounts are \(pads), expected two for each of \(rank) axes.")
    }
    return ONNXTensor(try padded(x.id, pads, rank: rank, mode: mode, value), x.element)
  }

  /// What is cut off goes first; rows and columns of pictures are padded by what convolutions take over.
  private func padded(
    _ x: Graph.ValueID, _ pads: [Int], rank: Int, mode: String, _ fill: Float
  ) throws -> Graph.ValueID {
    var value: Graph.ValueID = x
    if pads.contains(where: { $0 < 0 }) {
      let slices: [AxisSlice] = (0..<rank).map { axis in
        AxisSlice(
          begin: max(0, -pads[axis]), end: pads[rank + axis] < 0 ? pads[rank + axis] : nil)
      }
      value = try add(SliceStaticOperator(slices: slices), value)
    }
    let amounts: [Int] = (0..<rank).flatMap { [max(0, pads[$0]), max(0, pads[rank + $0])] }
    guard amounts.contains(where: { $0 > 0 }) else { return value }
    if mode == "wrap" { return try wrapped(value, amounts) }
    guard rank >= 3, amounts.dropLast(4).allSatisfy({ $0 == 0 }) else {
      return try add(
        mode == "constant"
          ? ConstantPadOperator(value: fill, amounts: amounts)
          : PadAxesOperator(repeatsEdge: mode == "edge", amounts: amounts), value)
    }
    let edges: [Int] = amounts.suffix(4)
    return try add(
      PaddingOperator(
        amounts: EdgeAmounts(top: edges[0], bottom: edges[1], left: edges[2], right: edges[3]),
        mode: mode == "constant"
          ? .constant(fill) : mode == "reflect" ? .reflection : .replication), value)
  }

  /// A tensor repeated around itself.
  private func wrapped(_ x: Graph.ValueID, _ amounts: [Int]) throws -> Graph.ValueID {
    var value: Graph.ValueID = x
    for axis in 0..<amounts.count / 2 where amounts[2 * axis] + amounts[2 * axis + 1] > 0 {
      guard let extent = builder.extents(of: value)?[axis], extent > 0 else {
        let size = try self.extent(of: value, axis: axis)
        let end = try join(.add, size, constant([amounts[2 * axis + 1]]))
        let all = try add(
          RangeDynamicOperator(start: 0, step: 1), end, constant([-amounts[2 * axis]]))
        if builder.extents(of: all) == nil {
          builder.state([Extent(from: 0)], .int32, of: all)
        }
        value = try add(GatherOperator(axis: axis), value, join(.modulo, all, size))
        continue
      }
      _ = try Shape.computed(
        [[extent, amounts[2 * axis], amounts[2 * axis + 1]].saturatingSum],
        "the indices of axis \(axis)")
      let places: [Int] = (-amounts[2 * axis]..<extent + amounts[2 * axis + 1]).map {
        ($0 % extent + extent) % extent
      }
      value = try add(GatherOperator(axis: axis), value, constant(places))
    }
    return value
  }

  /// Axes cut or filled with 0 to sizes, evenly on both sides; the odd element at the end.
  fileprivate func centred() throws -> ONNXTensor {
    let x: ONNXTensor = try tensor(0)
    let extents: [Int] = try shape(x, "the input")
    let axes: [Int] =
      try ints("axes")?.map { try axis($0, rank: extents.count) } ?? Array(extents.indices)
    guard let sizes = try knownInts(at: 1, "the size"), sizes.count == axes.count else {
      throw invalid("there are not as many sizes as the \(axes.count) axes.")
    }
    var slices = [AxisSlice](repeating: AxisSlice(), count: extents.count)
    var amounts = [Int](repeating: 0, count: 2 * extents.count)
    for (axis, size) in zip(axes, sizes) {
      let missing: Int = size - extents[axis]
      if missing < 0 {
        // Half a step rounds down, as in Python.
        let start: Int = -missing / 2
        slices[axis] = AxisSlice(begin: start, end: start + size)
      } else {
        amounts[2 * axis] = missing / 2
        amounts[2 * axis + 1] = missing - missing / 2
      }
    }
    let cut = try add(SliceStaticOperator(slices: slices), x.id)
    guard amounts.contains(where: { $0 > 0 }) else { return ONNXTensor(cut, x.element) }
    return ONNXTensor(
      try add(ConstantPadOperator(value: 0, amounts: amounts), cut), x.element)
  }
}
