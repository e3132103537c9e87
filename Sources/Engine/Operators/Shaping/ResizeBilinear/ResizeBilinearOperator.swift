import Graph

/// Resizes an image to a given size with bilinear interpolation.
///
/// `y[i, j]` is the value of `x` at row `grid(i)` and column `grid(j)`; see ``SamplingGrid``.
///
/// - Input: `[…, C, H, W]`, rank three or more.
/// - Output: `[…, C, height, width]`.
/// - Defaults of the model file: size 1 × 1, grid ``SamplingGrid/strictAlignEndpoints``.
///
/// **Source:** `ResizeBilinearLayerParams`.
public struct ResizeBilinearOperator: Operator, Hashable {
  public static let declaration = OperatorDeclaration(
    "ResizeBilinear",
    summary: "resizes an image to a given size with bilinear interpolation")

  /// The number of rows of the output.
  public let height: Int
  /// The number of columns of the output.
  public let width: Int
  /// The placement of the points at which the input is read.
  public let grid: SamplingGrid

  /// Creates a resize to this size.
  public init(height: Int, width: Int, grid: SamplingGrid) {
    self.height = height
    self.width = width
    self.grid = grid
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    let shape: Shape = inputs[0].shape
    try shape.requireRank(atLeast: 3)
    return [
      inputs[0].type.reshaped(to: try resizedShape(shape, height: height, width: width))
    ]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    [resized(inputs[0], height: height, width: width, grid: grid)]
  }
}

/// Returns the shape of a resized image. Throws if the input has no pixels but the output has.
package func resizedShape(_ input: Shape, height: Int, width: Int) throws -> Shape {
  guard input[-2] > 0 && input[-1] > 0 || height == 0 || width == 0 else {
    throw EngineError(.invalidInput, "the input (\(input)) has no pixels to resize from.")
  }
  return try Shape.checked(
    Array(input.dimensions.dropLast(2)) + [height, width], limit: Shape.boundlessCount)
}
