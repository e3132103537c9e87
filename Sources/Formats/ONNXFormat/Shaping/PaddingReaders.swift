import Graph
import Operators

/// Operators that pad or crop tensors.
enum PaddingReaders {
  static let all: [NodeReader] = [
    NodeReader(
      "Pad", as: [PaddingOperator.self, ConstantPadOperator.self, PadAxesOperator.self], .exact
    ) { [try $0.padded()] },
    NodeReader(
      "CenterCropPad",
      as: [SliceStaticOperator.self, SliceBySizeOperator.self, ConstantPadOperator.self], .exact
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
        throw unsupported("the padding value is computed, expected a constant.")
      }
      value = Float(known)
      if x.element.isHeldAsInteger, mode == "constant", Double(value) != known {
        // Padding operators of the graph store the padding value as float32, which cannot represent every integer. So
        // the graph subtracts the padding value from the input, pads with 0, and adds the padding value again.
        let number: Graph.ValueID = constant(known, as: .int32)
        x.id = try join(.subtract, x.id, number)
        value = 0
        let made: ONNXTensor = try padded(x, rank: rank, mode: mode, value)
        return ONNXTensor(try join(.add, made.id, number), x.element)
      }
    }
    return try padded(x, rank: rank, mode: mode, value)
  }

  /// Pads a tensor by the amounts that the node states.
  private func padded(_ x: ONNXTensor, rank: Int, mode: String, _ value: Float) throws
    -> ONNXTensor
  {
    let given: [Int]? = version < 11 ? ints("pads") : try ints(at: 1)
    guard var pads = given else {
      // ONNX lists the amounts at the starts of all axes, and then the amounts at the ends. The graph's operators
      // expect a pair `[start, end]` for each axis.
      var pairs = try transposed(reshaped(tensor(1).id, to: [2, -1]), [1, 0])
      if let axes = try knownInts(at: 3, "the list of axes") {
        let positions: [Int] = try axes.map { try axis($0, rank: rank) }
        let rows: [Graph.ValueID] = try (0..<rank).map { axis in
          guard let position = positions.firstIndex(of: axis) else {
            return constant(ReferenceTensor([1, 2], integerValues: [0, 0], .int32))
          }
          return try sliced(pairs, axis: 0, rank: 2, from: position, to: position + 1)
        }
        pairs = rows.count == 1 ? rows[0] : try add(ConcatNDOperator(axis: 0), rows)
      }
      let amounts = try reshaped(pairs, to: [-1])
      if mode == "wrap" {
        return ONNXTensor(try wrapped(x.id, by: amounts, rank: rank), x.element)
      }
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
      for (position, given) in axes.enumerated() {
        let axis: Int = try axis(given, rank: rank)
        all[axis] = pads[position]
        all[rank + axis] = pads[axes.count + position]
      }
      pads = all
    }
    guard pads.count == 2 * rank, pads.allSatisfy({ (-1 << 30...1 << 30).contains($0) }) else {
      throw invalid("the amounts are \(pads), expected two for each of \(rank) axes.")
    }
    return ONNXTensor(try padded(x.id, pads, rank: rank, mode: mode, value), x.element)
  }

  /// Pads a value by constant amounts. Negative amounts crop the value before it is padded. If only rows and columns
  /// are padded, adds a ``PaddingOperator``, because a graph pass can fold this operator into a convolution.
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

  /// Pads a tensor with repetitions of the tensor itself, by known amounts.
  private func wrapped(_ x: Graph.ValueID, _ amounts: [Int]) throws -> Graph.ValueID {
    var value: Graph.ValueID = x
    for axis in 0..<amounts.count / 2 where amounts[2 * axis] + amounts[2 * axis + 1] > 0 {
      guard let extent = builder.extents(of: value)?[axis], extent > 0 else {
        let size = try self.extent(of: value, axis: axis)
        let end = try join(.add, size, constant([amounts[2 * axis + 1]]))
        let indices = try add(
          RangeDynamicOperator(start: 0, step: 1), end, constant([-amounts[2 * axis]]))
        if builder.extents(of: indices) == nil {
          builder.state([Extent(from: 0)], .int32, of: indices)
        }
        value = try add(GatherOperator(axis: axis), value, join(.modulo, indices, size))
        continue
      }
      _ = try Shape.computed(
        [[extent, amounts[2 * axis], amounts[2 * axis + 1]].saturatingSum],
        "the indices of axis \(axis)")
      let positions: [Int] = (-amounts[2 * axis]..<extent + amounts[2 * axis + 1]).map {
        ($0 % extent + extent) % extent
      }
      value = try add(GatherOperator(axis: axis), value, constant(positions))
    }
    return value
  }

  /// Pads a value with repetitions of the value itself. The amounts, `[before, after]` for each axis, are computed at
  /// run time. Negative amounts crop the value.
  private func wrapped(_ x: Graph.ValueID, by amounts: Graph.ValueID, rank: Int) throws
    -> Graph.ValueID
  {
    var value: Graph.ValueID = x
    for axis in 0..<rank {
      let (before, after) = (
        try element(2 * axis, of: amounts), try element(2 * axis + 1, of: amounts)
      )
      let isUnchanged: Bool = try [before, after].allSatisfy {
        try builder.constant(of: $0)?.tensor().reals == [0]
      }
      guard !isUnchanged else { continue }
      let size = try extent(of: value, axis: axis)
      let count = try join(.add, size, join(.add, before, after))
      let own = try join(.subtract, positions(below: count), before)
      value = try add(GatherOperator(axis: axis), value, join(.modulo, own, size))
    }
    return value
  }

  /// Crops axes or pads them with zeros, evenly at both ends, so that they have given sizes. If the difference is odd,
  /// one element more is cropped or added at the end than at the start.
  fileprivate func centred() throws -> ONNXTensor {
    let x: ONNXTensor = try tensor(0)
    let extents: [Int?] = try extents(x)
    let axes: [Int] =
      try ints("axes")?.map { try axis($0, rank: extents.count) } ?? Array(extents.indices)
    let given: ONNXTensor = try tensor(1)
    guard let sizes = try ints(at: 1) else {
      return try centred(x, axes, to: integer(given), knownSizes: nil)
    }
    guard sizes.count == axes.count, sizes.allSatisfy({ (0...1 << 30).contains($0) }) else {
      throw invalid("the sizes are \(sizes), expected one for each of the \(axes.count) axes.")
    }
    var slices = [AxisSlice](repeating: AxisSlice(), count: extents.count)
    var amounts = [Int](repeating: 0, count: 2 * extents.count)
    for (axis, size) in zip(axes, sizes) {
      guard let extent = extents[axis] else {
        return try centred(x, axes, to: constant(sizes), knownSizes: sizes)
      }
      let missing: Int = size - extent
      if missing < 0 {
        // Halves round down, as Python's integer division does.
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

  /// Crops axes, or pads them with zeros. Their extents or sizes are known only at run time. First pads all axes that
  /// are too short. Then crops each axis.
  private func centred(
    _ x: ONNXTensor, _ axes: [Int], to sizes: Graph.ValueID, knownSizes: [Int]?
  ) throws -> ONNXTensor {
    let (rank, zero, two) = (try rank(x), constant([0]), constant([2]))
    var amounts = [Graph.ValueID](repeating: zero, count: 2 * rank)
    var starts: [Graph.ValueID] = []
    for (position, axis) in axes.enumerated() {
      let missing = try join(
        .subtract, element(position, of: sizes), extent(of: x.id, axis: axis))
      let added = try join(.maximum, missing, zero)
      amounts[2 * axis] = try join(.floorDivide, added, two)
      amounts[2 * axis + 1] = try join(.subtract, added, amounts[2 * axis])
      let surplus = try join(.maximum, join(.subtract, zero, missing), zero)
      starts.append(try join(.floorDivide, surplus, two))
    }
    var value = try add(ConstantPadOperator(value: 0, amounts: nil), x.id, joined(amounts))
    try stateRank(of: value, like: x)
    for (position, axis) in axes.enumerated() {
      if let size = knownSizes?[position], size > 0 {
        // `SliceBySizeOperator` states the size. So shape inference knows the extent of the result even if that of the
        // input's axis is dynamic.
        var extents: [Int?] = try extents(ONNXTensor(value, x.element))
        extents[axis] = size
        value = try add(SliceBySizeOperator(axis: axis, size: size), value, starts[position])
        if builder.extents(of: value) == nil {
          builder.state(
            extents.map { $0.map { Extent($0) } ?? Extent(from: 0) }, x.element.heldFromONNX,
            of: value)
        }
        continue
      }
      let size = try element(position, of: sizes)
      let others: [Bool] = (0..<rank).map { $0 != axis }
      func bounds(_ bound: Graph.ValueID) throws -> Graph.ValueID {
        try joined((0..<rank).map { $0 == axis ? bound : zero })
      }
      value = try add(
        SliceDynamicOperator(beginMasks: others, endMasks: others), value,
        bounds(starts[position]), bounds(join(.add, starts[position], size)))
      try stateRank(of: value, like: x)
    }
    return ONNXTensor(value, x.element)
  }
}
