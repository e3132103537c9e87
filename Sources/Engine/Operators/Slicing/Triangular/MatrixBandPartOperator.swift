import Graph

/// Keeps a band around the main diagonal: `y[i, j] = x[i, j]` where `i − j ≤ lower` and `j − i ≤ upper`, 0 elsewhere.
///
/// - Input: rank two or more, with matrices in the last two axes.
/// - A negative number keeps all diagonals on its side of the main diagonal.
///
/// **Source:** `MatrixBandPartLayerParams`.
public struct MatrixBandPartOperator: MovingOperator, Hashable {
  public static let declaration = OperatorDeclaration(
    "MatrixBandPart", summary: "keeps a band around the main diagonal")

  /// The number of diagonals to keep below the main diagonal; negative for all.
  public let lower: Int
  /// The number of diagonals to keep above the main diagonal; negative for all.
  public let upper: Int

  /// Creates an operator that keeps the main diagonal and this many diagonals below and above it.
  public init(lower: Int, upper: Int) {
    self.lower = lower
    self.upper = upper
  }

  /// The band that is kept.
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
