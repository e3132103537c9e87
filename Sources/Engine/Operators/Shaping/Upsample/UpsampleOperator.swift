import Graph

/// Enlarges a picture by factors, repeating pixels or interpolating between them.
///
/// Nearest: `y[i, j] = x[i · H / H', j · W / W']`, rounded down, with the output's `H' × W'`. Bilinear: at row `grid(i)` and column
/// `grid(j)`; see ``SamplingGrid``.
///
/// - Input: `[…, C, H, W]`, rank three or more.
/// - Output: `[…, C, ⌊fh·H⌋, ⌊fw·W⌋]`.
/// - Defaults: the factors 1 × 1, nearest; bilinear's default grid is ``SamplingGrid/upsample``, with
///   aligned corners ``SamplingGrid/strictAlignEndpoints``, without ``SamplingGrid/pixelCentres``.
/// - Factors with fractions count for the size of the output alone: the picture is spread over it.
///
/// **Source:** `UpsampleLayerParams`.
public struct UpsampleOperator: Operator {
  public static let declaration = OperatorDeclaration(
    "Upsample", summary: "enlarges a picture by factors")

  /// How values between pixels are found.
  public enum Mode: Sendable, Hashable {
    /// The pixel that covers the place.
    case nearest
    /// Between four pixels, read at the points of a grid.
    case bilinear(SamplingGrid)
  }

  /// The factor for rows.
  public let heightFactor: Float
  /// The factor for columns.
  public let widthFactor: Float
  /// How values between pixels are found.
  public let mode: Mode

  /// An enlargement by factors.
  public init(heightFactor: Float, widthFactor: Float, mode: Mode = .nearest) {
    self.heightFactor = heightFactor
    self.widthFactor = widthFactor
    self.mode = mode
  }

  /// Whether both factors are whole numbers, so that every pixel stands as often.
  package var hasWholeFactors: Bool {
    heightFactor == heightFactor.rounded() && widthFactor == widthFactor.rounded()
  }

  /// The size of the output for an input of the given shape.
  /// Larger sizes than an axis can have are kept, so that the shape is refused.
  private static let sizes: ClosedRange<Int> = 0...1 << 31

  private func size(_ input: Shape) -> (height: Int, width: Int) {
    // The product is rounded to single precision first, so that 2.3 × 10 makes 23.
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
