import Graph
import Operators

/// Operators that reshape tensors or generate values.
enum ShapingWriting {
  static let all: [OperatorWriting] = [
    OperatorWriting(ReshapeStaticOperator.self) { operation, node in
      guard !operation.zerosCountFromEnd || !operation.targetShape.contains(0) else {
        throw node.unsupported("a 0 of its shape counts from the last axis.")
      }
      return node.reshaped(try node.input(), to: operation.targetShape)
    },
    OperatorWriting(ReshapeDynamicOperator.self) { operation, node in
      guard !operation.zerosCountFromEnd else {
        throw node.unsupported("a 0 of its shape counts from the last axis.")
      }
      return node.emit("Reshape", [try node.input(), try node.integerValues(1)])
    },
    OperatorWriting(ReshapeLikeOperator.self) { _, node in
      node.emit("Reshape", [try node.input(), node.shape(of: try node.input(1))])
    },
    OperatorWriting(RankPreservingReshapeOperator.self) { operation, node in
      node.reshaped(try node.input(), to: operation.targetShape)
    },
    OperatorWriting(ReshapeOperator.self) { operation, node in try node.reshape(operation) },
    OperatorWriting(FlattenOperator.self) { operation, node in
      guard operation.order == .channelFirst else {
        let rank: Int = try node.rank()
        let order: [Int] = Array(0..<rank - 3) + [rank - 2, rank - 1, rank - 3]
        return try node.joined(node.transposed(node.input(), order), rank: rank)
      }
      return try node.joined(node.input(), rank: node.rank())
    },
    OperatorWriting(FlattenTo2DOperator.self) { operation, node in
      node.emit("Flatten", [try node.input()], .int("axis", operation.axis))
    },
    OperatorWriting(SqueezeOperator.self) { operation, node in
      let x: String = try node.input()
      let rank: Int = try node.rank()
      guard let axes = operation.axes else {
        let extents: [Int] = try node.shape()
        let rest: [Int] = extents.filter { $0 != 1 }
        return node.reshaped(x, to: rest.isEmpty ? [1] : rest)
      }
      if axes.count == rank { return node.reshaped(x, to: [1]) }
      return node.emit("Squeeze", [x, node.ints(axes)])
    },
    OperatorWriting(ExpandDimsOperator.self) { operation, node in
      let x: String = try node.input()
      if operation.isOfScalar {
        return node.reshaped(x, to: [Int](repeating: 1, count: operation.axes.count))
      }
      return node.emit("Unsqueeze", [x, node.ints(operation.axes)])
    },
    OperatorWriting(TransposeOperator.self) { operation, node in
      let rank: Int = operation.axes.count
      return node.emit(
        "Transpose", [try node.input()],
        .ints("perm", operation.axes.map { node.axis($0, rank: rank) }))
    },
    OperatorWriting(PermuteOperator.self) { operation, node in
      let rank: Int = try node.rank()
      if rank >= 5 {
        // The axes are [S, B, C, H, W]. The batch axis B stays where it is.
        let axes: [Int] = [0, 2, 3, 4]
        let order: [Int] = operation.axes.map { axes[$0] }
        return node.transposed(try node.input(), [order[0], 1] + order.dropFirst())
      }
      let order: [Int] = operation.axes.dropFirst().map { $0 - 1 + rank - 3 }
      return node.transposed(try node.input(), Array(0..<rank - 3) + order)
    },
    OperatorWriting(GetShapeOperator.self) { _, node in
      node.cast(node.shape(of: try node.input()), to: node.outputElement)
    },
    OperatorWriting(ConstantOperator.self) { _, node in
      guard let value = node.node.outputs.first, let constant = node.writer.graph[value].constant
      else { throw node.unsupported("its values are not known.") }
      return try node.writer.write(constant, named: node.node.name)
    },
    OperatorWriting(FillLikeOperator.self) { operation, node in
      node.filled(node.shape(of: try node.input()), operation.value)
    },
    OperatorWriting(FillStaticOperator.self) { operation, node in
      node.filled(node.ints(operation.targetShape), operation.value)
    },
    OperatorWriting(FillDynamicOperator.self) { operation, node in
      node.filled(try node.integerValues(0), operation.value)
    },
    OperatorWriting(RangeStaticOperator.self) { operation, node in
      node.emit(
        "Range",
        [
          node.number(Double(operation.start)), node.number(Double(operation.end)),
          node.number(Double(operation.step)),
        ])
    },
    OperatorWriting(RangeDynamicOperator.self) { operation, node in
      let element: ElementType = node.outputElement
      func bound(_ position: Int, _ standard: Float) throws -> String {
        guard position < node.node.inputs.count else {
          return node.writer.number(Double(standard), as: element)
        }
        return node.cast(node.reshaped(try node.input(position), to: []), to: element)
      }
      return node.emit(
        "Range",
        [try bound(1, operation.start), try bound(0, 0), try bound(2, operation.step)])
    },
    OperatorWriting(BroadcastToStaticOperator.self) { operation, node in
      node.emit("Expand", [try node.input(), node.ints(operation.targetShape)])
    },
    OperatorWriting(BroadcastToLikeOperator.self) { _, node in
      node.emit("Expand", [try node.input(), node.shape(of: try node.input(1))])
    },
    OperatorWriting(BroadcastToDynamicOperator.self) { _, node in
      node.emit("Expand", [try node.input(), try node.integerValues(1)])
    },
    OperatorWriting(TileOperator.self) { operation, node in
      let rank: Int = try node.rank()
      guard let counts = operation.repetitions else {
        guard try node.extents(1) == [rank] else {
          throw node.unsupported("it does not repeat each of its axes.")
        }
        return node.emit("Tile", [try node.input(), try node.integerValues(1)])
      }
      let missing: Int = rank - counts.count
      if missing >= 0 {
        return node.emit(
          "Tile",
          [try node.input(), node.ints([Int](repeating: 1, count: missing) + counts)])
      }
      let wide: String = node.emit(
        "Unsqueeze", [try node.input(), node.ints(Array(0..<(-missing)))])
      return node.emit("Tile", [wide, node.ints(counts)])
    },
    OperatorWriting(SequenceRepeatOperator.self) { operation, node in
      let rank: Int = try node.rank()
      var counts = [Int](repeating: 1, count: rank)
      counts[rank - 5] = max(1, operation.repetitions)
      return node.emit("Tile", [try node.input(), node.ints(counts)])
    },
  ]
}

