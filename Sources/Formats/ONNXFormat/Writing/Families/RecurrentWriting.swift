import Graph
import Operators

/// Walks along a sequence.
enum RecurrentWriting {
  static let all: [OperatorWriting] = [
    OperatorWriting(
      UniDirectionalLSTMOperator.self,
      all: { operation, node in
        let cell: LSTMCell = operation.cell
        guard !cell.addsForgetBias, cell.cellBound == .infinity || cell.cellBound >= 50,
          !cell.couplesGates
        else {
          throw node.unsupported("ONNX has no word for its forget bias or the bound of its cell.")
        }
        let activations: [String] = try [
          cell.gateActivation, cell.blockActivation, cell.outputActivation,
        ].map { try node.word($0) }
        let first: Int = operation.takesStates ? 3 : 1
        // Ours: input, forget, block, output; ONNX: input, output, forget, block.
        let made: [String] = try node.walk(
          "LSTM", first: first, order: [0, 3, 1, 2], hasBiases: cell.hasBiases,
          peepholes: cell.hasPeepholes ? [0, 2, 1] : [], states: operation.takesStates ? 2 : 0,
          reverses: operation.reversesInput, activations, clip: cell.sumBound, outputs: 3)
        return node.outputs(
          made, operation.returnsSequence, operation.outputCount, operation.reversesInput)
      }),
    OperatorWriting(
      GRUOperator.self,
      all: { operation, node in
        guard operation.reset == .output,
          operation.sumBound == .infinity || operation.sumBound >= 50
        else { throw node.unsupported("its reset comes after the recursion.") }
        let activations: [String] = try [operation.gateActivation, operation.activation].map {
          try node.word($0)
        }
        let made: [String] = try node.walk(
          "GRU", first: operation.takesState ? 2 : 1, order: [0, 1, 2],
          hasBiases: operation.hasBiases, peepholes: [], states: operation.takesState ? 1 : 0,
          reverses: operation.reversesInput, activations, clip: operation.sumBound, outputs: 2)
        return node.outputs(
          made, operation.returnsSequence, operation.outputCount, operation.reversesInput)
      }),
    OperatorWriting(
      SimpleRecurrentOperator.self,
      all: { operation, node in
        let made: [String] = try node.walk(
          "RNN", first: operation.takesState ? 2 : 1, order: [0], hasBiases: operation.hasBias,
          peepholes: [], states: operation.takesState ? 1 : 0, reverses: operation.reversesInput,
          [try node.word(operation.activation)], clip: operation.sumBound, outputs: 2)
        return node.outputs(
          made, operation.returnsSequence, operation.outputCount, operation.reversesInput)
      }),
  ]
}

extension NodeContext {
  /// The name of a function; those with parameters are refused.
  fileprivate func word(_ activation: RecurrentActivation) throws -> String {
    switch activation {
    case .sigmoid: return "Sigmoid"
    case .tanh: return "Tanh"
    case .reLU: return "Relu"
    case .sigmoidHard(0.2, 0.5): return "HardSigmoid"
    default: throw unsupported("its activation \(activation) has parameters.")
    }
  }

  /// The walk of one direction: its outputs `[sequence, 1, batch, size]`, then the last states `[1, batch, size]`.
  fileprivate func walk(
    _ type: String, first: Int, order: [Int], hasBiases: Bool, peepholes: [Int], states: Int,
    statesFrom: Int = 1, reverses: Bool, _ activations: [String], clip: Double, outputs: Int
  ) throws -> [String] {
    let gates: Int = order.count
    let size: Int = try shape(first)[0]
    func joined(_ names: [String]) -> String {
      let all: String = names.count == 1 ? names[0] : emit("Concat", names, .int("axis", 0))
      return emit("Unsqueeze", [all, ints([0])])
    }
    let w: String = joined(try order.map { try input(first + 2 * $0) })
    let r: String = joined(try order.map { try input(first + 2 * $0 + 1) })
    var inputs: [String] = [emit("Squeeze", [try input(), ints([3, 4])]), w, r]
    let biases: Int = first + 2 * gates
    if hasBiases {
      let zeros: String = writer.floats([Float](repeating: 0, count: gates * size))
      inputs.append(joined(try order.map { try input(biases + $0) } + [zeros]))
    } else {
      inputs.append("")
    }
    inputs.append("")
    for state in 0..<2 {
      inputs.append(
        state < states ? emit("Squeeze", [try input(statesFrom + state), ints([3, 4])]) : "")
    }
    if !peepholes.isEmpty {
      let start: Int = biases + (hasBiases ? gates : 0)
      inputs.append(joined(try peepholes.map { try input(start + $0) }))
    }
    while inputs.last == "" { inputs.removeLast() }
    var attributes: [NodeAttribute] = [
      .int("hidden_size", size), .string("direction", reverses ? "reverse" : "forward"),
    ]
    // Sums that are cut off change nothing where the function is flat there.
    if clip.isFinite, clip < 50 || activations.contains("Relu") {
      attributes.append(.float("clip", Float(clip)))
    }
    attributes.append(.strings("activations", activations))
    return emit(type, inputs, outputs: outputs, attributes)
  }

  /// What the operator makes of what the walk gives.
  fileprivate func outputs(
    _ made: [String], _ returnsSequence: Bool, _ count: Int, _ reverses: Bool
  )
    -> [String]
  {
    var first: String
    if returnsSequence {
      first = emit("Squeeze", [made[0], ints([1])])
      if reverses {
        first = emit(
          "Slice", [first, ints([-1]), ints([-Int(Int32.max)]), ints([0]), ints([-1])])
      }
      first = emit("Unsqueeze", [first, ints([3, 4])])
    } else {
      first = emit("Unsqueeze", [made[1], ints([3, 4])])
    }
    return [first] + (1..<max(count, 1)).map { emit("Unsqueeze", [made[$0], ints([3, 4])]) }
  }
}
