import Backends
import Graph
import Operators

extension DiagonalBand {
  /// Copies the band of each row and writes zeros around it. Tensors are dense and have the input's type. May run in
  /// place.
  package var kernel: KernelCandidate {
    KernelCandidate("native band matrix", elements: .copied) { request in
      var form: TensorDescriptor = request.followed()
      form.layout = .dense
      return Kernel(
        BandStep(self, form), inputs: [form], outputs: [form], inPlaceInput: 0)
    }
  }
}

/// Keeps a band of each matrix.
private final class BandStep: Step, @unchecked Sendable {
  private let band: DiagonalBand
  private let rows: Int
  private let width: Int
  private let elementBytes: Int
  private let matrices: Int

  init(_ band: DiagonalBand, _ form: TensorDescriptor) {
    let shape: Shape = form.shape
    self.band = band
    (rows, width) = (shape[-2], shape[-1])
    elementBytes = form.storage.byteCount
    matrices = shape.product(0..<shape.rank - 2)
  }

  override func run(_ memory: StepMemory) throws {
    // Safe: both memories hold `matrices` × rows × rowBytes. Either they are the same memory, or they do not overlap.
    // The band of a row is copied before zeros are written around the band.
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
