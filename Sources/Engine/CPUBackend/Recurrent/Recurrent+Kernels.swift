import CKernels
import Operators

extension SimpleRecurrentOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    [
      .recurrence(states: takesState ? 1 : 0) { [self] size in
        [
          RecurrentPass(
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
          RecurrentPass(
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
        var pass: RecurrentPass = cell.recurrentPass(
          weights, returnsSequence: returnsSequence, outputStride: size)
        pass.reverses = reversesInput
        return [pass]
      }
    ]
  }
}

extension BiDirectionalLSTMOperator: KernelProvider {
  public var kernels: [KernelCandidate] {
    [
      .recurrence(states: takesStates ? 4 : 0) { [self] size in
        let forward: RecurrentPass = forwards.recurrentPass(
          weights[0], returnsSequence: returnsSequence, outputStride: 2 * size)
        var backward: RecurrentPass = backwards.recurrentPass(
          weights[1], returnsSequence: returnsSequence, outputStride: 2 * size)
        (backward.reverses, backward.outputsByTime, backward.outputOffset) = (true, true, size)
        return [forward, backward]
      }
    ]
  }
}

extension LSTMCell {
  /// Returns the cell's pass over the sequence, from its start.
  fileprivate func recurrentPass(
    _ weights: RecurrentWeights, returnsSequence: Bool, outputStride: Int
  ) -> RecurrentPass {
    RecurrentPass(
      cell: CK_CELL_LSTM, weights: weights,
      activations: [gateActivation, blockActivation, outputActivation],
      shift: addsForgetBias ? (gate: 1, by: 1) : nil, couplesGates: couplesGates,
      cellBound: cellBound, sumBound: sumBound, returnsSequence: returnsSequence,
      outputStride: outputStride)
  }
}
