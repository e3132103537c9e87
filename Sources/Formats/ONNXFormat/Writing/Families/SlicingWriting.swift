import Graph
import Operators

/// Slices of tensors.
enum SlicingWriting {
  static let all: [OperatorWriting] = [
    OperatorWriting(SliceStaticOperator.self) { operation, node in
      try node.slices(operation.slices)
    },
    OperatorWriting(SliceDynamicOperator.self) { operation, node in try node.computed(operation) },
    OperatorWriting(SliceOperator.self) { operation, node in
      let rank: Int = try node.rank()
      // An end of 0 or less counts from the end of the axis. So the end 0 is the end of the axis.
      let end: Int? = operation.end == 0 ? nil : operation.end
      var slices = [AxisSlice](repeating: AxisSlice(), count: rank)
      slices[rank + operation.axis.rawValue] = AxisSlice(
        begin: operation.start, end: end, stride: operation.stride)
      return try node.slices(slices)
    },
    OperatorWriting(SliceBySizeOperator.self) { operation, node in
      let axis: Int = node.axis(operation.axis, rank: try node.rank())
      let x: String = try node.input()
      let given: String = node.reshaped(try node.integerValues(1), to: [1])
      let extent: String = node.sliced(node.shape(of: x), axis: 0, from: axis, to: axis + 1)
      let isNegative: String = node.emit("Less", [given, node.ints([0])])
      let begin: String = node.emit(
        "Where", [isNegative, node.emit("Add", [given, extent]), given])
      let end: String = node.emit("Add", [begin, node.ints([operation.size])])
      return node.emit("Slice", [x, begin, end, node.ints([axis])])
    },
    OperatorWriting(CropOperator.self) { operation, node in
      let rank: Int = try node.rank()
      let x: String = try node.input()
      guard let offset = operation.referenceOffset else {
        let edges: EdgeAmounts = operation.amounts
        var slices = [AxisSlice](repeating: AxisSlice(), count: rank)
        slices[rank - 2] = AxisSlice(
          begin: edges.top, end: edges.bottom == 0 ? nil : -edges.bottom)
        slices[rank - 1] = AxisSlice(
          begin: edges.left, end: edges.right == 0 ? nil : -edges.right)
        return try node.slices(slices)
      }
      let other: Int = try node.rank(1)
      let size: String = node.sliced(
        node.shape(of: try node.input(1)), axis: 0, from: other - 2, to: other)
      let begin: String = node.ints([offset.top, offset.left])
      let end: String = node.emit("Add", [size, begin])
      return node.emit("Slice", [x, begin, end, node.ints([rank - 2, rank - 1])])
    },
    OperatorWriting(UpperTriangularOperator.self) { operation, node in
      node.triangle(try node.input(), operation.diagonal, isUpper: true)
    },
    OperatorWriting(LowerTriangularOperator.self) { operation, node in
      node.triangle(try node.input(), operation.diagonal, isUpper: false)
    },
    OperatorWriting(MatrixBandPartOperator.self) { operation, node in
      var x: String = try node.input()
      if operation.lower >= 0 { x = node.triangle(x, -operation.lower, isUpper: true) }
      if operation.upper >= 0 { x = node.triangle(x, operation.upper, isUpper: false) }
      return operation.lower < 0 && operation.upper < 0 ? node.emit("Identity", [x]) : x
    },
    OperatorWriting(SlidingWindowsOperator.self) { operation, node in
      let shape: [Int] = try node.shape()
      let axis: Int = node.axis(operation.axis, rank: shape.count)
      let count: Int = max(0, (shape[axis] - operation.windowSize) / operation.step + 1)
      _ = try Shape.computed([count, operation.windowSize], "the indices of its windows")
      let elements: [Int] = (0..<count).flatMap { window in
        (0..<operation.windowSize).map { window * operation.step + $0 }
      }
      let indices: String = node.writer.ints(elements, [count, operation.windowSize])
      return node.emit("Gather", [try node.input(), indices], .int("axis", axis))
    },
  ]
}

extension NodeContext {
  fileprivate func triangle(_ x: String, _ diagonal: Int, isUpper: Bool) -> String {
    emit("Trilu", [x, writer.ints([diagonal], [])], .int("upper", isUpper ? 1 : 0))
  }

  /// Slices all axes. Then removes the axes that the slices squeeze.
  fileprivate func slices(_ slices: [AxisSlice]) throws -> String {
    let rank: Int = try rank()
    let changed: [Int] = slices.indices.filter { slices[$0] != AxisSlice() }
    guard !changed.isEmpty else { return emit("Identity", [try input()]) }
    let far = Int(Int32.max)
    var (begins, ends): ([Int], [Int]) = ([], [])
    for axis in changed {
      let slice: AxisSlice = slices[axis]
      let begin: Int = slice.begin ?? (slice.stride < 0 ? far : 0)
      begins.append(begin)
      if slice.isSqueezed {
        ends.append(begin == -1 ? far : begin + 1)
      } else {
        ends.append(slice.end ?? (slice.stride < 0 ? -far : far))
      }
    }
    let made: String = emit(
      "Slice",
      [
        try input(), ints(begins), ints(ends), ints(changed),
        ints(changed.map { slices[$0].isSqueezed ? 1 : slices[$0].stride }),
      ])
    let squeezed: [Int] = slices.indices.filter { slices[$0].isSqueezed }
    if squeezed.isEmpty { return made }
    return squeezed.count == rank
      ? reshaped(made, to: outputRank == 0 ? [] : [1]) : emit("Squeeze", [made, ints(squeezed)])
  }

  /// The number of axes of the first output. Nil if the number is not known.
  private var outputRank: Int? {
    node.outputs.first.flatMap { writer.types.extents(of: $0)?.count }
  }

  /// Writes a slice whose bounds are inputs of the operator.
  fileprivate func computed(_ operation: SliceDynamicOperator) throws -> String {
    let rank: Int = try rank()
    let given: Int = node.inputs.count - 1
    guard given <= 2 else { throw unsupported("its strides or masks are computed.") }
    let far = Int(Int32.max)
    func stride(_ axis: Int) -> Int {
      axis < operation.strides.count ? operation.strides[axis] : 1
    }
    let strides: [Int] = (0..<rank).map(stride)
    func open(_ masks: [Bool], _ axis: Int) -> Bool { axis < masks.count ? masks[axis] : false }
    func bounds(_ name: String, _ masks: [Bool], _ value: (Int) -> Int) -> String {
      guard (0..<rank).contains(where: { open(masks, $0) }) else { return name }
      let mask: String = cast(ints((0..<rank).map { open(masks, $0) ? 1 : 0 }), to: .bool)
      return emit("Where", [mask, ints((0..<rank).map(value)), name])
    }
    let begin: String = bounds(reshaped(try integerValues(1), to: [-1]), operation.beginMasks) {
      strides[$0] < 0 ? far : 0
    }
    let written: String =
      given > 1
      ? reshaped(try integerValues(2), to: [-1])
      : ints(
        (0..<rank).map { axis in
          axis < operation.ends.count ? operation.ends[axis] : strides[axis] < 0 ? -far : far
        })
    let end: String = bounds(written, operation.endMasks) { strides[$0] < 0 ? -far : far }
    let squeezed: [Int] = (0..<rank).filter { open(operation.squeezeMasks, $0) }
    guard squeezed.isEmpty else { throw unsupported("it squeezes axes at computed indices.") }
    return emit(
      "Slice", [try input(), begin, end, ints(Array(0..<rank)), ints(strides)])
  }
}
