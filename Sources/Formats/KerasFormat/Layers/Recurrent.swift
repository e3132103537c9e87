import Graph
import Operators

extension KerasLayerReader {
  /// The settings of layers that walk along a sequence.
  static let walks = KnownFields(
    [
      "units", "output_dim", "activation", "recurrent_activation", "inner_activation", "use_bias",
      "return_sequences", "return_state", "go_backwards", "time_major", "reset_after",
    ],
    only: ["stateful": [false]],
    harmless: [
      "unroll", "zero_output_for_mask", "dropout", "recurrent_dropout", "implementation",
      "unit_forget_bias", "use_cudnn", "inner_init", "forget_bias_init", "dropout_W", "dropout_U",
      "consume_less",
    ])
  private static let arguments: [String] = ["sequences", "initial_state"]

  /// Walks along sequences.
  static let recurrent: [KerasLayerReader] = [
    KerasLayerReader(several: "LSTM", "CuDNNLSTM", fields: walks, parameters: arguments) {
      try $0.walked()
    },
    KerasLayerReader(several: "GRU", "CuDNNGRU", fields: walks, parameters: arguments) {
      try $0.walked()
    },
    KerasLayerReader(several: "SimpleRNN", fields: walks, parameters: arguments) {
      try $0.walked()
    },
    KerasLayerReader(
      several: "Bidirectional", fields: KnownFields(["layer", "backward_layer", "merge_mode"]),
      parameters: arguments
    ) { try $0.bothWays() },
  ]
}

/// A layer that walks along a sequence, with its settings and weights.
struct KerasWalk {
  let context: KerasContext
  let type: String
  let settings: KerasSettings
  let weights: [Constant]
  let returnsSequence: Bool

  init(_ context: KerasContext, _ type: String, _ settings: KerasSettings, _ weights: [Constant])
    throws
  {
    (self.context, self.type, self.settings, self.weights) = (context, type, settings, weights)
    returnsSequence = try settings.bool("return_sequences", or: false)
  }

  /// The same with its weights.
  func with(_ weights: [Constant]) throws -> KerasWalk {
    try KerasWalk(context, type, settings, weights)
  }

  /// How many arrays of weights Keras 2 and 3 keep for it; nil where the settings do not say.
  var arrayCount: Int? {
    get throws { settings.has("use_bias") ? try settings.bool("use_bias", or: true) ? 3 : 2 : nil }
  }

  private var isGated: Bool { type.hasSuffix("GRU") }
  private var isLongMemory: Bool { type.hasSuffix("LSTM") }
  /// The number of matrices that stand side by side.
  private var gates: Int { isLongMemory ? 4 : isGated ? 3 : 1 }
  /// The number of states.
  var stateCount: Int { isLongMemory ? 2 : 1 }

  private func activation(_ name: String, or standard: String, old: String? = nil) throws
    -> RecurrentActivation
  {
    // Keras 1 called the activation of gates otherwise.
    let name: String = old.map { settings.has($0) && !settings.has(name) ? $0 : name } ?? name
    let (stated, _) = try context.withSettings(settings).function(name)
    switch settings.has(name) ? stated : standard {
    case "tanh": return .tanh
    case "sigmoid": return .sigmoid
    case "relu": return .reLU
    case "linear": return .linear(alpha: 1, beta: 0)
    case "hard_sigmoid":
      guard case .sigmoidHard(let alpha, let beta) = context.network.hardSigmoid else { break }
      return .sigmoidHard(alpha: alpha, beta: beta)
    default: break
    }
    throw context.unsupported(
      "'\(name)' is '\(stated)', expected tanh, sigmoid, hard_sigmoid, relu or linear.")
  }

  /// The weights of the gates one by one: matrices `[units, inputs]` and `[units, units]` in turns, then biases,
  /// then what a recursion that is reset as a whole adds.
  private func parts(resetsRecursion: Bool) throws -> (
    values: [Constant], hasBias: Bool, isApart: Bool
  ) {
    if weights.count == 3 * gates, gates > 1 { return (try oldParts(), true, false) }
    guard weights.count >= 2, weights[0].shape.rank == 2, weights[1].shape.rank == 2 else {
      throw context.invalid(
        weights.isEmpty
          ? "the weights are missing."
          : "it has \(weights.count) arrays of weights, expected 2 or 3.")
    }
    let (kernel, recursion) = (weights[0], weights[1])
    let units: Int = recursion.shape[0]
    guard units > 0, kernel.shape[1] == gates * units, recursion.shape[1] == gates * units else {
      throw context.invalid(
        "the weights are \(kernel.shape) and \(recursion.shape), expected \(gates) matrices for \(units) units side by side."
      )
    }
    func gate(_ constant: Constant, _ index: Int) -> Constant {
      constant.columns(index * units..<(index + 1) * units)
    }
    var values: [Constant] = (0..<gates).flatMap {
      [gate(kernel, $0).transposed([1, 0]), gate(recursion, $0).transposed([1, 0])]
    }
    guard weights.count > 2 else { return (values, false, false) }
    let bias: Constant = weights[2]
    if bias.count == gates * units {
      let flat: Constant = bias.reshaped(to: [gates * units])
      return (values + (0..<gates).map { gate(flat, $0) }, true, false)
    }
    // The recursion has biases of its own.
    guard bias.count == 2 * gates * units else {
      throw context.invalid("the biases hold \(bias.count) values, expected \(gates * units).")
    }
    let flat: Constant = bias.reshaped(to: [2 * gates * units])
    let own: [Constant] = (0..<2 * gates).map { gate(flat, $0) }
    for index in 0..<gates {
      let isApart: Bool = resetsRecursion && index == 2
      values.append(isApart ? own[index] : own[index].plus(own[gates + index]))
    }
    return (values + (resetsRecursion ? [own[gates + 2]] : []), true, resetsRecursion)
  }

