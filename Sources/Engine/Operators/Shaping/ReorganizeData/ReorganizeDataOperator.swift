import Graph

/// Moves blocks of pixels into channels, or channels into blocks of pixels.
///
/// With blocks of *b* × *d* pixels, place `(r, s)` of a block, and `C` channels of the larger picture:
/// - ``Mode/spaceToDepth``: `y[(r d + s) C + c, h, w] = x[c, h b + r, w d + s]`,
/// - ``Mode/depthToSpace``: `y[c, h b + r, w d + s] = x[(r d + s) C + c, h, w]`, its inverse,
/// - ``Mode/pixelShuffle``: `y[c, h b + r, w d + s] = x[c b d + r d + s, h, w]`,
/// - ``Mode/pixelUnshuffle``: `y[c b d + r d + s, h, w] = x[c, h b + r, w d + s]`, its inverse.
///
/// - Input: `[…, C, H, W]`, rank three or more. *b* must divide H and *d* W, or *b d* divide C.
///
/// **Source:** `ReorganizeDataLayerParams`; Shi et al., “Real-Time Single Image and Video
/// Super-Resolution” (arXiv 1609.05158) for the shuffles.
public struct ReorganizeDataOperator: MovingOperator {
  public static let declaration = OperatorDeclaration(
    "ReorganizeData",
    summary: "moves blocks of pixels into channels and back")

  /// What becomes what.
  public enum Mode: Sendable, Hashable {
    /// Pixels become channels, the place in the block outermost.
    case spaceToDepth
    /// Channels become pixels, the place in the block outermost.
    case depthToSpace
    /// Channels become pixels, the place in the block innermost.
    case pixelShuffle
    /// Pixels become channels, the place in the block innermost.
    case pixelUnshuffle

    /// Whether pixels become channels.
    package var packs: Bool { self == .spaceToDepth || self == .pixelUnshuffle }
    /// Whether the place in the block is the innermost part of a channel's number.
    package var isInnermost: Bool { self == .pixelShuffle || self == .pixelUnshuffle }
  }

  /// What becomes what.
  public let mode: Mode
  /// The rows of a block.
  public let blockHeight: Int
  /// The columns of a block.
  public let blockWidth: Int

  /// A reorganisation by square blocks of the given side.
  public init(mode: Mode, blockSize: Int) {
    self.init(mode: mode, blockHeight: blockSize, blockWidth: blockSize)
  }

  /// A reorganisation by blocks of so many rows and columns.
  public init(mode: Mode, blockHeight: Int, blockWidth: Int) {
    self.mode = mode
    self.blockHeight = blockHeight
    self.blockWidth = blockWidth
  }

  /// The pixels of a block.
  package var area: Int { [blockHeight, blockWidth].product }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    var shape: Shape = inputs[0].shape
    try shape.requireRank(atLeast: 3)
    if mode.packs {
      guard shape[-2] % blockHeight == 0, shape[-1] % blockWidth == 0 else {
        throw EngineError(
          .invalidInput,
          "the input (\(shape)) does not divide into blocks of \(blockHeight) × \(blockWidth) pixels."
        )
      }
      shape[-3] = [shape[-3], area].product
      shape[-2] /= blockHeight
      shape[-1] /= blockWidth
    } else {
      guard shape[-3] % area == 0 else {
        throw EngineError(
          .invalidInput,
          "the \(shape[-3]) channels of the input (\(shape)) do not divide by \(area), the pixels of a block."
        )
      }
      shape[-3] /= area
      shape[-2] = [shape[-2], blockHeight].product
      shape[-1] = [shape[-1], blockWidth].product
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
    let channels: Int = mode.packs ? input.shape[-3] : shape[-3]
    return [
      ReferenceTensor(shape) { index in
        var source = index
        let (channel, row, column) = (index[rank - 3], index[rank - 2], index[rank - 1])
        if mode.packs {
          let place: Int = mode.isInnermost ? channel % area : channel / channels
          source[rank - 3] = mode.isInnermost ? channel / area : channel % channels
          source[rank - 2] = row * blockHeight + place / blockWidth
          source[rank - 1] = column * blockWidth + place % blockWidth
        } else {
          let place: Int = row % blockHeight * blockWidth + column % blockWidth
          source[rank - 3] =
            mode.isInnermost ? channel * area + place : place * channels + channel
          source[rank - 2] = row / blockHeight
          source[rank - 1] = column / blockWidth
        }
        return input[source]
      }
    ]
  }
}
