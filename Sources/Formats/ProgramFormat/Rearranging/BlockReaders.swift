import Graph
import Operators

/// Operations that move blocks of pixels to channels or to samples of the batch, or back.
enum BlockReaders {
  static let all: [OperationReader] = [
    reader("depth_to_space", "block_size", .depthToSpace),
    reader("space_to_depth", "block_size", .spaceToDepth),
    reader("pixel_shuffle", "upscale_factor", .pixelShuffle),
    reader("pixel_unshuffle", since: .iOS16, "downscale_factor", .pixelUnshuffle),
    OperationReader(
      "space_to_batch", as: [ReorganizeDataOperator.self, PaddingOperator.self], .exact
    ) { operation in
      let block: [Int] = try block(operation)
      let padding: EdgeAmounts = try edges(operation, "paddings")
      var value: Graph.ValueID = try operation.tensor("x").id
      if !padding.isZero { value = operation.add(PaddingOperator(amounts: padding), value) }
      return [.value(try reorganized(operation, value, .spaceToDepth, block))]
    },
    OperationReader(
      "batch_to_space", as: [ReorganizeDataOperator.self, CropOperator.self], .exact
    ) { operation in
      let block: [Int] = try block(operation)
      let crop: EdgeAmounts = try edges(operation, "crops")
      let spread = try reorganized(
        operation, try operation.tensor("x").id, .depthToSpace, block)
      return [.value(crop.isZero ? spread : operation.add(CropOperator(amounts: crop), spread))]
    },
  ]

  private static func reader(
    _ name: String, since: Opset = .iOS13, _ factor: String, _ mode: ReorganizeDataOperator.Mode
  ) -> OperationReader {
    OperationReader(name, since: since, as: [ReorganizeDataOperator.self], .exact) { operation in
      let x: ProgramTensor = try operation.tensor("x")
      guard x.rank == 4 else {
        throw operation.invalid("'x' has \(x.rank ?? 0) dimensions, expected 4.")
      }
      let size: Int = try operation.int(factor)
      guard (1...65536).contains(size) else {
        throw operation.invalid("'\(factor)' is \(size), expected 1 to 65536.")
      }
      return [.value(operation.add(ReorganizeDataOperator(mode: mode, blockSize: size), x.id))]
    }
  }

  private static func block(_ operation: ProgramOperation) throws -> [Int] {
    guard operation.has("block_shape") else {
      throw operation.invalid("the input 'block_shape' is missing.")
    }
    let block: [Int] = try operation.sizes("block_shape", count: 2)
    guard block.allSatisfy({ $0 <= 65536 }) else {
      throw operation.invalid("'block_shape' is \(block), expected at most 65536.")
    }
    return block
  }

  private static func edges(_ operation: ProgramOperation, _ input: String) throws -> EdgeAmounts {
    guard operation.has(input) else {
      throw operation.invalid("the input '\(input)' is missing.")
    }
    let amounts: [Int] = try operation.sizes(input, count: 4, least: 0)
    return EdgeAmounts(
      top: amounts[0], bottom: amounts[1], left: amounts[2], right: amounts[3])
  }

  /// Moves blocks of pixels to samples of the batch, or back. First reshapes `[B, C, H, W]` to `[1, B · C, H, W]`. Then
  /// moves the blocks to these joined channels, or back. Last separates the batch from the channels.
  private static func reorganized(
    _ operation: ProgramOperation, _ value: Graph.ValueID, _ mode: ReorganizeDataOperator.Mode,
    _ block: [Int]
  ) throws -> Graph.ValueID {
    guard let extents = try operation.tensor("x").extents, extents.count == 4 else {
      throw operation.invalid(
        "'x' has \(try operation.tensor("x").rank ?? 0) dimensions, expected 4.")
    }
    guard let channels = extents[1] else {
      throw operation.unsupported("the channels of 'x' are not known, expected a known extent.")
    }
    let joined = operation.add(
      RankPreservingReshapeOperator(targetShape: [1, -1, 0, 0]), value)
    let moved = operation.add(
      ReorganizeDataOperator(mode: mode, blockHeight: block[0], blockWidth: block[1]), joined)
    return operation.add(
      RankPreservingReshapeOperator(targetShape: [-1, channels, 0, 0]), moved)
  }
}