  /// Keras 1 kept the arrays of each gate apart: long memories in the order input, block, forget, output.
  private func oldParts() throws -> [Constant] {
    let order: [Int] = isLongMemory ? [0, 2, 1, 3] : [0, 1, 2]
    var values: [Constant] = []
    for gate in order {
      for matrix in weights[3 * gate..<3 * gate + 2] {
        guard matrix.shape.rank == 2 else { throw context.invalid("weights are \(matrix.shape).") }
        values.append(matrix.transposed([1, 0]))
      }
    }
    return values + order.map { weights[3 * $0 + 2] }
  }

  /// What it makes of `[sequence, batch, size, 1, 1]`: the outputs in the order of reading, then the last states.
  func run(_ sequence: Graph.ValueID, states: [Graph.ValueID], isReversed: Bool) throws
    -> [Graph.ValueID]
  {
    let standard: String =
      context.network.version >= 3 || type.hasPrefix("CuDNN") ? "sigmoid" : "hard_sigmoid"
    let resets: Bool =
      try isGated
      && settings.bool("reset_after", or: context.network.version >= 3 || type == "CuDNNGRU")
    let (values, hasBias, isApart) = try parts(resetsRecursion: resets)
    let operation: any Operator
    if isLongMemory {
      let cell = LSTMCell(
        gateActivation: try activation(
          "recurrent_activation", or: standard, old: "inner_activation"),
        blockActivation: try activation("activation", or: "tanh"),
        outputActivation: try activation("activation", or: "tanh"), hasBiases: hasBias,
        cellBound: .infinity, sumBound: .infinity)
      operation = UniDirectionalLSTMOperator(
        cell, returnsSequence: returnsSequence, reversesInput: isReversed,
        takesStates: !states.isEmpty, outputCount: 3)
    } else if isGated {
      operation = GRUOperator(
        gateActivation: try activation(
          "recurrent_activation", or: standard, old: "inner_activation"),
        activation: try activation("activation", or: "tanh"), returnsSequence: returnsSequence,
        reversesInput: isReversed, takesState: !states.isEmpty, hasBiases: hasBias, outputCount: 2,
        reset: resets ? .recursion(hasBias: isApart) : .output, sumBound: .infinity)
    } else {
      operation = SimpleRecurrentOperator(
        activation: try activation("activation", or: "tanh"), returnsSequence: returnsSequence,
        reversesInput: isReversed, takesState: !states.isEmpty, hasBias: hasBias, outputCount: 2,
        sumBound: .infinity)
    }
    let parameters: [Graph.ValueID] = values.enumerated().map {
      context.constant($0.element, "weights \($0.offset)")
    }
    return try context.builder.add(
      operation, [sequence] + states + parameters, outputs: stateCount + 1,
      name: context.layer.name)
  }
}

extension KerasContext {
  /// The same layer with other settings, as a wrapper holds them.
  func withSettings(_ settings: KerasSettings) -> KerasContext {
    var values: [String: Any] = ["class_name": layer.type, "name": layer.name]
    values["config"] = settings.values
    guard let inner = try? KerasLayer(KerasSettings(values), functional: false) else { return self }
    return KerasContext(layer: inner, inputs: inputs, weights: weights, network: network)
  }

  /// The first input as `[sequence, batch, size, 1, 1]`.
  private func sequence() throws -> Graph.ValueID {
    let x = try input(ranks: 3...3)
    guard try !settings.bool("time_major", or: false) else {
      throw unsupported("'time_major' is true, expected false.")
    }
    let turned = try add(TransposeOperator(axes: [1, 0, 2]), natural(x))
    return try add(ExpandDimsOperator(axes: [3, 4]), turned)
  }

  /// A state `[N, units]` as operators take it.
  private func state(_ tensor: KerasTensor) throws -> Graph.ValueID {
    try add(ExpandDimsOperator(axes: [0, 3, 4]), natural(tensor))
  }

