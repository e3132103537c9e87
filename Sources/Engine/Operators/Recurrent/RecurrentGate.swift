import Graph

/// One gate of a recurrent cell with its weights, for the reference implementations of the recurrent operators.
package struct RecurrentGate {
  /// The length of an input vector.
  package let inputs: Int
  /// W, the input matrix `[output, input]` in row-major order.
  package let matrix: [Double]
  /// R, the recursion matrix `[output, output]` in row-major order.
  package let recursion: [Double]
  /// b, the bias `[output]`.
  package let bias: [Double]
  /// p, the peephole `[output]`; nil if the gate does not read the cell state.
  package let peephole: [Double]?
  /// The largest magnitude of the gate's sum before the activation. Larger sums are clipped.
  package let bound: Double

  /// Computes the gate's sum, without the activation: `clip(W x + R y + p ⊙ c + b + shift)`.
  package func callAsFunction(
    _ x: ArraySlice<Double>, _ y: [Double], cell: [Double]? = nil, shift: Double = 0
  ) -> [Double] {
    let outputs: Int = bias.count
    return (0..<outputs).map { (row: Int) -> Double in
      var sum: Double = bias[row] + shift
      for column in 0..<inputs {
        sum += matrix[row * inputs + column] * x[x.startIndex + column]
      }
      for column in 0..<outputs { sum += recursion[row * outputs + column] * y[column] }
      if let peephole, let cell { sum += peephole[row] * cell[row] }
      return clipped(sum)
    }
  }

  /// Computes the sum of a GRU's output gate, without the activation: `clip(W x + b + r ⊙ (R y + s))`. `r` is `reset`,
  /// and `s` is `recursionBias`, or 0 if `recursionBias` is nil.
  package func callAsFunction(
    _ x: ArraySlice<Double>, _ y: [Double], reset: [Double], recursionBias: [Double]?
  ) -> [Double] {
    let outputs: Int = bias.count
    return (0..<outputs).map { (row: Int) -> Double in
      var sum: Double = bias[row]
      for column in 0..<inputs {
        sum += matrix[row * inputs + column] * x[x.startIndex + column]
      }
      var recurrentSum: Double = recursionBias?[row] ?? 0
      for column in 0..<outputs { recurrentSum += recursion[row * outputs + column] * y[column] }
      return clipped(sum + reset[row] * recurrentSum)
    }
  }

  private func clipped(_ sum: Double) -> Double {
    sum.isNaN ? sum : min(max(sum, -bound), bound)
  }
}

/// Runs a cell along the sequence `input` of shape `[length, batch, inputs]`, forwards or backwards.
///
/// - Parameters:
///   - size: the length of an output vector.
///   - step: updates the states of one batch entry with the next input vector. The first state is the cell's output.
/// - Returns: the outputs `[length][batch][size]` in the order of reading, and the last states of every batch entry.
package func runSteps(
  _ input: ReferenceTensor, reverse: Bool, states: [ReferenceTensor], stateCount: Int, size: Int,
  step: (_ x: ArraySlice<Double>, _ states: inout [[Double]]) -> Void
) -> (outputs: [[[Double]]], last: [[[Double]]]) {
  let (length, batch, inputs) = (input.shape[0], input.shape[1], input.shape[2])
  var current: [[[Double]]] = (0..<batch).map { (entry: Int) -> [[Double]] in
    (0..<stateCount).map { (state: Int) -> [Double] in
      guard state < states.count else { return [Double](repeating: 0, count: size) }
      return Array(states[state].values[entry * size..<(entry + 1) * size])
    }
  }
  var outputs: [[[Double]]] = []
  for position in 0..<length {
    let time: Int = reverse ? length - 1 - position : position
    for entry in 0..<batch {
      let start: Int = (time * batch + entry) * inputs
      step(input.values[start..<start + inputs], &current[entry])
    }
    outputs.append(current.map { $0[0] })
  }
  return (outputs, current)
}

/// Converts the first `count` sequences of `values`, each `[steps][batch][size]`, to tensors
/// `[steps, batch, size, 1, 1]`.
package func recurrentOutputs(_ values: [[[[Double]]]], _ count: Int) -> [ReferenceTensor] {
  values.prefix(count).map { (steps: [[[Double]]]) -> ReferenceTensor in
    let batch: [[Double]] = steps.first ?? []
    let shape: Shape = [steps.count, batch.count, batch.first?.count ?? 0, 1, 1]
    return ReferenceTensor(shape, steps.flatMap { $0.flatMap { $0 } })
  }
}
