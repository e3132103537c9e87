import Graph

/// Where the weights of a recurrent operator stand among its inputs: after the sequence and the states, for
/// each gate a matrix `[output, input]` and a recursion `[output, output]`, then one bias `[output]` a gate,
/// then the peepholes `[output]`.
package struct RecurrentWeights: Sendable {
  /// The position of the first.
  package let first: Int
  /// The number of gates.
  package let gates: Int
  /// Whether every gate has a bias, else all are 0.
  package let hasBiases: Bool
  /// How many vectors multiply the cell state.
  package let peepholeCount: Int

  package init(first: Int, gates: Int, hasBiases: Bool, peepholeCount: Int = 0) {
    self.first = first
    self.gates = gates
    self.hasBiases = hasBiases
    self.peepholeCount = peepholeCount
  }

  /// The positions of the matrices, gate by gate.
  package var matrices: [Int] { (0..<gates).map { first + 2 * $0 } }
  /// The positions of the recursions, gate by gate.
  package var recursions: [Int] { (0..<gates).map { first + 2 * $0 + 1 } }
  /// The positions of the biases, gate by gate; empty without.
  package var biases: [Int] { hasBiases ? (0..<gates).map { first + 2 * gates + $0 } : [] }
  /// The positions of the peepholes; empty without.
  package var peepholes: [Int] {
    let start: Int = first + (hasBiases ? 3 : 2) * gates
    return (0..<peepholeCount).map { start + $0 }
  }
  /// The position after the last.
  package var end: Int { first + (hasBiases ? 3 : 2) * gates + peepholeCount }

  /// A gate ready to compute; `peephole` is its place among the peepholes, `bound` the largest magnitude of
  /// its sums.
  package func gate(
    _ gate: Int, of inputs: [ReferenceTensor], peephole: Int? = nil, bound: Double
  ) -> RecurrentGate {
    let matrix: ReferenceTensor = inputs[matrices[gate]]
    let size: Int = matrix.shape[0]
    return RecurrentGate(
      inputs: matrix.shape[1], matrix: matrix.values, recursion: inputs[recursions[gate]].values,
      bias: hasBiases ? inputs[biases[gate]].values : [Double](repeating: 0, count: size),
      peephole: peepholeCount == 0 ? nil : peephole.map { inputs[peepholes[$0]].values },
      bound: bound)
  }
}

extension RecurrentWeights {
  /// What is known of a sequence and its vectors.
  package struct Place {
    /// The sequence's length and batch.
    package let length: Int, batch: Int
    /// The length of a vector that goes out.
    package let size: Int
    /// The type of the numbers.
    package let element: ElementType
  }

  /// Checks the inputs of an operator with these weights: a sequence, so many states, the weights of each
  /// direction.
  ///
  /// A state may have more rows than the batch, which are not read: so coremltools writes PyTorch's packed
  /// sequences.
  package static func check(
    _ inputs: [OperatorInput], states: Int, _ directions: [RecurrentWeights]
  ) throws -> Place {
    let expected: Int = directions.last?.end ?? 1
    guard inputs.count == expected, let place = directions.first?.first else {
      throw EngineError(
        .invalidModel, "the layer has \(inputs.count) inputs, expected \(expected).")
    }
    let matrix: Shape = inputs[place].shape
    guard matrix.rank == 2, matrix.count > 0 else {
      throw EngineError(
        .invalidInput, "the matrix of a gate is \(matrix), expected a row and a column at least.")
    }
    let (size, width) = (matrix[0], matrix[1])
    for direction in directions { try direction.check(inputs, size: size, width: width) }
    let shape: Shape = inputs[0].shape
    guard shape.rank == 5, shape[2] == width, shape[3] == 1, shape[4] == 1 else {
      throw EngineError(
        .invalidInput,
        "the input has the shape \(shape), expected [sequence, batch, \(width), 1, 1].")
    }
    guard shape[0] > 0 else {
      throw EngineError(.invalidInput, "the sequence is empty, expected one vector or more.")
    }
    for state in inputs[1..<1 + states] {
      let rows: Int = state.shape.count / size
      guard rows * size == state.shape.count, rows >= shape[1] else {
        throw EngineError(
          .invalidInput,
          "a state has the shape \(state.shape), expected 1 × \(shape[1]) × \(size) × 1 × 1, or "
            + "more rows of \(size).")
      }
    }
    return Place(
      length: shape[0], batch: shape[1], size: size, element: inputs[0].type.element)
  }

  private func check(_ inputs: [OperatorInput], size: Int, width: Int) throws {
    let vectors: [Int] = biases + peepholes
    let expected: [(positions: [Int], shape: Shape)] = [
      (matrices, [size, width]), (recursions, [size, size]), (vectors, [size]),
    ]
    for (positions, shape) in expected {
      for position in positions where inputs[position].shape != shape {
        throw EngineError(
          .invalidInput,
          "the weights of a gate are \(inputs[position].shape), expected \(shape).")
      }
    }
  }

  /// The types of the output, `width` values a vector, and of so many states after it.
  package static func types(
    _ place: Place, returnsSequence: Bool, width: Int, outputs: Int
  ) -> [TensorType] {
    let first: Shape = [returnsSequence ? place.length : 1, place.batch, width, 1, 1]
    let state: Shape = [1, place.batch, place.size, 1, 1]
    return (0..<outputs).map { TensorType($0 == 0 ? first : state, place.element) }
  }
}
