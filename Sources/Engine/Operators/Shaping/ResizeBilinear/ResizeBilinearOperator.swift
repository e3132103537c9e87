import Graph

/// Resizes a picture to a given size, interpolating between four pixels.
///
/// `y[i, j] = x` at row `grid(i)` and column `grid(j)`; see ``SamplingGrid``.
///
/// - Input: `[…, C, H, W]`, rank three or more.
/// - Output: `[…, C, height, width]`.
/// - Defaults: the size 1 × 1, the grid ``SamplingGrid/strictAlignEndpoints``.
///
/// **Source:** `ResizeBilinearLayerParams`.
public struct ResizeBilinearOperator: Operator, Hashable {
  public static let declaration = OperatorDeclaration(
    "ResizeBilinear",
    summary: "resizes a picture to a given size, interpolating")

  /// Rows of the output.
  public let height: Int
  /// Columns of the output.
  public let width: Int
  /// Where the input is read.
  public let grid: SamplingGrid

  /// A resizing to the given size.
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

/// The shape of a picture at another size; throws when there is nothing to read from.
package func resizedShape(_ input: Shape, height: Int, width: Int) throws -> Shape {
  guard input[-2] > 0 && input[-1] > 0 || height == 0 || width == 0 else {
    throw EngineError(.invalidInput, "the input (\(input)) has no pixels to resize from.")
  }
  return try Shape.checked(
    Array(input.dimensions.dropLast(2)) + [height, width], limit: Shape.boundlessCount)
}
