import Graph
import Operators

/// Operators that move blocks of pixels to channels or samples, or back. Also tiling and transposition.
enum LiteBlockReaders {
  static let all: [LiteOperatorReader] = [
    LiteOperatorReader("SPACE_TO_DEPTH", .pictures([0])) { operation in
      [try blocks(operation, .spaceToDepth)]
    },
    LiteOperatorReader("DEPTH_TO_SPACE", .pictures([0])) { operation in
      [try blocks(operation, .depthToSpace)]
    },
    LiteOperatorReader("SPACE_TO_BATCH_ND", .pictures([0])) { operation in
      let (block, amounts) = (try operation.integers(1), try operation.integers(2))
      let edges = try edges(operation, block, amounts)
      let picture = try operation.picture(0)
      let padded =
        edges == EdgeAmounts()
        ? picture
        : try operation.add(PaddingOperator(amounts: edges), picture, part: "padded")
      let made = try operation.add(
        ReorganizeDataOperator(mode: .spaceToDepth, blockHeight: block[0], blockWidth: block[1]),
        padded, part: "blocks")
      return [
        .picture(
          try operation.batched(made, positions: block[0] * block[1], toBatch: true),
          grid: try operation.value(0).grid)
      ]
    },
    LiteOperatorReader("BATCH_TO_SPACE_ND", .pictures([0])) { operation in
      let (block, amounts) = (try operation.integers(1), try operation.integers(2))
      let edges = try edges(operation, block, amounts)
      let joined = try operation.batched(
        try operation.picture(0), positions: block[0] * block[1], toBatch: false)
      var made = try operation.add(
        ReorganizeDataOperator(mode: .depthToSpace, blockHeight: block[0], blockWidth: block[1]),
        joined, part: "pixels")
      if edges != EdgeAmounts() {
        made = try operation.add(CropOperator(amounts: edges), made)
      }
      return [.picture(made, grid: try operation.value(0).grid)]
    },
    LiteOperatorReader("REVERSE_V2", .any) { operation in
      let (value, rank) = (try operation.value(0), try operation.rank(0))
      var isReversed = [Bool](repeating: false, count: rank)
      for axis in try operation.integers(1) {
        isReversed[try operation.axis(axis, rank: rank)] = true
      }
      return [
        operation.result(
          try operation.add(
            ReverseOperator(isReversed: operation.held(isReversed, in: value)), value.id),
          like: value.isPicture, grid: value.grid)
      ]
    },
    LiteOperatorReader("REVERSE_SEQUENCE") { operation in
      let rank: Int = try operation.rank(0)
      let made = try operation.add(
        ReverseSeqOperator(
          batchAxis: try operation.axis(try operation.int(1), rank: rank),
          sequenceAxis: try operation.axis(try operation.int(0), rank: rank)),
        try operation.written(0), try operation.written(1))
      return [.written(made, grid: try operation.value(0).grid)]
    },
    LiteOperatorReader("TILE", .any) { operation in
      let value = try operation.value(0)
      let counts: [Int] = try operation.integers(1)
      guard counts.count == (try operation.rank(0)), counts.allSatisfy({ $0 >= 0 }) else {
        throw operation.invalid("it has \(counts.count) repetitions, expected one per axis.")
      }
      return [
        operation.result(
          try operation.add(
            TileOperator(repetitions: operation.held(counts, in: value)), value.id),
          like: value.isPicture, grid: value.grid)
      ]
    },
    LiteOperatorReader("TRANSPOSE", .any) { [try transposed($0)] },
  ]

  private static func blocks(_ operation: LiteOperation, _ mode: ReorganizeDataOperator.Mode) throws
    -> LiteResult
  {
    let size: Int = try operation.size(0, or: 1, "the block")
    return .picture(
      try operation.add(
        ReorganizeDataOperator(mode: mode, blockSize: size), try operation.picture(0)),
      grid: try operation.value(0).grid)
  }

  private static func edges(_ operation: LiteOperation, _ block: [Int], _ amounts: [Int]) throws
    -> EdgeAmounts
  {
    guard block.count == 2, amounts.count == 4, block.allSatisfy({ (1...65_536).contains($0) }),
      amounts.allSatisfy({ (0...1 << 24).contains($0) })
    else {
      throw EngineError(
        .unsupported,
        "the blocks have \(block.count) axes and \(amounts.count) amounts, expected rows and columns."
      )
    }
    return EdgeAmounts(top: amounts[0], bottom: amounts[1], left: amounts[2], right: amounts[3])
  }

  /// Reads a transposition. If it only moves the channels to where the graph stores them anyway, the reader adds no
  /// operator.
  private static func transposed(_ operation: LiteOperation) throws -> LiteResult {
    let value = try operation.value(0)
    let rank: Int = try operation.rank(0)
    let axes: [Int] = try operation.integers(1).map { try operation.axis($0, rank: rank) }
    guard axes.sorted() == Array(0..<rank) else {
      throw operation.invalid("the order \(axes) does not name each of \(rank) axes once.")
    }
    if axes == LiteValue.pictureAxes, value.isPicture {
      return .written(value.id, grid: value.grid)
    }
    if axes == LiteValue.writtenAxes, !value.isPicture, value.constant == nil {
      return .picture(value.id, grid: value.grid)
    }
    if value.isPicture {
      // One step transposes from the stored order to the order of the result, without the file's order in between.
      return .written(
        try operation.context.transpose(
          value.id, axes: axes.map { LiteValue.pictureAxis[$0] }, operation.name),
        grid: value.grid)
    }
    return .written(
      try operation.context.transpose(value.id, axes: axes, operation.name), grid: value.grid)
  }
}

extension LiteOperation {
  /// Moves the positions within blocks from the channels to the samples: `[N, P · C, H, W]` becomes `[P · N, C, H, W]`,
  /// where P is `positions`. If `toBatch` is false, moves the positions back from the samples to the channels.
  fileprivate func batched(_ value: Graph.ValueID, positions: Int, toBatch: Bool) throws
    -> Graph.ValueID
  {
    guard positions > 1 else { return value }
    guard positions <= 1 << 16 else {
      throw invalid("a block has \(positions) pixels, expected at most \(1 << 16).")
    }
    guard let extents = context.builder.extents(of: value), let count = extents[0],
      let channels = extents[1], count > 0
    else { throw EngineError(.unsupported, "the batch size is not known.") }
    guard (toBatch ? channels : count) % positions == 0 else {
      throw invalid(
        "\(count) pictures of \(channels) channels cannot be split into blocks of \(positions) pixels."
      )
    }
    if toBatch {
      let parts = try add(
        SplitNDOperator(axis: 1, parts: .count(positions)), [value], outputs: positions,
        part: "positions")
      return try add(ConcatNDOperator(axis: 0), parts, outputs: 1)[0]
    }
    let parts = try add(
      SplitNDOperator(axis: 0, parts: .count(positions)), [value], outputs: positions,
      part: "positions")
    return try add(ConcatNDOperator(axis: 1), parts, outputs: 1, part: "joined")[0]
  }
}
