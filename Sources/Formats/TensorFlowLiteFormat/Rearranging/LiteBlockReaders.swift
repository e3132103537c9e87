import Graph
import Operators

/// Blocks of pixels that become channels or pictures, and elements in another order.
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
          try operation.batched(made, places: block[0] * block[1], toBatch: true),
          grid: try operation.value(0).grid)
      ]
    },
    LiteOperatorReader("BATCH_TO_SPACE_ND", .pictures([0])) { operation in
      let (block, amounts) = (try operation.integers(1), try operation.integers(2))
      let edges = try edges(operation, block, amounts)
      let joined = try operation.batched(
        try operation.picture(0), places: block[0] * block[1], toBatch: false)
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
        throw operation.invalid("\(counts.count) repetitions are given for another number of axes.")
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

  /// Axes in another order: where that is only the order in which pictures are held, nothing is computed.
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
      // The order in which the file has it, straight from the order in which it is held.
      return .written(
        try operation.context.turn(
          value.id, axes: axes.map { LiteValue.pictureAxis[$0] }, operation.name),
        grid: value.grid)
    }
    return .written(
      try operation.context.turn(value.id, axes: axes, operation.name), grid: value.grid)
  }
}

extension LiteOperation {
  /// Places of blocks as channels `[N, P · C, H, W]` turned into pictures `[P · N, C, H, W]`, or back.
  fileprivate func batched(_ value: Graph.ValueID, places: Int, toBatch: Bool) throws
    -> Graph.ValueID
  {
    guard places > 1 else { return value }
    guard places <= 1 << 16 else {
      throw invalid("a block has \(places) pixels, expected at most \(1 << 16).")
    }
    guard let extents = context.builder.extents(of: value), let count = extents[0],
      let channels = extents[1], count > 0
    else { throw EngineError(.unsupported, "the number of pictures is not known.") }
    guard (toBatch ? channels : count) % places == 0 else {
      throw invalid("\(count) pictures of \(channels) channels cannot be cut into \(places).")
    }
    if toBatch {
      let parts = try add(
        SplitNDOperator(axis: 1, parts: .count(places)), [value], outputs: places, part: "places")
      return try add(ConcatNDOperator(axis: 0), parts, outputs: 1)[0]
    }
    let parts = try add(
      SplitNDOperator(axis: 0, parts: .count(places)), [value], outputs: places, part: "places")
    return try add(ConcatNDOperator(axis: 1), parts, outputs: 1, part: "joined")[0]
  }
}
