import Graph

/// Enlarges an image by a factor per axis. Repeats pixels or interpolates between pixels.
///
/// Nearest mode: `y[i, j] = x[i · H / H', j · W / W']` for an output of `H' × W'`, with indices rounded down.
///
/// Bilinear mode: `y[i, j]` is the value of `x` at row `grid(i)` and column `grid(j)`; see ``SamplingGrid``.
///
/// - Input: `[…, C, H, W]`, rank three or more.
/// - Output: `[…, C, ⌊fh·H⌋, ⌊fw·W⌋]`, where `fh` and `fw` are the factors for rows and columns.
/// - Defaults of the model file: factors 1 × 1, nearest mode. In bilinear mode the default grid is
///   ``SamplingGrid/upsample``. If the model asks for aligned corners, the grid is
///   ``SamplingGrid/strictAlignEndpoints``. If the model asks for unaligned corners, the grid is
///   ``SamplingGrid/pixelCentres``.
/// - A factor with a fraction only determines the size of the output. The points are spread evenly over the image.
///
/// **Source:** `UpsampleLayerParams`.
public struct UpsampleOperator: Operator {
  public static let declaration = OperatorDeclaration(
    "Upsample", summary: "enlarges an image by factors")

  /// The interpolation between pixels.
  public enum Mode: Sendable, Hashable {
    /// Copies the pixel that contains the point.
    case nearest
    /// Interpolates bilinearly between four pixels, at the points of the grid.
    case bilinear(SamplingGrid)
  }

  /// The factor for rows.
  public let heightFactor: Float
  /// The factor for columns.
  public let widthFactor: Float
  /// The interpolation between pixels.
  public let mode: Mode

  /// Creates an upsampling by these factors.
  public init(heightFactor: Float, widthFactor: Float, mode: Mode = .nearest) {
    self.heightFactor = heightFactor
    self.widthFactor = widthFactor
    self.mode = mode
  }

  /// Whether both factors are integers. In that case every pixel has the same number of copies.
  package var hasIntegerFactors: Bool {
    heightFactor == heightFactor.rounded() && widthFactor == widthFactor.rounded()
  }

  /// The range to which the output's sizes are clamped. A size at the upper end then fails the check of the output's
  /// shape.
  private static let sizes: ClosedRange<Int> = 0...1 << 31

  private func size(_ input: Shape) -> (height: Int, width: Int) {
    // The product is rounded to single precision before it is rounded down, so that 2.3 × 10 gives 23.
    let height: Float = (heightFactor * Float(input[-2])).rounded(.down)
    let width: Float = (widthFactor * Float(input[-1])).rounded(.down)
    return (Int(bounding: height, to: Self.sizes), Int(bounding: width, to: Self.sizes))
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    let shape: Shape = inputs[0].shape
    try shape.requireRank(atLeast: 3)
    let (height, width) = size(shape)
    return [
      inputs[0].type.reshaped(to: try resizedShape(shape, height: height, width: width))
    ]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let input = inputs[0]
    let (height, width) = size(input.shape)
    switch mode {
    case .bilinear(let grid):
      return [resized(input, height: height, width: width, grid: grid)]
    case .nearest:
      var shape: Shape = input.shape
      shape[-2] = height
      shape[-1] = width
      let (rows, columns) = (input.shape[-2], input.shape[-1])
      return [
        ReferenceTensor(shape) { index in
          var source = index
          source[index.count - 2] = index[index.count - 2] * rows / height
          source[index.count - 1] = index[index.count - 1] * columns / width
          return input[source]
        }
      ]
    }
  }
}
