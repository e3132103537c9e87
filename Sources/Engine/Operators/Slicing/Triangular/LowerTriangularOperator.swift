import Graph

/// Keeps what lies on or below a diagonal: `y[i, j] = x[i, j]` where `j − i ≤ k`, else 0.
///
/// - Input: matrices in the last two axes, rank two or more.
/// - Default: k is 0, the main diagonal; positive lies above it.
///
/// **Source:** `LowerTriangularLayerParams`.
public struct LowerTriangularOperator: MovingOperator {
  public static let declaration = OperatorDeclaration(
    "LowerTriangular", summary: "clears what lies above a diagonal")

  /// The diagonal above which elements become zero; 0 is the main one, positive lies above.
  public let diagonal: Int

  /// A triangle up to the diagonal.
  public init(diagonal: Int = 0) { self.diagonal = diagonal }

  /// What is kept.
  package var band: DiagonalBand { DiagonalBand(highest: diagonal) }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    [try band.type(for: inputs[0])]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    [band.apply(inputs[0])]
  }
}
