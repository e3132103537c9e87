import Graph

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
}
