import Graph

/// Moves blocks of pixels into channels, or channels into blocks of pixels.
///
/// In these formulas, a block has *b* rows and *d* columns, `(r, s)` is a position in a block, and `C` is the number of
/// channels of the image with more pixels (input or output):
/// - ``Mode/spaceToDepth``: `y[(r d + s) C + c, h, w] = x[c, h b + r, w d + s]`,
/// - ``Mode/depthToSpace``: `y[c, h b + r, w d + s] = x[(r d + s) C + c, h, w]`, the inverse of ``Mode/spaceToDepth``,
/// - ``Mode/pixelShuffle``: `y[c, h b + r, w d + s] = x[c b d + r d + s, h, w]`,
/// - ``Mode/pixelUnshuffle``: `y[c b d + r d + s, h, w] = x[c, h b + r, w d + s]`, the inverse of
///   ``Mode/pixelShuffle``.
///
/// - Input: `[…, channels, H, W]`, rank three or more. If pixels become channels, *b* must divide H, and *d* must
///   divide W. If channels become pixels, *b d* must divide the input's number of channels.
///
/// **Source:** `ReorganizeDataLayerParams`; Shi et al., “Real-Time Single Image and Video
/// Super-Resolution” (arXiv 1609.05158) for the shuffles.
public struct ReorganizeDataOperator: MovingOperator {
  public static let declaration = OperatorDeclaration(
    "ReorganizeData",
    summary: "moves blocks of pixels into channels and back")

  /// The direction and the order of the reorganisation.
  public enum Mode: Sendable, Hashable {
    /// Pixels become channels. The position in the block is the outermost part of a channel's index.
    case spaceToDepth
    /// Channels become pixels. The position in the block is the outermost part of a channel's index.
    case depthToSpace
    /// Channels become pixels. The position in the block is the innermost part of a channel's index.
    case pixelShuffle
    /// Pixels become channels. The position in the block is the innermost part of a channel's index.
    case pixelUnshuffle

    /// Whether pixels become channels; otherwise channels become pixels.
    package var packs: Bool { self == .spaceToDepth || self == .pixelUnshuffle }
    /// Whether the position in the block is the innermost part of a channel's index.
    package var isInnermost: Bool { self == .pixelShuffle || self == .pixelUnshuffle }
  }

  /// The direction and the order of the reorganisation.
  public let mode: Mode
  /// The number of rows of a block.
  public let blockHeight: Int
  /// The number of columns of a block.
  public let blockWidth: Int

  /// Creates a reorganisation with blocks of `blockSize` rows and columns.
  public init(mode: Mode, blockSize: Int) {
    self.init(mode: mode, blockHeight: blockSize, blockWidth: blockSize)
  }

  /// Creates a reorganisation with blocks of this many rows and columns.
  public init(mode: Mode, blockHeight: Int, blockWidth: Int) {
    self.mode = mode
    self.blockHeight = blockHeight
    self.blockWidth = blockWidth
  }

  /// The number of pixels of a block.
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
          "the \(shape[-3]) channels of the input (\(shape)) do not divide by \(area), the number of pixels of a block."
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
          let position: Int = mode.isInnermost ? channel % area : channel / channels
          source[rank - 3] = mode.isInnermost ? channel / area : channel % channels
          source[rank - 2] = row * blockHeight + position / blockWidth
          source[rank - 1] = column * blockWidth + position % blockWidth
        } else {
          let position: Int = row % blockHeight * blockWidth + column % blockWidth
          source[rank - 3] =
            mode.isInnermost ? channel * area + position : position * channels + channel
          source[rank - 2] = row / blockHeight
          source[rank - 1] = column / blockWidth
        }
        return input[source]
      }
    ]
  }
}
