import Graph
import Operators

extension KerasLayerReader {
  /// Attention layers.
  static let attention: [KerasLayerReader] = [
    KerasLayerReader(
      "MultiHeadAttention",
      fields: KnownFields(
        ["num_heads", "key_dim", "value_dim", "use_bias", "output_shape", "attention_axes"],
        only: ["use_gate": [false], "sliding_window": [nil]],
        harmless: [
          "dropout", "query_shape", "key_shape", "value_shape", "softmax_robust_masking",
          "flash_attention",
        ]),
      parameters: ["query", "value", "key"]
    ) { try $0.multiHead() },
    KerasLayerReader(
      "Attention",
      fields: KnownFields(
        ["use_scale", "score_mode"], only: ["causal": [false]], harmless: ["dropout"])
    ) { try $0.attention(isAdditive: false) },
    KerasLayerReader(
      "AdditiveAttention",
      fields: KnownFields(
        ["use_scale"], only: ["causal": [false]], harmless: ["dropout"])
    ) { try $0.attention(isAdditive: true) },
  ]
}

extension KerasContext {
  /// Returns the query, the value and the key. If the call passes no key, the value also serves as the key.
  private func queryValueKey() throws -> [Graph.ValueID] {
    guard (2...3).contains(inputs.count), inputs.allSatisfy({ $0.rank == 3 }) else {
      throw unsupported(
        "it has \(inputs.count) inputs of \(inputs.map(\.rank)) axes, expected query, value and an optional key, [N, T, C] each, without masks."
      )
    }
    let values: [Graph.ValueID] = try inputs.map(kerasOrdered)
    return values.count == 2 ? values + [values[1]] : values
  }

  /// Multiplies a sequence `[N, T, C]` by weights `[C, H, K]`: one matrix `[C, K]` for each of H heads. The result is
  /// `[N, H, T, K]`.
  private func heads(_ x: Graph.ValueID, _ kernel: Constant, _ bias: Constant?) throws
    -> Graph.ValueID
  {
    let (inputs, heads, size) = (kernel.shape[0], kernel.shape[1], kernel.shape[2])
    let matrix: Constant = kernel.reshaped(to: [inputs, heads * size]).transposed([1, 0])
    var values: [Graph.ValueID] = [x, constant(matrix, "weights")]
    if let bias { values.append(constant(bias.reshaped(to: [heads * size]), "bias")) }
    let product = try add(BatchedMatMulOperator.ofRows, values)
    let apart = try add(ReshapeStaticOperator(targetShape: [0, 0, heads, size]), product)
    return try add(TransposeOperator(axes: [0, 2, 1, 3]), apart)
  }

  fileprivate func multiHead() throws -> KerasTensor {
    let given: [Graph.ValueID] = try queryValueKey()
    let hasBias: Bool = try settings.bool("use_bias", or: true)
    let step: Int = hasBias ? 2 : 1
    let kernels: [Constant] = try (0..<4).map { try weights(step * $0, "the weights") }
    guard kernels.allSatisfy({ $0.shape.rank == 3 && $0.count > 0 }),
      kernels.prefix(3).allSatisfy({ $0.shape[1] == kernels[0].shape[1] }),
      kernels[0].shape[2] == kernels[1].shape[2]
    else {
      throw invalid(
        "the weights are \(kernels.map { "\($0.shape)" }.joined(separator: ", ")), which do not fit each other."
      )
    }
    let biases: [Constant?] = try (0..<4).map {
      hasBias ? try weights(step * $0 + 1, "the biases") : nil
    }
    for (kernel, bias) in zip(kernels.prefix(3), biases) {
      guard (bias?.count ?? kernel.shape[1] * kernel.shape[2]) == kernel.shape[1] * kernel.shape[2]
      else { throw invalid("the biases do not fit the weights.") }
    }
    // Keras stores the weights in the order query, key, value, but passes the inputs in the order query, value, key.
    let query = try heads(given[0], kernels[0], biases[0])
    let key = try heads(given[2], kernels[1], biases[1])
    let value = try heads(given[1], kernels[2], biases[2])
    let size: Int = kernels[0].shape[2]
    let scaled = try number(.multiply, query, 1 / Double(size).squareRoot())
    let scores = try add(BatchedMatMulOperator(transposesRight: true), scaled, key)
    let shares = try add(SoftmaxNDOperator(axis: -1), scores)
    let mixed = try add(BatchedMatMulOperator(), shares, value)
    let merged = try add(TransposeOperator(axes: [0, 2, 1, 3]), mixed)
    let output: Constant = kernels[3]
    let (inner, units) = (output.shape[0] * output.shape[1], output.shape[2])
    guard inner == kernels[2].shape[1] * kernels[2].shape[2] else {
      throw invalid("the weights of the output are \(output.shape), which do not fit the values.")
    }
    let flat = try add(ReshapeStaticOperator(targetShape: [0, 0, inner]), merged)
    let matrix: Constant = output.reshaped(to: [inner, units]).transposed([1, 0])
    var values: [Graph.ValueID] = [flat, constant(matrix, "output weights")]
    if let bias = biases[3] {
      values.append(constant(try bias.reshaped(units, self), "output bias"))
    }
    return KerasTensor(try add(BatchedMatMulOperator.ofRows, values), rank: 3)
  }

  fileprivate func attention(isAdditive: Bool) throws -> KerasTensor {
    let given: [Graph.ValueID] = try queryValueKey()
    guard try settings.text("score_mode") ?? "dot" == "dot" else {
      throw unsupported("'score_mode' is not supported, expected dot.")
    }
    let usesScale: Bool = try settings.bool("use_scale", or: isAdditive)
    var scores: Graph.ValueID
    if isAdditive {
      let rows = try add(ExpandDimsOperator(axes: [2]), given[0])
      let columns = try add(ExpandDimsOperator(axes: [1]), given[2])
      let sum = try add(
        ActivationOperator(.tanh), try add(BinaryFunctionOperator(.add), rows, columns))
      let scaled =
        usesScale
        ? try add(
          BinaryFunctionOperator(.multiply), sum, constant(try weights(0, "the factors"), "scale"))
        : sum
      scores = try add(ReduceAxesOperator(.sum, axes: [3]), scaled)
    } else {
      scores = try add(BatchedMatMulOperator(transposesRight: true), given[0], given[2])
      if usesScale {
        scores = try add(
          BinaryFunctionOperator(.multiply), scores,
          constant(try weights(0, "the factor").reshaped(1, self), "scale"))
      }
    }
    let shares = try add(SoftmaxNDOperator(axis: -1), scores)
    return KerasTensor(try add(BatchedMatMulOperator(), shares, given[1]), rank: 3)
  }
}
