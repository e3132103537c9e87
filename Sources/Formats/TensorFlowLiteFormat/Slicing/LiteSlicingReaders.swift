import Graph
import Operators

/// Operators that slice tensors.
enum LiteSlicingReaders {
  static let all: [LiteOperatorReader] = [
    LiteOperatorReader("SLICE", .any) { operation in
      let (value, rank) = (try operation.value(0), try operation.rank(0))
      guard let begins = try operation.knownIntegers(1), let sizes = try operation.knownIntegers(2)
      else { return [try computed(operation)] }
      guard begins.count == rank, sizes.count == rank, sizes.allSatisfy({ $0 >= -1 }),
        begins.allSatisfy({ (0...1 << 40).contains($0) }), sizes.allSatisfy({ $0 <= 1 << 40 })
      else {
        throw operation.invalid(
          "it takes \(sizes) elements from \(begins) on, expected one size and one begin for each of \(rank) axes."
        )
      }
      let slices: [AxisSlice] = zip(begins, sizes).map { begin, size in
        AxisSlice(begin: begin, end: size < 0 ? nil : begin + size)
      }
      return [
        operation.result(
          try operation.add(
            SliceStaticOperator(slices: operation.held(slices, in: value)), value.id),
          like: value.isPicture, grid: value.grid)
      ]
    },
    LiteOperatorReader("STRIDED_SLICE", .any) { [try strided($0)] },
    LiteOperatorReader("DYNAMIC_UPDATE_SLICE") { operation in
      guard let begins = try operation.knownIntegers(2),
        let extents = try operation.extents(0), let sizes = try operation.extents(1),
        begins.count == extents.count, sizes.count == extents.count
      else {
        throw EngineError(.unsupported, "the index to write to is computed, expected a constant.")
      }
      var slices: [AxisSlice] = []
      for ((begin, extent), size) in zip(zip(begins, extents), sizes) {
        guard let extent, let size, size <= extent else {
          throw operation.invalid("the written part does not fit the tensor.")
        }
        // A slice that would extend beyond the end of the axis begins earlier, so that it ends at the end of the axis.
        let start: Int = min(max(begin, 0), extent - size)
        slices.append(AxisSlice(begin: start, end: start + size))
      }
      return [
        .written(
          try operation.add(
            SliceUpdateOperator(
              SliceDynamicOperator(
                ends: slices.map { $0.end ?? 0 }, strides: slices.map { _ in 1 },
                beginMasks: [], endMasks: [], squeezeMasks: [])),
            [
              try operation.written(0), try operation.written(1),
              operation.list(slices.map { $0.begin ?? 0 }),
            ], outputs: 1)[0])
      ]
    },
  ]

  /// Reads a slice whose position is known only at run time.
  private static func computed(_ operation: LiteOperation) throws -> LiteResult {
    let begin = try operation.written(1)
    let sizes = try operation.written(2)
    let zero = operation.scalar(0, .int32)
    let end = try operation.add(BinaryFunctionOperator(.add), begin, sizes, part: "end")
    // A size of −1 means the rest of the axis. For such a size, the end is a very large number.
    let isRest = try operation.add(BinaryFunctionOperator(.isLess), sizes, zero, part: "rest")
    let far = operation.scalar(Double(Int32.max), .int32)
    let stop = try operation.add(
      WhereBroadcastableOperator(), [isRest, far, end], outputs: 1, part: "stop")[0]
    return .written(
      try operation.add(
        SliceDynamicOperator(), [try operation.written(0), begin, stop], outputs: 1)[0],
      grid: try operation.value(0).grid)
  }

