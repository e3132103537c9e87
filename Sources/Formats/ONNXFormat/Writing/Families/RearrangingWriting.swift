import Graph
import Operators

/// Operators that concatenate, stack, split, pad or transpose, or that move blocks of pixels.
enum RearrangingWriting {
  static let all: [OperatorWriting] = [
    OperatorWriting(ConcatNDOperator.self) { operation, node in
      let rank: Int = try node.rank()
      let axis: Int = node.axis(operation.axis, rank: rank)
      guard operation.isInterleaved else {
        return node.emit("Concat", try node.inputs(), .int("axis", axis))
      }
      let parts: [String] = try node.inputs().map {
        node.emit("Unsqueeze", [$0, node.ints([axis + 1])])
      }
      let stacked: String = node.emit("Concat", parts, .int("axis", axis + 1))
      let all: String = node.shape(of: try node.input())
      let target: String = node.emit(
        "Concat",
        [node.sliced(all, axis: 0, from: 0, to: axis), node.ints([-1])]
          + (axis == rank - 1 ? [] : [node.sliced(all, axis: 0, from: axis + 1, to: rank)]),
        .int("axis", 0))
      return node.emit("Reshape", [stacked, target])
    },
    OperatorWriting(ConcatOperator.self) { operation, node in
      let rank: Int = try node.rank()
      return node.emit(
        "Concat", try node.inputs(), .int("axis", rank - (operation.joinsSequence ? 5 : 3)))
    },
    OperatorWriting(StackOperator.self) { operation, node in
      let rank: Int = try node.rank() + 1
      let axis: Int = node.axis(operation.axis, rank: rank)
      let parts: [String] = try node.inputs().map {
        node.emit("Unsqueeze", [$0, node.ints([axis])])
      }
      return node.emit("Concat", parts, .int("axis", axis))
    },
    OperatorWriting(
      SplitNDOperator.self,
      all: { operation, node in
        let axis: Int = node.axis(operation.axis, rank: try node.rank())
        let count: Int = node.node.outputs.count
        switch operation.parts {
        case .count: return try node.split(count, nil, axis)
        case .sizes(let sizes): return try node.split(count, sizes, axis)
        }
      }),
    OperatorWriting(
      SplitOperator.self,
      all: { operation, node in
        try node.split(operation.outputCount, nil, try node.rank() - 3)
      }),
    OperatorWriting(PaddingOperator.self) { operation, node in
      let rank: Int = try node.rank()
      let edges: EdgeAmounts = operation.amounts
      let none = [Int](repeating: 0, count: rank - 2)
      let pads: [Int] = none + [edges.top, edges.left] + none + [edges.bottom, edges.right]
      switch operation.mode {
      case .constant(let value):
        return node.emit(
          "Pad", [try node.input(), node.ints(pads), node.number(Double(value), like: 0)])
      case .reflection:
        let extents: [Int?] = try node.extents()
        guard max(edges.top, edges.bottom) < extents[rank - 2] ?? Int.max,
          max(edges.left, edges.right) < extents[rank - 1] ?? Int.max
        else { return try node.mirrored(operation, extents) }
        return node.emit(
          "Pad", [try node.input(), node.ints(pads)], .string("mode", "reflect"))
      case .replication:
        return node.emit("Pad", [try node.input(), node.ints(pads)], .string("mode", "edge"))
      }
    },
    OperatorWriting(ConstantPadOperator.self) { operation, node in
      let rank: Int = try node.rank()
      let value: String = node.number(Double(operation.value), like: 0)
      guard let amounts = operation.amounts else {
        guard !operation.padsToSize else {
          throw node.unsupported("it pads to computed sizes.")
        }
        return node.emit("Pad", [try node.input(), try node.computedPads(), value])
      }
      let extents: [Int] =
        operation.padsToSize ? try node.shape() : [Int](repeating: 0, count: rank)
      let paddings = try operation.paddings(Shape(extents), amounts)
      return node.emit(
        "Pad",
        [try node.input(), node.ints(paddings.map(\.before) + paddings.map(\.after)), value])
    },
    OperatorWriting(PadAxesOperator.self) { operation, node in
      let mode: NodeAttribute = .string("mode", operation.repeatsEdge ? "edge" : "reflect")
      guard let amounts = operation.amounts else {
        return node.emit("Pad", [try node.input(), try node.computedPads()], mode)
      }
      let rank: Int = try node.rank()
      let extents: [Int?] = try node.extents()
      guard
        operation.repeatsEdge
          || (0..<rank).allSatisfy({
            max(amounts[2 * $0], amounts[2 * $0 + 1]) < extents[$0] ?? Int.max
          })
      else { throw node.unsupported("it mirrors more elements than the tensor has.") }
      let pads: [Int] = (0..<rank).map { amounts[2 * $0] } + (0..<rank).map { amounts[2 * $0 + 1] }
      return node.emit("Pad", [try node.input(), node.ints(pads)], mode)
    },
    OperatorWriting(ReorganizeDataOperator.self) { operation, node in
      guard operation.blockHeight == operation.blockWidth else {
        throw node.unsupported("its blocks are not square.")
      }
      let size: NodeAttribute = .int("blocksize", operation.blockHeight)
      return try node.asPictures { x in
        switch operation.mode {
        case .depthToSpace: return node.emit("DepthToSpace", [x], size, .string("mode", "DCR"))
        case .pixelShuffle: return node.emit("DepthToSpace", [x], size, .string("mode", "CRD"))
        case .spaceToDepth: return node.emit("SpaceToDepth", [x], size)
        case .pixelUnshuffle:
          // In the channels of the result, the original channel varies slowest, and the position in the block varies
          // fastest.
          let shape: [Int] = try node.shape()
          let (b, rank) = (operation.blockHeight, shape.count)
          let (c, h, w) = (shape[rank - 3], shape[rank - 2], shape[rank - 1])
          let parts: String = node.reshaped(x, to: [-1, c, h / b, b, w / b, b])
          return node.reshaped(
            node.transposed(parts, [0, 1, 3, 5, 2, 4]), to: [-1, c * b * b, h / b, w / b])
        }
      }
    },
    OperatorWriting(ReverseOperator.self) { operation, node in
      let axes: [Int] = operation.isReversed.indices.filter { operation.isReversed[$0] }
      guard !axes.isEmpty else { return node.emit("Identity", [try node.input()]) }
      let count: Int = axes.count
      return node.emit(
        "Slice",
        [
          try node.input(), node.ints([Int](repeating: -1, count: count)),
          node.ints([Int](repeating: -Int(Int32.max), count: count)), node.ints(axes),
          node.ints([Int](repeating: -1, count: count)),
        ])
    },
    OperatorWriting(ReverseSeqOperator.self) { operation, node in
      let rank: Int = try node.rank()
      let (batch, sequence) = (
        node.axis(operation.batchAxis, rank: rank), node.axis(operation.sequenceAxis, rank: rank)
      )
      let lengths: String = node.reshaped(try node.integerValues(1), to: [-1])
      if Set([batch, sequence]) == [0, 1] {
        return node.emit(
          "ReverseSequence", [try node.input(), lengths], .int("batch_axis", batch),
          .int("time_axis", sequence))
      }
      // ONNX needs the batch axis and the sequence axis before the other axes.
      let order: [Int] =
        [batch, sequence] + (0..<rank).filter { $0 != batch && $0 != sequence }
      let turned: String = node.emit(
        "ReverseSequence", [node.transposed(try node.input(), order), lengths],
        .int("batch_axis", 0), .int("time_axis", 1))
      return node.transposed(turned, (0..<rank).map { order.firstIndex(of: $0) ?? $0 })
    },
  ]
}

