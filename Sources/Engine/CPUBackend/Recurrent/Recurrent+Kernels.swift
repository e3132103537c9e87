import CKernels
import Operators

extension SimpleRecurrentOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    [
      .recurrence(states: takesState ? 1 : 0) { [self] size in
        [
          RecurrentWalk(
            cell: CK_CELL_SIMPLE, weights: weights, activations: [activation], sumBound: sumBound,
            reverses: reversesInput, returnsSequence: returnsSequence, outputStride: size)
        ]
      }
    ]
  }
}

extension GRUOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    [
      .recurrence(states: takesState ? 1 : 0) { [self] size in
        [
          RecurrentWalk(
            cell: CK_CELL_GRU, weights: weights, activations: [gateActivation, activation],
            sumBound: sumBound, resetsRecursion: reset != .output,
            reverses: reversesInput, returnsSequence: returnsSequence, outputStride: size)
        ]
      }
    ]
  }
}

extension UniDirectionalLSTMOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    [
      .recurrence(states: takesStates ? 2 : 0) { [self] size in
        var walk: RecurrentWalk = cell.recurrentWalk(
          weights, returnsSequence: returnsSequence, outputStride: size)
        walk.reverses = reversesInput
        return [walk]
      }
    ]
  }
}

extension BiDirectionalLSTMOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    [
      .recurrence(states: takesStates ? 4 : 0) { [self] size in
        let ahead: RecurrentWalk = forwards.recurrentWalk(
          weights[0], returnsSequence: returnsSequence, outputStride: 2 * size)
        var back: RecurrentWalk = backwards.recurrentWalk(
          weights[1], returnsSequence: returnsSequence, outputStride: 2 * size)
        (back.reverses, back.outputsByTime, back.outputOffset) = (true, true, size)
        return [ahead, back]
      }
    ]
  }
}

extension LSTMCell {
  /// The cell's walk from the sequence's start.
  fileprivate func recurrentWalk(
    _ weights: RecurrentWeights, returnsSequence: Bool, outputStride: Int
  ) -> RecurrentWalk {
    RecurrentWalk(
      cell: CK_CELL_LSTM, weights: weights,
      activations: [gateActivation, blockActivation, outputActivation],
      shift: addsForgetBias ? (place: 1, by: 1) : nil, couplesGates: couplesGates,
      cellBound: cellBound, sumBound: sumBound, returnsSequence: returnsSequence,
      outputStride: outputStride)
  }
}