  /// An output of an operator as Keras has it: `[N, T, units]` or `[N, units]`.
  private func output(_ value: Graph.ValueID, isSequence: Bool) throws -> KerasTensor {
    guard isSequence else {
      return KerasTensor(try add(SqueezeOperator(axes: [0, 3, 4]), value), rank: 2)
    }
    let flat = try add(SqueezeOperator(axes: [3, 4]), value)
    return KerasTensor(try add(TransposeOperator(axes: [1, 0, 2]), flat), rank: 3)
  }

  fileprivate func walked() throws -> [KerasTensor] {
    let walk = try KerasWalk(self, layer.type, settings, weights)
    let states: [Graph.ValueID] = try inputs.dropFirst().prefix(walk.stateCount).map(state)
    guard states.isEmpty || states.count == walk.stateCount else {
      throw invalid("it is given \(states.count) states, expected \(walk.stateCount).")
    }
    let made = try walk.run(
      try sequence(), states: states, isReversed: try settings.bool("go_backwards", or: false))
    var outputs: [KerasTensor] = [try output(made[0], isSequence: walk.returnsSequence)]
    if try settings.bool("return_state", or: false) {
      outputs += try made.dropFirst().map { try output($0, isSequence: false) }
    }
    return outputs
  }

  /// A layer that walks along a sequence inside of another one.
  private func walkInside(_ inner: KerasSettings) throws -> KerasWalk {
    let type: String = try inner.text("class_name") ?? ""
    guard let own = inner.object("config"),
      ["LSTM", "GRU", "SimpleRNN", "CuDNNLSTM", "CuDNNGRU"].contains(type)
    else {
      throw unsupported("it wraps a layer '\(type)', expected one that walks along sequences.")
    }
    try own.check(KerasLayerReader.walks)
    guard try !own.bool("return_state", or: false), try !own.bool("time_major", or: false) else {
      throw unsupported("the layer inside gives states, or has the time first.")
    }
    return try KerasWalk(self, type, own, [])
  }

  /// Two walks, from the start and from the end.
  fileprivate func bothWays() throws -> [KerasTensor] {
    guard let inner = settings.object("layer") else { throw invalid("it wraps no layer.") }
    guard inputs.count == 1 else { throw unsupported("it is called with states.") }
    let forward = try walkInside(inner)
    // Without a layer of its own the way back is that of the same layer, turned round.
    let other: KerasSettings? = settings.object("backward_layer")
    let backward = try walkInside(other ?? inner)
    let isReversed: Bool = try forward.settings.bool("go_backwards", or: false)
    let isOtherReversed: Bool =
      try other == nil ? !isReversed : backward.settings.bool("go_backwards", or: false)
    guard isReversed != isOtherReversed, forward.returnsSequence == backward.returnsSequence else {
      throw invalid(
        "its two layers have 'go_backwards' \(isReversed) and \(isOtherReversed), 'return_sequences' \(forward.returnsSequence) and \(backward.returnsSequence), expected the first to differ and the second to agree."
      )
    }
    guard !weights.isEmpty else { throw invalid("the weights are missing.") }
    let ours: Int = try forward.arrayCount ?? weights.count / 2
    let theirs: Int = try backward.arrayCount ?? weights.count / 2
    // Keras 1 kept more arrays for each layer.
    let count: Int = ours + theirs == weights.count ? ours : weights.count / 2
    guard ours + theirs == weights.count || weights.count % 2 == 0 else {
      throw invalid("it has \(weights.count) arrays of weights, expected \(ours + theirs).")
    }
    let sequence = try sequence()
    let isSequence: Bool = forward.returnsSequence
    let first = try output(
      forward.with(Array(weights.prefix(count))).run(
        sequence, states: [], isReversed: isReversed)[0], isSequence: isSequence)
    var last = try output(
      backward.with(Array(weights.dropFirst(count))).run(
        sequence, states: [], isReversed: isOtherReversed)[0], isSequence: isSequence)
    if isSequence {
      last = KerasTensor(
        try add(ReverseOperator(isReversed: [false, true, false]), last.value), rank: 3)
    }
    let pair: [Graph.ValueID] = [first.value, last.value]
    let mode: String? = settings.has("merge_mode") ? try settings.text("merge_mode") : nil
    switch mode {
    case "concat":
      return [KerasTensor(try add(ConcatNDOperator(axis: -1), pair), rank: first.rank)]
    case "sum": return [KerasTensor(try add(BinaryFunctionOperator(.add), pair), rank: first.rank)]
    case "mul":
      return [KerasTensor(try add(BinaryFunctionOperator(.multiply), pair), rank: first.rank)]
    case "ave":
      let sum = try add(BinaryFunctionOperator(.add), pair)
      return [KerasTensor(try number(.divide, sum, 2), rank: first.rank)]
    case nil: return [first, last]
    case let other?: throw unsupported("'merge_mode' is '\(other)'.")
    }
  }
}