extension NodeContext {
  /// Makes a tensor of this shape whose elements all have one value.
  fileprivate func filled(_ shape: String, _ value: Float) -> String {
    emit("Expand", [number(Double(value)), shape])
  }

  /// Reshapes `[…, C, H, W]` to `[…, C·H·W, 1, 1]`.
  fileprivate func joined(_ x: String, rank: Int) throws -> String {
    let leading: [String] = rank == 3 ? [] : [sliced(shape(of: x), axis: 0, from: 0, to: rank - 3)]
    return emit(
      "Reshape", [x, emit("Concat", leading + [ints([-1, 1, 1])], .int("axis", 0))])
  }

  /// Reshapes the last axes of each sequence step of each sample separately. If the operator also reshapes the sequence
  /// axis, reshapes each sample separately.
  fileprivate func reshape(_ operation: ReshapeOperator) throws -> String {
    let rank: Int = try rank()
    var x: String = try input()
    let isLast: Bool = operation.order == .channelLast
    let target: [Int] = operation.targetShape
    guard target.count == 3 || rank == 5 && target.count == 4 && !isLast, rank >= 3 else {
      throw unsupported("it reshapes the sequence axis too.")
    }
    if target.count == 4 {
      // The axes are [S, B, C, H, W]. The operator reshapes each sample of the batch separately.
      guard try extents()[1] == 1 else {
        throw unsupported("it reshapes sequences of more than one sample.")
      }
      return reshaped(x, to: [target[0], 1] + target.dropFirst())
    }
    let leading: [String] = rank == 3 ? [] : [sliced(shape(of: x), axis: 0, from: 0, to: rank - 3)]
    let outer = Array(0..<rank - 3)
    var last: [Int] = target
    if isLast {
      x = transposed(x, outer + [rank - 2, rank - 1, rank - 3])
      last = [target[1], target[2], target[0]]
    }
    let made: String = emit(
      "Reshape", [x, emit("Concat", leading + [ints(last)], .int("axis", 0))])
    return isLast ? transposed(made, outer + [rank - 1, rank - 3, rank - 2]) : made
  }
}
