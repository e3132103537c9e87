import Graph
import Operators

/// Slices of tensors.
enum SlicingReaders {
  static let all: [OperationReader] = [
    OperationReader(
      "slice_by_index", as: [SliceStaticOperator.self, SliceDynamicOperator.self], .exact
    ) { operation in
      let x = try operation.tensor("x")
      let bounds = try SliceBounds(operation, rank: try operation.rank("x"))
      if let slices = try bounds.slices() {
        return [operation.result(operation.add(SliceStaticOperator(slices: slices), x.id))]
      }
      return [operation.result(operation.add(bounds.computed, [x.id] + bounds.inputs))]
    },
    OperationReader(
      "slice_by_size",
      as: [SliceStaticOperator.self, SliceBySizeOperator.self, SliceDynamicOperator.self], .exact
    ) { operation in
      [operation.result(try sliceBySize(operation))]
    },
    OperationReader("slice_update", since: .iOS18, as: [SliceUpdateOperator.self], .exact) {
      operation in
      let (x, update) = (try operation.tensor("x"), try operation.tensor("update"))
      let bounds = try SliceBounds(operation, rank: try operation.rank("x"))
      return [
        .value(
          operation.add(SliceUpdateOperator(bounds.computed), [x.id, update.id] + bounds.inputs))
      ]
    },
    OperationReader("reverse", as: [ReverseOperator.self], .exact) { operation in
      let x = try operation.tensor("x")
      let rank: Int = try operation.rank("x")
      let axes: [Int] = try operation.axes("axes", rank: rank) ?? Array(0..<rank)
      guard !axes.isEmpty else { return [.same(.tensor(x))] }
      return [
        .value(
          operation.add(ReverseOperator(isReversed: (0..<rank).map(axes.contains)), x.id))
      ]
    },
    OperationReader("reverse_sequence", as: [ReverseSeqOperator.self], .exact) { operation in
      let (x, lengths) = (try operation.tensor("x"), try operation.tensor("lengths"))
      let reversing = ReverseSeqOperator(
        batchAxis: try operation.int("batch_axis", or: 0),
        sequenceAxis: try operation.int("seq_axis", or: 0))
      return [.value(operation.add(reversing, x.id, operation.real(lengths)))]
    },
    OperationReader("sliding_windows", as: [SlidingWindowsOperator.self], .exact) { operation in
      let x = try operation.tensor("x")
      let (size, step) = (try operation.int("size"), try operation.int("stride", or: 1))
      guard size > 0, step > 0 else {
        throw operation.invalid(
          "'size' is \(size) and 'stride' is \(step), expected numbers above 0.")
      }
      return [
        .value(
          operation.add(
            SlidingWindowsOperator(axis: try operation.int("axis"), windowSize: size, step: step),
            x.id))
      ]
    },
    OperationReader("band_part", as: [MatrixBandPartOperator.self], .exact) { operation in
      let band = MatrixBandPartOperator(
        lower: try operation.int("lower", or: -1), upper: try operation.int("upper", or: -1))
      return [.value(operation.add(band, try operation.tensor("x").id))]
    },
  ]

