import Graph

/// A gate ready to compute.
package struct RecurrentGate {
  package let inputs: Int
  package let matrix: [Double]
  package let recursion: [Double]
  package let bias: [Double]
  package let peephole: [Double]?
  /// The largest magnitude of a sum.
  package let bound: Double

  /// `clip(W x + R y + p ⊙ c + b)`.
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
      return kept(sum)
    }
  }

  /// `clip(W x + b + r ⊙ (R y + s))`: the recursion has a bias of its own and is reset as a whole.
  package func callAsFunction(
    _ x: ArraySlice<Double>, _ y: [Double], reset: [Double], recursionBias: [Double]?
  ) -> [Double] {
    let outputs: Int = bias.count
    return (0..<outputs).map { (row: Int) -> Double in
      var sum: Double = bias[row]
      for column in 0..<inputs {
        sum += matrix[row * inputs + column] * x[x.startIndex + column]
      }
      var remembered: Double = recursionBias?[row] ?? 0
      for column in 0..<outputs { remembered += recursion[row * outputs + column] * y[column] }
      return kept(sum + reset[row] * remembered)
    }
  }

  private func kept(_ sum: Double) -> Double {
    sum.isNaN ? sum : min(max(sum, -bound), bound)
  }
}

/// Walks along a sequence `[length, batch, size]`, forwards or backwards.
///
/// - Parameter step: changes the states (each of one batch entry) by the next vector; the first
///   state is the output.
/// - Returns: the outputs in the order of the walk, and the last states of every batch entry.
package func walk(
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

/// The first tensors of some `[steps][batch][size]`, as `[steps, batch, size, 1, 1]`.
package func recurrentOutputs(_ values: [[[[Double]]]], _ count: Int) -> [ReferenceTensor] {
  values.prefix(count).map { (steps: [[[Double]]]) -> ReferenceTensor in
    let batch: [[Double]] = steps.first ?? []
    let shape: Shape = [steps.count, batch.count, batch.first?.count ?? 0, 1, 1]
    return ReferenceTensor(shape, steps.flatMap { $0.flatMap { $0 } })
  }
}
