import Backends
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

  /// Copies the kept part of each row and writes zeros around it: dense, in the input's type; works in
  /// place.
  package var kernel: KernelCandidate {
    KernelCandidate("native band") { request in
      var form: TensorDescriptor = request.followed()
      form.layout = .dense
      return Kernel(
        BandStep(self, form), inputs: [form], outputs: [form], inPlaceInput: 0)
    }
  }
}

/// Keeps a band of each matrix.
package final class BandStep: Step, @unchecked Sendable {
  private let band: DiagonalBand
  private let rows: Int
  private let width: Int
  private let elementBytes: Int
  private let matrices: Int

  package init(_ band: DiagonalBand, _ form: TensorDescriptor) {
    let shape: Shape = form.shape
    self.band = band
    (rows, width) = (shape[-2], shape[-1])
    elementBytes = form.storage.byteCount
    matrices = shape.product(0..<shape.rank - 2)
  }

  package override func run(_ memory: StepMemory) throws {
    // Safe: both memories hold `matrices` × rows × rowBytes; a row is moved before it is cleared around,
    // and they are either the same or apart.
    let source: UnsafeMutableRawPointer = memory.inputs[0]
    let target: UnsafeMutableRawPointer = memory.outputs[0]
    let rowBytes: Int = width * elementBytes
    var start = 0
    for _ in 0..<matrices {
      for index in 0..<rows {
        let columns: Range<Int> = band.columns(row: index, of: width)
        let first: Int = columns.lowerBound * elementBytes
        let end: Int = columns.upperBound * elementBytes
        let row: UnsafeMutableRawPointer = target + start
        if source != target, first < end {
          (row + first).copyMemory(from: source + start + first, byteCount: end - first)
        }
        row.initializeMemory(as: UInt8.self, repeating: 0, count: first)
        (row + end).initializeMemory(as: UInt8.self, repeating: 0, count: rowBytes - end)
        start += rowBytes
      }
    }
  }
}
