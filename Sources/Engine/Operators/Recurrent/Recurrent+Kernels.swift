import CKernels
import Backends
import Graph

extension SimpleRecurrentOperator {
  public var kernels: [KernelCandidate] {
    [
      .recurrence { [self] in
        [
          RecurrentWalk(
            cell: CK_CELL_SIMPLE, gates: [gate], activations: [activation],
            reverses: reversesInput, returnsSequence: returnsSequence, outputStride: sizes.output)
        ]
      }
    ]
  }
}

extension GRUOperator {
  public var kernels: [KernelCandidate] {
    [
      .recurrence { [self] in
        [
          RecurrentWalk(
            cell: CK_CELL_GRU, gates: [update, reset, output], activations: activations,
            reverses: reversesInput, returnsSequence: returnsSequence, outputStride: sizes.output)
        ]
      }
    ]
  }
}

extension UniDirectionalLSTMOperator {
  public var kernels: [KernelCandidate] {
    [
      .recurrence { [self] in
        var walk: RecurrentWalk = cell.recurrentWalk(
          returnsSequence: returnsSequence, outputStride: cell.sizes.output)
        walk.reverses = reversesInput
        return [walk]
      }
    ]
  }
}

extension BiDirectionalLSTMOperator {
  public var kernels: [KernelCandidate] {
    [
      .recurrence { [self] in
        let size: Int = forwards.sizes.output
        let ahead: RecurrentWalk = forwards.recurrentWalk(
          returnsSequence: returnsSequence, outputStride: 2 * size)
        var back: RecurrentWalk = backwards.recurrentWalk(
          returnsSequence: returnsSequence, outputStride: 2 * size)
        (back.reverses, back.outputsByTime, back.outputOffset) = (true, true, size)
        return [ahead, back]
      }
    ]
  }
}

extension LSTMCell {
  /// The cell's walk from the sequence's start.
  package func recurrentWalk(returnsSequence: Bool, outputStride: Int) -> RecurrentWalk {
    RecurrentWalk(
      cell: CK_CELL_LSTM, gates: [input, forget, block, output], activations: activations,
      peepholes: [input, forget, output].compactMap(\.peephole),
      shift: addsForgetBias ? (place: 1, by: 1) : nil, couplesGates: couplesGates,
      cellBound: cellClip, returnsSequence: returnsSequence, outputStride: outputStride)
  }
}
