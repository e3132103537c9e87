import Graph

/// Adds rows and columns at the edges of an image.
///
/// - Input: `[…, H, W]`, rank two or more.
/// - Output: `[…, H + top + bottom, W + left + right]`.
/// - Defaults of the model file: without amounts, no rows or columns are added. Without a mode, the added pixels are
///   zero.
/// - A reflection wider than the image alternates its direction, `2 3 2 1 2 | 1 2 3 …`, as in NumPy. The reflection of
///   an image with a single row or column repeats this row or column.
/// - Errors: a reflection or replication of an image without rows or columns.
///
/// **Source:** `PaddingLayerParams`.
public struct PaddingOperator: MovingOperator {
  public static let declaration = OperatorDeclaration(
    "Padding", summary: "adds rows and columns at the edges")

  /// The values of the added pixels.
  public enum Mode: Sendable, Hashable {
    /// All added pixels have this value.
    case constant(Float)
    /// The image reflected at its edge without repeating the edge: `3 2 | 1 2 3 | 2 1`.
    case reflection
    /// The nearest edge pixel, repeated: `1 1 | 1 2 3 | 3 3`.
    case replication
  }

  /// The numbers of rows and columns that are added.
  public let amounts: EdgeAmounts
  /// The values of the added pixels.
  public let mode: Mode

  /// Creates a padding that adds these amounts.
  public init(amounts: EdgeAmounts, mode: Mode = .constant(0)) {
    self.amounts = amounts
    self.mode = mode
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    let input: Shape = inputs[0].shape
    try input.requireRank(atLeast: 2)
    try check(input[-2], "rows", amounts.top, amounts.bottom)
    try check(input[-1], "columns", amounts.left, amounts.right)
    var dimensions: [Int] = input.dimensions
    dimensions[input.rank - 2] += amounts.top + amounts.bottom
    dimensions[input.rank - 1] += amounts.left + amounts.right
    return [inputs[0].type.reshaped(to: try Shape.checked(dimensions, limit: Shape.boundlessCount))]
  }

  private func check(_ extent: Int, _ what: String, _ before: Int, _ after: Int) throws {
    let largest: Int = max(before, after)
    switch mode {
    case .constant: return
    case .reflection, .replication:
      guard largest == 0 || extent > 0 else {
        throw EngineError(.invalidInput, "the input has no \(what) that could be repeated.")
      }
    }
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let input = inputs[0]
    let (height, width) = (input.shape[-2], input.shape[-1])
    var shape: Shape = input.shape
    shape[-2] += amounts.top + amounts.bottom
    shape[-1] += amounts.left + amounts.right
    return [
      ReferenceTensor(shape) { index in
        var source = index
        let row: Int = index[index.count - 2] - amounts.top
        let column: Int = index[index.count - 1] - amounts.left
        switch mode {
        case .constant(let value):
          guard (0..<height).contains(row), (0..<width).contains(column) else {
            return Double(value)
          }
          source[index.count - 2] = row
          source[index.count - 1] = column
        case .reflection:
          source[index.count - 2] = reflected(row, height)
          source[index.count - 1] = reflected(column, width)
        case .replication:
          source[index.count - 2] = min(max(row, 0), height - 1)
          source[index.count - 1] = min(max(column, 0), width - 1)
        }
        return input[source]
      }
    ]
  }

  package func reflected(_ position: Int, _ extent: Int) -> Int {
    guard extent > 1 else { return 0 }
    let period: Int = 2 * (extent - 1)
    let phase: Int = (position % period + period) % period
    return min(phase, period - phase)
  }
}