  /// Reads `x[begin:end:stride, …]`. Bit masks express the rest of Python's notation, such as omitted bounds. A mask
  /// has one bit per entry of the notation.
  private static func strided(_ operation: LiteOperation) throws -> LiteResult {
    let rank: Int = try operation.rank(0)
    let masks: [Int] = try (0..<5).map { try operation.int($0) }
    let (openBegins, openEnds, rests, news, squeezed) = (
      masks[0], masks[1], masks[2], masks[3], masks[4]
    )
    let endsAreLengths: Bool = try operation.bool(5)
    guard let begins = try operation.knownIntegers(1), let ends = try operation.knownIntegers(2)
    else {
      guard rests == 0, news == 0 else {
        throw EngineError(.unsupported, "it adds or skips axes, which needs constant bounds.")
      }
      func bits(_ mask: Int) -> [Bool] { (0..<rank).map { mask >> $0 & 1 == 1 } }
      let steps: [Int] = try operation.integers(3)
      guard !endsAreLengths || openBegins == 0 || steps.allSatisfy({ $0 > 0 }) else {
        throw EngineError(
          .unsupported,
          "its ends count from open begins with negative strides, expected begins.")
      }
      let end: Graph.ValueID =
        endsAreLengths
        ? try operation.ends(isOpen: bits(openBegins)) : try operation.written(2)
      let made = try operation.add(
        SliceDynamicOperator(
          ends: [], strides: steps, beginMasks: bits(openBegins),
          endMasks: bits(openEnds), squeezeMasks: bits(squeezed)),
        [try operation.written(0), try operation.written(1), end], outputs: 1)[0]
      return .written(bits(squeezed).allSatisfy { $0 } ? try operation.scalar(of: made) : made)
    }
    let strides: [Int] = try operation.integers(3)
    guard begins.count == ends.count, begins.count == strides.count, begins.count <= 32,
      !strides.contains(0)
    else { throw operation.invalid("begins, ends and strides do not fit each other.") }
    var slices: [AxisSlice] = []
    var newAxes: [Int] = []
    let extents: [Int?] =
      try operation.extents(0) ?? [Int?](repeating: nil, count: rank)
    let named: Int = begins.indices.count { news >> $0 & 1 == 0 && rests >> $0 & 1 == 0 }
    for entry in begins.indices {
      func isSet(_ mask: Int) -> Bool { mask >> entry & 1 == 1 }
      if isSet(rests) {
        let left: Int = max(rank - named, 0)
        slices += [AxisSlice](repeating: AxisSlice(), count: left)
      } else if isSet(news) {
        newAxes.append(slices.count { !$0.isSqueezed } + newAxes.count)
      } else if isSet(squeezed) {
        // A single index whose begin is omitted selects the first element, or the last element if the stride is
        // negative.
        let first: Int = strides[entry] < 0 ? -1 : 0
        slices.append(
          AxisSlice(begin: isSet(openBegins) ? first : begins[entry], isSqueezed: true))
      } else {
        let axis: Int = slices.count
        var slice = AxisSlice(
          begin: isSet(openBegins) ? nil : begins[entry],
          end: isSet(openEnds) ? nil : ends[entry], stride: strides[entry])
        if endsAreLengths {
          slice.countFromBegin(extents.indices.contains(axis) ? extents[axis] : nil)
        }
        slices.append(slice)
      }
    }
    guard slices.count <= rank else {
      throw operation.invalid("it takes \(slices.count) axes of \(rank).")
    }
    slices += [AxisSlice](repeating: AxisSlice(), count: rank - slices.count)
    let value = try operation.value(0)
    let staysPicture: Bool =
      value.isPicture && newAxes.isEmpty && slices.allSatisfy { !$0.isSqueezed }
    var made = try operation.add(
      SliceStaticOperator(slices: staysPicture ? operation.held(slices, in: value) : slices),
      staysPicture ? value.id : try operation.written(0))
    if slices.allSatisfy(\.isSqueezed) { made = try operation.scalar(of: made) }
    if !newAxes.isEmpty {
      made = try operation.add(ExpandDimsOperator(axes: newAxes), made, part: "axes")
    }
    return operation.result(made, like: staysPicture, grid: value.grid)
  }
}

extension AxisSlice {
  /// Replaces the end of the slice by an index. Before the call, the end is an offset from the begin.
  ///
  /// - Parameter extent: The extent of the axis, if it is known.
  fileprivate mutating func countFromBegin(_ extent: Int?) {
    guard let length = end else { return }
    guard let extent else {
      // A begin below 0 counts from the end of the axis. If such a slice reaches the end of the axis, `stop` is 0 or
      // more, which would count from the start of the axis. So the end becomes nil.
      let stop: Int = (begin ?? (stride < 0 ? -1 : 0)) + length
      end = (begin ?? stride) < 0 && stop >= 0 && stride > 0 ? nil : stop
      return
    }
    let first: Int = begin.map { $0 < 0 ? $0 + extent : $0 } ?? (stride < 0 ? extent - 1 : 0)
    end = min(max(first, 0), extent) + length
  }
}

extension LiteOperation {
  /// Adds operators that compute the ends of a slice as indices: begin plus end. The file states each end as an offset
  /// from the slice's begin.
  ///
  /// - Parameter isOpen: For each axis, whether its begin is omitted.
  fileprivate func ends(isOpen: [Bool]) throws -> Graph.ValueID {
    let begin = try written(1)
    let isNegative = try add(
      BinaryFunctionOperator(.isLess), begin, scalar(0, .int32), part: "from the end")
    let extents = try converted(
      try add(GetShapeOperator(), try written(0), part: "extents"), to: .int32)
    let shifted = try add(BinaryFunctionOperator(.add), begin, extents, part: "begin")
    var first = try add(
      WhereBroadcastableOperator(), [isNegative, shifted, begin], outputs: 1, part: "begin")[0]
    if isOpen.contains(true) {
      first = try add(
        BinaryFunctionOperator(.multiply), first, list(isOpen.map { $0 ? 0 : 1 }), part: "begin")
    }
    return try add(BinaryFunctionOperator(.add), first, try written(2), part: "end")
  }

  /// Makes a scalar of a slice that squeezes every axis. The slice operator alone returns one axis of one element.
  fileprivate func scalar(of slice: Graph.ValueID) throws -> Graph.ValueID {
    try add(ReshapeStaticOperator(targetShape: []), slice, part: "element")
  }
}
