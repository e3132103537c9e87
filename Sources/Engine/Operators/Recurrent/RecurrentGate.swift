import Graph
import ModelFormat

/// The sizes of a recurrent layer.
package struct RecurrentSizes: Sendable {
  /// The length of a vector that comes in, and of one that goes out.
  package let input: Int, output: Int

  package init(_ input: UInt64, _ output: UInt64, _ decoder: LayerDecoder) throws {
    self.input = try decoder.size(input, "inputVectorSize")
    self.output = try decoder.size(output, "outputVectorSize")
    guard self.input > 0, self.output > 0 else {
      throw decoder.invalid(
        "inputVectorSize is \(self.input) and outputVectorSize \(self.output), "
          + "expected at least 1 each.")
    }
  }

  /// Checks inputs: a sequence, then states; gives the sequence's length and batch.
  ///
  /// A state may have more rows than the batch, which are not read: so coremltools writes PyTorch's packed
  /// sequences.
  package func check(_ inputs: [OperatorInput], states: Int) throws -> (length: Int, batch: Int) {
    guard inputs.count == 1 || inputs.count == 1 + states else {
      throw EngineError(
        .invalidModel,
        "the layer has \(inputs.count) inputs, expected the sequence alone or with \(states) "
          + "states.")
    }
    let shape: Shape = inputs[0].shape
    guard shape.rank == 5, shape[2] == input, shape[3] == 1, shape[4] == 1 else {
      throw EngineError(
        .invalidInput,
        "the input has the shape \(shape), expected [sequence, batch, \(input), 1, 1].")
    }
    guard shape[0] > 0 else {
      throw EngineError(.invalidInput, "the sequence is empty, expected one vector or more.")
    }
    for state in inputs.dropFirst() {
      let rows: Int = state.shape.count / output
      guard rows * output == state.shape.count, rows >= shape[1] else {
        throw EngineError(
          .invalidInput,
          "a state has the shape \(state.shape), expected 1 × \(shape[1]) × \(output) × 1 × 1, or "
            + "more rows of \(output).")
      }
    }
    return (shape[0], shape[1])
  }

  /// The types of the output and of so many states behind it.
  package func types(
    _ place: (length: Int, batch: Int), sequence: Bool, width: Int, outputs: Int
  ) -> [TensorType] {
    let first: Shape = [sequence ? place.length : 1, place.batch, width, 1, 1]
    let state: Shape = [1, place.batch, output, 1, 1]
    return (0..<outputs).map { TensorType($0 == 0 ? first : state) }
  }
}

/// The weights of one gate.
public struct RecurrentGate: Sendable {
  /// Multiplies the input, `[output, input]`.
  public let matrix: Weights
  /// Multiplies the output of the step before, `[output, output]`.
  public let recursion: Weights
  /// Shifts, `[output]`; nil is 0.
  public let bias: Weights?
  /// Multiplies the cell state elementwise, `[output]`; nil is 0.
  public let peephole: Weights?

  package init(
    _ decoder: LayerDecoder, _ sizes: RecurrentSizes, _ name: String, _ matrix: Spec.WeightParams?,
    _ recursion: Spec.WeightParams?, bias: Spec.WeightParams??,
    peephole: Spec.WeightParams?? = .none
  ) throws {
    func field(_ suffix: String) -> String {
      name.isEmpty ? suffix.prefix(1).lowercased() + suffix.dropFirst() : name + suffix
    }
    self.matrix = try decoder.weights(
      matrix, shape: [sizes.output, sizes.input], field: field("WeightMatrix"))
    self.recursion = try decoder.weights(
      recursion, shape: [sizes.output, sizes.output], field: field("RecursionMatrix"))
    func vector(_ message: Spec.WeightParams??, _ field: String) throws -> Weights? {
      guard case .some(let message) = message else { return nil }
      return try decoder.weights(message, shape: [sizes.output], field: field)
    }
    self.bias = try vector(bias, field("BiasVector"))
    self.peephole = try vector(peephole, field("PeepholeVector"))
  }

  /// The gate with its weights in `Double`.
  package func decoded() throws -> DecodedGate {
    DecodedGate(
      inputs: matrix.shape[1], matrix: try matrix.doubles(), recursion: try recursion.doubles(),
      bias: try bias?.doubles() ?? [Double](repeating: 0, count: matrix.shape[0]),
      peephole: try peephole?.doubles())
  }
}

/// A gate ready to compute.
package struct DecodedGate {
  package let inputs: Int
  package let matrix: [Double]
  package let recursion: [Double]
  package let bias: [Double]
  package let peephole: [Double]?

  /// `clip(W x + R y + p ⊙ c + b)`, with values kept in −50…50.
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
      return min(max(sum, -50), 50)
    }
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
