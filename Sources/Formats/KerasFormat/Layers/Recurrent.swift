import Graph
import Operators

extension KerasLayerReader {
  /// The settings of recurrent layers.
  static let recurrentFields = KnownFields(
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

  /// Recurrent layers.
  static let recurrent: [KerasLayerReader] = [
    KerasLayerReader(several: "LSTM", "CuDNNLSTM", fields: recurrentFields, parameters: arguments) {
      try $0.walked()
    },
    KerasLayerReader(several: "GRU", "CuDNNGRU", fields: recurrentFields, parameters: arguments) {
      try $0.walked()
    },
    KerasLayerReader(several: "SimpleRNN", fields: recurrentFields, parameters: arguments) {
      try $0.walked()
    },
    KerasLayerReader(
      several: "Bidirectional", fields: KnownFields(["layer", "backward_layer", "merge_mode"]),
      parameters: arguments
    ) { try $0.bidirectional() },
  ]
}

/// A recurrent layer with its settings and weights.
struct KerasRecurrence {
  let context: KerasContext
  let type: String
  let settings: KerasSettings
  let weights: [Constant]
  /// Whether the layer returns its outputs of all steps. If false, the layer returns only the output of the last step.
  let returnsSequence: Bool

  init(_ context: KerasContext, _ type: String, _ settings: KerasSettings, _ weights: [Constant])
    throws
  {
    (self.context, self.type, self.settings, self.weights) = (context, type, settings, weights)
    returnsSequence = try settings.bool("return_sequences", or: false)
  }

  /// Returns this layer with `weights` in place of its own.
  func with(_ weights: [Constant]) throws -> KerasRecurrence {
    try KerasRecurrence(context, type, settings, weights)
  }

  /// The number of weight arrays of this layer in Keras 2 and 3. Nil if the settings do not determine the number.
  var arrayCount: Int? {
    get throws { settings.has("use_bias") ? try settings.bool("use_bias", or: true) ? 3 : 2 : nil }
  }

  /// Whether the layer is a GRU.
  private var isGated: Bool { type.hasSuffix("GRU") }
  /// Whether the layer is an LSTM.
  private var isLongMemory: Bool { type.hasSuffix("LSTM") }
  /// The number of gates. Keras stores the matrices of all gates side by side in one array.
  private var gates: Int { isLongMemory ? 4 : isGated ? 3 : 1 }
  /// The number of states: two for an LSTM, else one.
  var stateCount: Int { isLongMemory ? 2 : 1 }

  private func activation(_ name: String, or standard: String, old: String? = nil) throws
    -> RecurrentActivation
  {
    // Keras 1 used another name for the activation of the gates.
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

  /// Returns the weights in the order of the operator's inputs. First come the matrices of each gate, `[units, inputs]`
  /// for the input and `[units, units]` for the recurrence. Then comes one bias per gate. If a GRU applies its reset
  /// gate after the recurrent matrix product, a separate recurrent bias of the output gate (see ``GRUOperator``) comes
  /// last. `isApart` says whether there is such a bias.
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
        "the weights are \(kernel.shape) and \(recursion.shape), expected \(gates) matrices of \(units) units side by side."
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
    // The file has separate biases for the matrix product with the input and for the recurrent matrix product.
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

  /// Returns the weights of a Keras 1 layer. Keras 1 stores the arrays of each gate separately. It stores an LSTM's
  /// gates in the order input, block, forget, output.
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

  /// Runs the layer over a sequence `[sequence, batch, size, 1, 1]`. Returns the outputs, and then the final states.
  /// The outputs have the order in which the layer reads the steps.
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
  /// Returns this layer with `settings` in place of its own, for a layer inside of a wrapper layer.
  func withSettings(_ settings: KerasSettings) -> KerasContext {
    var values: [String: Any] = ["class_name": layer.type, "name": layer.name]
    values["config"] = settings.values
    guard let inner = try? KerasLayer(KerasSettings(values), functional: false) else { return self }
    return KerasContext(layer: inner, inputs: inputs, weights: weights, network: network)
  }

  /// Returns the first input as `[sequence, batch, size, 1, 1]`.
  private func sequence() throws -> Graph.ValueID {
    let x = try input(ranks: 3...3)
    guard try !settings.bool("time_major", or: false) else {
      throw unsupported("'time_major' is true, expected false.")
    }
    let transposed = try add(TransposeOperator(axes: [1, 0, 2]), kerasOrdered(x))
    return try add(ExpandDimsOperator(axes: [3, 4]), transposed)
  }

  /// Converts a state `[N, units]` to the axis order of the recurrent operators.
  private func state(_ tensor: KerasTensor) throws -> Graph.ValueID {
    try add(ExpandDimsOperator(axes: [0, 3, 4]), kerasOrdered(tensor))
  }

  /// Converts an output of a recurrent operator to Keras's axis order: `[N, T, units]` for a sequence, else `[N,
  /// units]`.
  private func output(_ value: Graph.ValueID, isSequence: Bool) throws -> KerasTensor {
    guard isSequence else {
      return KerasTensor(try add(SqueezeOperator(axes: [0, 3, 4]), value), rank: 2)
    }
    let flat = try add(SqueezeOperator(axes: [3, 4]), value)
    return KerasTensor(try add(TransposeOperator(axes: [1, 0, 2]), flat), rank: 3)
  }

  fileprivate func walked() throws -> [KerasTensor] {
    let recurrence = try KerasRecurrence(self, layer.type, settings, weights)
    let states: [Graph.ValueID] = try inputs.dropFirst().prefix(recurrence.stateCount).map(state)
    guard states.isEmpty || states.count == recurrence.stateCount else {
      throw invalid("it gets \(states.count) initial states, expected \(recurrence.stateCount).")
    }
    let made = try recurrence.run(
      try sequence(), states: states, isReversed: try settings.bool("go_backwards", or: false))
    var outputs: [KerasTensor] = [try output(made[0], isSequence: recurrence.returnsSequence)]
    if try settings.bool("return_state", or: false) {
      outputs += try made.dropFirst().map { try output($0, isSequence: false) }
    }
    return outputs
  }

  /// Returns the recurrent layer inside of a wrapper layer. `inner` holds the settings of the recurrent layer.
  private func wrappedRecurrence(_ inner: KerasSettings) throws -> KerasRecurrence {
    let type: String = try inner.text("class_name") ?? ""
    guard let own = inner.object("config"),
      ["LSTM", "GRU", "SimpleRNN", "CuDNNLSTM", "CuDNNGRU"].contains(type)
    else {
      throw unsupported("it wraps a layer '\(type)', expected a recurrent layer.")
    }
    try own.check(KerasLayerReader.recurrentFields)
    guard try !own.bool("return_state", or: false), try !own.bool("time_major", or: false) else {
      throw unsupported(
        "the wrapped layer has 'return_state' or 'time_major', which is not supported here.")
    }
    return try KerasRecurrence(self, type, own, [])
  }

  /// Adds a bidirectional layer. It consists of two layers: one reads the sequence from the start, the other from the
  /// end.
  fileprivate func bidirectional() throws -> [KerasTensor] {
    guard let inner = settings.object("layer") else { throw invalid("it wraps no layer.") }
    guard inputs.count == 1 else {
      throw unsupported("it is called with initial states, which is not supported.")
    }
    let forward = try wrappedRecurrence(inner)
    // If the settings state no backward layer, the settings of the forward layer apply to both directions.
    let other: KerasSettings? = settings.object("backward_layer")
    let backward = try wrappedRecurrence(other ?? inner)
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
    // Keras 1 stored more arrays per layer. Half of the arrays belong to each direction.
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
