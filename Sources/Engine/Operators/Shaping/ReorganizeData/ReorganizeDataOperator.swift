import Backends
import Graph
import ModelFormat

/// Moves blocks of pixels into channels, or channels into blocks of pixels.
///
/// With blocks of *b* × *b* pixels, place `(r, s)` of a block, and `C` channels of the larger picture:
/// - ``Mode/spaceToDepth``: `y[(r b + s) C + c, h, w] = x[c, h b + r, w b + s]`,
/// - ``Mode/depthToSpace``: `y[c, h b + r, w b + s] = x[(r b + s) C + c, h, w]`, its inverse,
/// - ``Mode/pixelShuffle``: `y[c, h b + r, w b + s] = x[c b² + r b + s, h, w]`.
///
/// - Input: `[…, C, H, W]`, rank three or more. *b* must divide H and W, or *b*² divide C.
///
/// **Source:** `ReorganizeDataLayerParams`; Shi et al., “Real-Time Single Image and Video
/// Super-Resolution” (arXiv 1609.05158) for the last.
public struct ReorganizeDataOperator: Layer {
  public static let declaration = OperatorDeclaration(
    "ReorganizeData", specification: "reorganizeData",
    summary: "moves blocks of pixels into channels and back")

  /// What becomes what.
  public enum Mode: Sendable, Hashable {
    /// Pixels become channels, the place in the block outermost.
    case spaceToDepth
    /// Channels become pixels, the place in the block outermost.
    case depthToSpace
    /// Channels become pixels, the place in the block innermost.
    case pixelShuffle
  }

  /// What becomes what.
  public let mode: Mode
  /// The side of a block in pixels; at least 2.
  public let blockSize: Int

  /// A reorganisation by blocks of the given side.
  public init(mode: Mode, blockSize: Int) {
    self.mode = mode
    self.blockSize = blockSize
  }

  public init(decoding decoder: LayerDecoder) throws {
    guard case .reorganizeData(let message)? = decoder.message.layer else {
      throw decoder.notA("reorganizeData")
    }
    try decoder.requireInputs(1...1)
    let size: Int = try decoder.size(message.blockSize, "blockSize")
    guard (2...65536).contains(size) else {
      throw decoder.invalid("blockSize is \(size), expected 2 to 65536.")
    }
    switch message.mode {
    case .spaceToDepth: self.init(mode: .spaceToDepth, blockSize: size)
    case .depthToSpace: self.init(mode: .depthToSpace, blockSize: size)
    case .pixelShuffle: self.init(mode: .pixelShuffle, blockSize: size)
    case .unrecognized(let value):
      throw decoder.invalid("mode is \(value), expected 0 to 2.")
    }
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    var shape: Shape = inputs[0].shape
    try shape.requireRank(atLeast: 3)
    let area: Int = blockSize * blockSize
    if mode == .spaceToDepth {
      guard shape[-2] % blockSize == 0, shape[-1] % blockSize == 0 else {
        throw EngineError(
          .invalidInput,
          "the input (\(shape)) does not divide into blocks of \(blockSize) × \(blockSize) pixels.")
      }
      shape[-3] *= area
      shape[-2] /= blockSize
      shape[-1] /= blockSize
    } else {
      guard shape[-3] % area == 0 else {
        throw EngineError(
          .invalidInput,
          "the \(shape[-3]) channels of the input (\(shape)) do not divide by \(area), the pixels of a block."
        )
      }
      shape[-3] /= area
      shape[-2] *= blockSize
      shape[-1] *= blockSize
    }
    return [
      inputs[0].type.reshaped(to: try Shape.checked(shape.dimensions, limit: Shape.boundlessCount))
    ]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let input = inputs[0]
    let types = try outputTypes(for: [OperatorInput(TensorType(input.shape))]) ?? []
    let shape: Shape = types[0].shape
    let rank: Int = shape.rank
    let channels: Int = mode == .spaceToDepth ? input.shape[-3] : shape[-3]
    return [
      ReferenceTensor(shape) { index in
        var source = index
        let (channel, row, column) = (index[rank - 3], index[rank - 2], index[rank - 1])
        if mode == .spaceToDepth {
          let place: Int = channel / channels
          source[rank - 3] = channel % channels
          source[rank - 2] = row * blockSize + place / blockSize
          source[rank - 1] = column * blockSize + place % blockSize
        } else {
          let place: Int = row % blockSize * blockSize + column % blockSize
          source[rank - 3] =
            mode == .depthToSpace
            ? place * channels + channel : channel * blockSize * blockSize + place
          source[rank - 2] = row / blockSize
          source[rank - 1] = column / blockSize
        }
        return input[source]
      }
    ]
  }

  public var kernels: [KernelCandidate] {
    [.moves("native reorganize") { inputs, outputs in [move(inputs[0], outputs[0])] }]
  }

  private func move(_ input: Shape, _ output: Shape) -> Move {
    let rank: Int = input.rank
    let (channel, row, column) = (rank - 3, rank - 2, rank - 1)
    let packed: Shape = mode == .spaceToDepth ? output : input
    let channels: Int = (mode == .spaceToDepth ? input : output)[channel]
    let inner: Int = mode == .pixelShuffle ? 1 : channels
    let outer: Int = mode == .pixelShuffle ? blockSize * blockSize : 1
    // Loops with the axis and step in the packed picture (many channels) and in the spread one.
    let loops: [(extent: Int, packed: (Int, Int), spread: (Int, Int))] = [
      (blockSize, (channel, inner * blockSize), (row, 1)),
      (blockSize, (channel, inner), (column, 1)),
      (channels, (channel, outer), (channel, 1)),
      (packed[row], (row, 1), (row, blockSize)),
      (packed[column], (column, 1), (column, blockSize)),
    ]
    var dimensions: [Move.Dimension] = (0..<rank - 3).map { axis -> Move.Dimension in
      Move.Dimension(extent: input[axis], sourceAxis: axis, targetAxis: axis)
    }
    for loop in loops {
      let (source, target) =
        mode == .spaceToDepth ? (loop.spread, loop.packed) : (loop.packed, loop.spread)
      dimensions.append(
        Move.Dimension(
          extent: loop.extent, sourceAxis: source.0, sourceStep: source.1,
          targetAxis: target.0, targetStep: target.1))
    }
    return Move(sourceRank: rank, targetRank: rank, dimensions: dimensions)
  }
}
