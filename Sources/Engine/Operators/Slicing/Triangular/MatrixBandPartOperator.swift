import Graph

/// Keeps a band around the main diagonal: `y[i, j] = x[i, j]` where `i − j ≤ lower` and
/// `j − i ≤ upper`, else 0.
///
/// - Input: matrices in the last two axes, rank two or more.
/// - A negative number of diagonals keeps all on that side.
///
/// **Source:** `MatrixBandPartLayerParams`.
public struct MatrixBandPartOperator: MovingOperator, Hashable {
  public static let declaration = OperatorDeclaration(
    "MatrixBandPart", summary: "keeps a band around the main diagonal")

  /// Diagonals kept below the main one; negative for all.
  public let lower: Int
  /// Diagonals kept above the main one; negative for all.
  public let upper: Int

  /// A band of so many diagonals.
  public init(lower: Int, upper: Int) {
    self.lower = lower
    self.upper = upper
  }

  /// What is kept.
  package var band: DiagonalBand {
    DiagonalBand(lowest: lower < 0 ? nil : -lower, highest: upper < 0 ? nil : upper)
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    [try band.type(for: inputs[0])]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    [band.apply(inputs[0])]
  }
}
