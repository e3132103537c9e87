import Graph
import Operators

/// Parts of tensors along their axes.
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
    NodeReader("Trilu", as: [UpperTriangularOperator.self, LowerTriangularOperator.self], .exact) {
      node in
      let x: ONNXTensor = try node.tensor(0)
      let diagonal: Int = try node.knownInts(at: 1, "the diagonal")?.first ?? 0
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
    let given: [Int]? = isOld ? ints("axes") : try knownInts(at: 3, "the list of axes")
    let steps: [Int]? = isOld ? nil : try knownInts(at: 4, "the list of steps")
    let stated: Int? = isOld ? nil : try self.extents(tensor(1)).first ?? nil
    let count: Int? = starts?.count ?? ends?.count ?? given?.count ?? stated
    guard let count, count <= rank else {
      throw invalid(
        "the number of bounds is \(count.map(String.init) ?? "not known"), expected at most \(rank)."
      )
    }
    let axes: [Int] = try given?.map { try axis($0, rank: rank) } ?? Array(0..<count)
    guard
      [starts?.count, ends?.count, axes.count, steps?.count].allSatisfy({ $0 ?? count == count }),
      Set(axes).count == count
    else { throw invalid("there are not as many starts, ends, axes and steps as \(count).") }
    if let axis = steps?.firstIndex(of: 0) { throw invalid("the step of axis \(axes[axis]) is 0.") }
    if let starts, let ends {
      var slices = [AxisSlice](repeating: AxisSlice(), count: rank)
      for place in 0..<count {
        slices[axes[place]] = Self.slice(
          starts[place], ends[place], steps?[place] ?? 1, of: extents[axes[place]])
      }
      return ONNXTensor(try add(SliceStaticOperator(slices: slices), x.id), x.element)
    }
    guard !isOld else { throw invalid("'starts' or 'ends' is missing.") }
    return try computedSlice(x, rank, axes, steps)
  }

  /// One axis as NumPy takes it. Bounds beyond 32 bits are moved into them, as no axis is so long; an end that
  /// the step reaches only after the axis is open.
  private static func slice(_ start: Int, _ end: Int, _ step: Int, of extent: Int?) -> AxisSlice {
    let far = Int(Int32.max)
    func kept(_ number: Int) -> Int { min(max(number, -far), far) }
    let (stop, most) = (kept(end), extent ?? far - 1)
    let isOpen: Bool = step < 0 ? stop < -most : stop >= most
    return AxisSlice(begin: kept(start), end: isOpen ? nil : stop, stride: kept(step))
  }

  /// Bounds that are computed, put among open ones for the axes that are not named.
  private func computedSlice(_ x: ONNXTensor, _ rank: Int, _ axes: [Int], _ steps: [Int]?) throws
    -> ONNXTensor
  {
    func vector(_ position: Int, or standard: Int) throws -> Graph.ValueID {
      let bounds: Graph.ValueID = try whole(tensor(position))
      if axes == Array(0..<rank) { return bounds }
      let parts: [Graph.ValueID] = try (0..<rank).map { axis in
        guard let place = axes.firstIndex(of: axis) else { return constant([standard]) }
        return try sliced(bounds, axis: 0, rank: 1, from: place, to: place + 1)
      }
      return parts.count == 1 ? parts[0] : try add(ConcatNDOperator(axis: 0), parts)
    }
    var strides = [Int](repeating: 1, count: rank)
    for (axis, step) in zip(axes, steps ?? []) { strides[axis] = step }
    let open: [Bool] = (0..<rank).map { !axes.contains($0) }
    let made = try add(
      SliceDynamicOperator(strides: strides, beginMasks: open, endMasks: open), x.id,
      vector(1, or: 0), vector(2, or: Int(Int32.max)))
    if builder.extents(of: made) == nil {
      let known: [Int?] = try extents(x)
      builder.state(
        known.indices.map { axis in
          axes.contains(axis) ? Extent(from: 0) : known[axis].map { Extent($0) } ?? Extent(from: 0)
        }, x.element.heldFromONNX, of: made)
    }
    return ONNXTensor(made, x.element)
  }
}
