import Graph

/// Which elements of a matrix are kept: those between two diagonals.
///
/// The diagonal of an element is its column minus its row: 0 on the main one, positive above.
package struct DiagonalBand: Sendable, Hashable {
  /// The lowest diagonal kept; nil for no limit.
  package var lowest: Int?
  /// The highest diagonal kept; nil for no limit.
  package var highest: Int?

  /// The columns of a row that are kept.
  package func columns(row: Int, of width: Int) -> Range<Int> {
    let first: Int = min(max(lowest.map { row + $0 } ?? 0, 0), width)
    let end: Int = min(max(highest.map { row + $0 + 1 } ?? width, first), width)
    return first..<end
  }

  /// The matrices of a tensor with zeros outside of the band, in plain loops.
  package func apply(_ input: ReferenceTensor) -> ReferenceTensor {
    ReferenceTensor(input.shape) { index in
      let diagonal: Int = index[index.count - 1] - index[index.count - 2]
      let isKept: Bool =
        lowest.map { diagonal >= $0 } ?? true && highest.map { diagonal <= $0 } ?? true
      return isKept ? input[index] : 0
    }
  }

  /// Checks that there is a matrix.
  package func type(for input: OperatorInput) throws -> TensorType {
    try input.shape.requireRank(atLeast: 2)
    return input.type
  }
}