extension NodeContext {
  /// Pads an image with several mirror images. The padding is longer than the image's rows or columns.
  fileprivate func mirrored(_ operation: PaddingOperator, _ extents: [Int?]) throws -> String {
    let edges: EdgeAmounts = operation.amounts
    let sides: [(Int, Int)] = [(edges.top, edges.bottom), (edges.left, edges.right)]
    var made: String = try input()
    for (position, (before, after)) in sides.enumerated() where before > 0 || after > 0 {
      let axis: Int = extents.count - 2 + position
      guard let extent = extents[axis] else {
        throw unsupported(
          "it may mirror more pixels than the picture has, and the picture's size is not known.")
      }
      let count: Int =
        try Shape.computed([before + extent + after], "the indices that it reads").count
      let indices: [Int] = (0..<count).map {
        operation.reflected($0 - before, extent)
      }
      made = emit("Gather", [made, ints(indices)], .int("axis", axis))
    }
    return made
  }

  /// Reorders the amounts that the second input holds, `[before, after]` for each axis. In ONNX's order, all amounts
  /// before the axes come first, and then all amounts after the axes.
  fileprivate func computedPads() throws -> String {
    let pairs: String = reshaped(try integerValues(1), to: [-1, 2])
    return reshaped(transposed(pairs, [1, 0]), to: [-1])
  }

  fileprivate func split(_ count: Int, _ sizes: [Int]?, _ axis: Int) throws -> [String] {
    if let sizes {
      return emit(
        "Split", [try input(), ints(sizes)], outputs: count, [.int("axis", axis)])
    }
    return emit(
      "Split", [try input()], outputs: count, [.int("axis", axis), .int("num_outputs", count)])
  }
}
