import Graph

/// The indices of a recurrent operator's weights among the operator's inputs. The weights come after the sequence and
/// the states. Their order is: for each gate an input matrix `[output, input]` and a recursion matrix
/// `[output, output]`; then one bias `[output]` per gate; then the peepholes `[output]`.
package struct RecurrentWeights: Sendable {
  /// The index of the first weight.
  package let first: Int
  /// The number of gates.
  package let gates: Int
  /// Whether every gate has a bias; otherwise all biases are 0.
  package let hasBiases: Bool
  /// The number of peepholes: vectors by which gates multiply the cell state.
  package let peepholeCount: Int

  package init(first: Int, gates: Int, hasBiases: Bool, peepholeCount: Int = 0) {
    self.first = first
    self.gates = gates
    self.hasBiases = hasBiases
    self.peepholeCount = peepholeCount
  }

  /// The indices of the input matrices, gate by gate.
  package var matrices: [Int] { (0..<gates).map { first + 2 * $0 } }
  /// The indices of the recursion matrices, gate by gate.
  package var recursions: [Int] { (0..<gates).map { first + 2 * $0 + 1 } }
  /// The indices of the biases, gate by gate; empty if there are none.
  package var biases: [Int] { hasBiases ? (0..<gates).map { first + 2 * gates + $0 } : [] }
  /// The indices of the peepholes; empty if there are none.
  package var peepholes: [Int] {
    let start: Int = first + (hasBiases ? 3 : 2) * gates
    return (0..<peepholeCount).map { start + $0 }
  }
  /// The index after the last weight.
  package var end: Int { first + (hasBiases ? 3 : 2) * gates + peepholeCount }

  /// Returns the gate with the index `gate`. Takes the gate's weights from the operator's inputs, `inputs`.
  ///
  /// - Parameters:
  ///   - peephole: the index of the gate's peephole among all peepholes; nil if the gate has none.
  ///   - bound: the largest magnitude of the gate's sum. Larger sums are clipped.
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
  /// The extents of a sequence and of its vectors.
  package struct Extents {
    /// The length of the sequence, and the batch size.
    package let length: Int, batch: Int
    /// The length of an output vector.
    package let size: Int
    /// The element type of the sequence.
    package let element: ElementType
  }

  /// Checks the shapes of an operator's inputs: a sequence, `states` states, and the weights of each direction.
  ///
  /// A state may have more rows than the batch has entries. The operator does not read the extra rows. coremltools
  /// writes such states for PyTorch's packed sequences.
  package static func check(
    _ inputs: [OperatorInput], states: Int, _ directions: [RecurrentWeights]
  ) throws -> Extents {
    let expected: Int = directions.last?.end ?? 1
    guard inputs.count == expected, let firstWeight = directions.first?.first else {
      throw EngineError(
        .invalidModel, "the layer has \(inputs.count) inputs, expected \(expected).")
    }
    let matrix: Shape = inputs[firstWeight].shape
    guard matrix.rank == 2, matrix.count > 0 else {
      throw EngineError(
        .invalidInput,
        "the matrix of a gate is \(matrix), expected at least one row and one column.")
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
    return Extents(
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

  /// Returns the types of the outputs. The first output holds the outputs of all steps, or only those of the last step
  /// if `returnsSequence` is false. Its vectors have `width` values. The outputs after it are the last states.
  package static func types(
    _ extents: Extents, returnsSequence: Bool, width: Int, outputs: Int
  ) -> [TensorType] {
    let first: Shape = [returnsSequence ? extents.length : 1, extents.batch, width, 1, 1]
    let state: Shape = [1, extents.batch, extents.size, 1, 1]
    return (0..<outputs).map { TensorType($0 == 0 ? first : state, extents.element) }
  }
}