  /// Reads a slice that a start index and a size per axis describe. A size of −1 means the rest of the axis.
  private static func sliceBySize(_ operation: ProgramOperation) throws -> Graph.ValueID {
    let x = try operation.tensor("x")
    let (begin, size) = (try operation.tensor("begin"), try operation.tensor("size"))
    let rank: Int = try operation.rank("x")
    let begins: [Int]? = try begin.constant.map { _ in try operation.ints("begin") }
    let sizes: [Int]? = try size.constant.map { _ in try operation.ints("size") }
    for (name, list) in [("begin", begins), ("size", sizes)] {
      guard let list, list.count != rank else { continue }
      throw operation.invalid("'\(name)' holds \(list.count) numbers, expected \(rank).")
    }
    if let begins, let sizes {
      let slices: [AxisSlice] = zip(begins, sizes).map { begin, size in
        let end: Int = begin + size
        return AxisSlice(begin: begin, end: size == -1 || begin < 0 && end == 0 ? nil : end)
      }
      return operation.add(SliceStaticOperator(slices: slices), x.id)
    }
    if let sizes, !sizes.contains(-1) {
      // Whatever the start index is, the sizes are the extents of the result.
      var result: Graph.ValueID = x.id
      for axis in 0..<rank where x.extents?[axis] != sizes[axis] {
        let index = operation.add(
          SliceStaticOperator(slices: [AxisSlice(begin: axis, end: axis + 1)]), begin.id)
        result = operation.add(SliceBySizeOperator(axis: axis, size: sizes[axis]), result, index)
      }
      return result
    }
    let first = converted(operation, begin)
    let count = converted(operation, size)
    let extents = operation.extents(of: x)
    let zero = operation.constant([0])
    let fromStart = operation.add(
      WhereBroadcastableOperator(),
      operation.add(BinaryFunctionOperator(.isLess), first, zero),
      operation.add(BinaryFunctionOperator(.add), first, extents), first)
    let end = operation.add(
      WhereBroadcastableOperator(),
      operation.add(BinaryFunctionOperator(.isLess), count, zero), extents,
      operation.add(BinaryFunctionOperator(.add), fromStart, count))
    return operation.add(SliceDynamicOperator(), x.id, fromStart, end)
  }

  /// Returns the bounds of a slice as `int32`. The program may store them in a smaller type.
  private static func converted(_ operation: ProgramOperation, _ tensor: ProgramTensor)
    -> Graph.ValueID
  {
    tensor.element.held.isInteger
      ? tensor.id : operation.add(CastOperator(to: .int32), tensor.id)
  }
}

/// The bounds of a slice in `slice_by_index` or `slice_update`.
private struct SliceBounds {
  private let begin: ProgramTensor
  private let end: ProgramTensor
  private let begins: [Int]?
  private let ends: [Int]?
  private let strides: [Int]
  private let isBeginOpen: [Bool]
  private let isEndOpen: [Bool]
  private let isSqueezed: [Bool]

  init(_ operation: ProgramOperation, rank: Int) throws {
    begin = try operation.tensor("begin")
    end = try operation.tensor("end")
    begins = try begin.constant.map { _ in try operation.ints("begin") }
    ends = try end.constant.map { _ in try operation.ints("end") }
    strides = try operation.ints("stride", or: [Int](repeating: 1, count: rank))
    let closed = [Bool](repeating: false, count: rank)
    isBeginOpen = try operation.optionalBools("begin_mask") ?? closed
    isEndOpen = try operation.optionalBools("end_mask") ?? closed
    isSqueezed = try operation.optionalBools("squeeze_mask") ?? closed
    let counts: [(String, Int?)] = [
      ("begin", begins?.count), ("end", ends?.count), ("stride", strides.count),
      ("begin_mask", isBeginOpen.count), ("end_mask", isEndOpen.count),
      ("squeeze_mask", isSqueezed.count),
    ]
    for (name, count) in counts where count != nil && count != rank {
      throw operation.invalid("'\(name)' holds \(count ?? 0) numbers, expected \(rank).")
    }
    if let axis = strides.firstIndex(of: 0) { throw AxisSlice.withoutStride(axis) }
  }

  /// Returns the slice of each axis. Nil if a bound is not constant.
  func slices() throws -> [AxisSlice]? {
    guard let begins, let ends else { return nil }
    return begins.indices.map { axis in
      AxisSlice(
        begin: isBeginOpen[axis] ? nil : begins[axis], end: isEndOpen[axis] ? nil : ends[axis],
        stride: strides[axis], isSqueezed: isSqueezed[axis])
    }
  }

  /// The operator that slices with bounds from its inputs. See ``inputs``.
  var computed: SliceDynamicOperator {
    SliceDynamicOperator(
      strides: strides, beginMasks: isBeginOpen, endMasks: isEndOpen, squeezeMasks: isSqueezed)
  }

  /// The inputs of ``computed`` that hold the bounds: the begins, and then the ends.
  var inputs: [Graph.ValueID] { [begin.id, end.id] }
}
