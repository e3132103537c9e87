import Graph

/// Keeps the elements on or above a diagonal: `y[i, j] = x[i, j]` where `j − i ≥ k`, 0 elsewhere.
///
/// - Input: rank two or more, with matrices in the last two axes.
/// - Default of the initialiser: k is 0, the main diagonal. Diagonals above it are positive.
///
/// **Source:** `UpperTriangularLayerParams`.
public struct UpperTriangularOperator: MovingOperator {
  public static let declaration = OperatorDeclaration(
    "UpperTriangular", summary: "clears the elements below a diagonal")

  /// The number k of the lowest diagonal to keep. The main diagonal is 0, and diagonals above it are positive.
  public let diagonal: Int

  /// Creates an operator that keeps the elements on or above this diagonal.
  public init(diagonal: Int = 0) { self.diagonal = diagonal }

  /// The band that is kept.
  package var band: DiagonalBand { DiagonalBand(lowest: diagonal) }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    [try band.type(for: inputs[0])]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    [band.apply(inputs[0])]
  }
}
