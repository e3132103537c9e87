import Graph

/// A band of a matrix: the elements between two diagonals, both included. Operators keep the elements of the band and
/// set all others to zero.
///
/// The number of an element's diagonal is the element's column minus its row. The main diagonal has the number 0, and
/// diagonals above it have positive numbers.
package struct DiagonalBand: Sendable, Hashable {
  /// The number of the lowest diagonal to keep; nil for no limit.
  package var lowest: Int?
  /// The number of the highest diagonal to keep; nil for no limit.
  package var highest: Int?

  /// Returns the columns of a row that are in the band, for a matrix with `width` columns.
  package func columns(row: Int, of width: Int) -> Range<Int> {
    let first: Int = min(max(lowest.map { row + $0 } ?? 0, 0), width)
    let end: Int = min(max(highest.map { row + $0 + 1 } ?? width, first), width)
    return first..<end
  }

  /// Sets the elements outside the band to zero, in every matrix of a tensor, for reference implementations.
  package func apply(_ input: ReferenceTensor) -> ReferenceTensor {
    ReferenceTensor(input.shape) { index in
      let diagonal: Int = index[index.count - 1] - index[index.count - 2]
      let isKept: Bool =
        lowest.map { diagonal >= $0 } ?? true && highest.map { diagonal <= $0 } ?? true
      return isKept ? input[index] : 0
    }
  }

  /// Returns the output's type, which is the input's type. Throws if the input has fewer than two dimensions.
  package func type(for input: OperatorInput) throws -> TensorType {
    try input.shape.requireRank(atLeast: 2)
    return input.type
  }
}
