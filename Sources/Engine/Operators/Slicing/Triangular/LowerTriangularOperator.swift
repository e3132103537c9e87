import Graph

/// Keeps the elements on or below a diagonal: `y[i, j] = x[i, j]` where `j − i ≤ k`, 0 elsewhere.
///
/// - Input: rank two or more, with matrices in the last two axes.
/// - Default of the initialiser: k is 0, the main diagonal. Diagonals above it are positive.
///
/// **Source:** `LowerTriangularLayerParams`.
public struct LowerTriangularOperator: MovingOperator {
  public static let declaration = OperatorDeclaration(
    "LowerTriangular", summary: "clears the elements above a diagonal")

  /// The number k of the highest diagonal to keep. The main diagonal is 0, and diagonals above it are positive.
  public let diagonal: Int

  /// Creates an operator that keeps the elements on or below this diagonal.
  public init(diagonal: Int = 0) { self.diagonal = diagonal }

  /// The band that is kept.
  package var band: DiagonalBand { DiagonalBand(highest: diagonal) }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    [try band.type(for: inputs[0])]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    [band.apply(inputs[0])]
  }
}
