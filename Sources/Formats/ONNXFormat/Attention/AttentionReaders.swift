import Graph
import Operators

/// Attention, and other operators of transformers.
enum AttentionReaders {
  static let all: [NodeReader] = [
    NodeReader("Attention", as: [BatchedMatMulOperator.self, SoftmaxNDOperator.self]) { node in
      try AttentionNode(node).results()
    },
    NodeReader("RotaryEmbedding", as: [BinaryFunctionOperator.self, ConcatNDOperator.self]) {
      [try $0.rotated()]
    },
    NodeReader("SwiGLU", as: [FormulaOperator.self]) { node in
      let (a, b) = (try node.tensor(0), try node.tensor(1))
      let gate: Formula =
        .operand(0) * .function(.sigmoid, .number(node.float("alpha", or: 1)) * .operand(0))
      return [
        ONNXTensor(
          try node.add(FormulaOperator(gate * .operand(1), inputCount: 2), a.id, b.id), a.element)
      ]
    },
    NodeReader("CausalConvWithState", as: [ConvolutionOperator.self, ConcatNDOperator.self]) {
      try $0.causalConvolution()
    },
  ]
}

/// An `Attention` node that is being read.
private struct AttentionNode {
  let node: ONNXNode
  let query: ONNXTensor
  /// Whether the query has three axes, `[batch, sequence, heads · size]`. If false, it has four axes.
  let isFlat: Bool

  init(_ node: ONNXNode) throws {
    self.node = node
    query = try node.tensor(0)
    let rank: Int = try node.rank(query)
    guard rank == 3 || rank == 4 else {
      throw node.invalid("the query has \(rank) axes, expected 3 or 4.")
    }
    isFlat = rank == 3
  }

  /// Returns an input as `[batch, heads, sequence, size]`.
  private func heads(_ position: Int, _ attribute: String) throws -> Graph.ValueID {
    let x: ONNXTensor = try node.tensor(position)
    guard isFlat else { return x.id }
    let count: Int = try node.int(attribute)
    guard count > 0 else { throw node.invalid("'\(attribute)' is \(count), expected 1 or more.") }
    return try node.transposed(
      node.reshaped(x.id, to: [0, 0, count, -1]), [0, 2, 1, 3])
  }

  func results() throws -> [ONNXTensor] {
    let element: ElementType = query.element
    let q: Graph.ValueID = try heads(0, "q_num_heads")
    var k: Graph.ValueID = try heads(1, "kv_num_heads")
    var v: Graph.ValueID = try heads(2, "kv_num_heads")
    let past: ONNXTensor? = try node.optional(4)
    if let past, let values = try node.optional(5) {
      k = try node.add(ConcatNDOperator(axis: 2), past.id, k)
      v = try node.add(ConcatNDOperator(axis: 2), values.id, v)
    }
    let present: [ONNXTensor] = [
      ONNXTensor(k, element), ONNXTensor(v, try node.tensor(2).element),
    ]
    guard let shape = node.builder.extents(of: q), let keys = node.builder.extents(of: k),
      let size = shape[3], let heads = shape[1], let keyHeads = keys[1], keyHeads > 0,
      heads % keyHeads == 0
    else {
      throw node.unsupported("the number of heads and their size must be known and fit.")
    }
    if heads != keyHeads {
      // Each head of keys serves several heads of queries.
      _ = try Shape.computed([heads], "the heads")
      let sources = node.constant((0..<heads).map { $0 / (heads / keyHeads) })
      k = try node.add(GatherOperator(axis: 1), k, sources)
      v = try node.add(GatherOperator(axis: 1), v, sources)
    }
    let scale: Float =
      node.has("scale") ? node.float("scale", or: 1) : 1 / Float(size).squareRoot()
    var scores = try node.add(BatchedMatMulOperator(transposesRight: true), q, k)
    scores = try node.scaled(scores, by: scale)
    var shown: Graph.ValueID = scores
    let softcap: Float = node.float("softcap", or: 0)
    if softcap > 0 {
      scores = try node.add(
        ActivationOperator(.scaledTanh(alpha: softcap, beta: 1 / softcap)), scores)
    }
    let mode: Int = node.int("qk_matmul_output_mode", or: 0)
    if mode == 1 { shown = scores }
    let bias: Graph.ValueID? = try bias(q, k, past)
    if let bias { scores = try node.join(.add, scores, bias) }
    if mode == 2 { shown = scores }
    var weights = try node.add(SoftmaxNDOperator(axis: -1), scores)
    if let bias, let rank = node.builder.rank(of: bias) {
      // If the mask hides all keys from a query, the query's result is 0.
      let most = try node.reduced(bias, .maximum, [rank - 1], keepsAxes: true, rank: rank)
      let sees = try node.join(.isGreater, most, node.constant(-.infinity))
      weights = try node.add(WhereBroadcastableOperator(), sees, weights, node.constant(0))
    }
    if mode == 3 { shown = weights }
    var made = try node.add(BatchedMatMulOperator(), weights, v)
    if isFlat {
      made = try node.reshaped(node.transposed(made, [0, 2, 1, 3]), to: [0, 0, -1])
    }
    return [ONNXTensor(made, element)] + present + [ONNXTensor(shown, element)]
  }

  /// Returns the term to add to the scores. Nil if there is nothing to add. The term is 0 for keys that a query may
  /// see, and −∞ for all other keys. The node's mask may add other numbers.
  private func bias(_ q: Graph.ValueID, _ k: Graph.ValueID, _ past: ONNXTensor?) throws
    -> Graph.ValueID?
  {
    var result: Graph.ValueID?
    func append(_ part: Graph.ValueID) throws {
      result = try result.map { try node.join(.add, $0, part) } ?? part
    }
    func barred(_ allowed: Graph.ValueID) throws -> Graph.ValueID {
      try node.add(
        WhereBroadcastableOperator(), allowed, node.constant(0), node.constant(-.infinity))
    }
    if let mask = try node.optional(3) {
      var value: Graph.ValueID =
        mask.element == .bool ? try barred(mask.id) : try node.real(mask)
      let rank: Int = try node.rank(mask)
      let own: Int? = try node.extents(mask)[rank - 1]
      let length: Int? = node.builder.extents(of: k)?[2]
      if let own, let length, own < length {
        var amounts = [Int](repeating: 0, count: 2 * rank)
        amounts[2 * rank - 1] = length - own
        value = try node.add(ConstantPadOperator(value: -.infinity, amounts: amounts), value)
      }
      try append(value)
    }
    let lengths: ONNXTensor? = try node.optional(6)
    let isCausal: Bool = node.flag("is_causal")
    let (left, right) = (
      node.int("left_window_size", or: -1), node.int("right_window_size", or: -1)
    )
    if isCausal || left >= 0 || right >= 0 {
      // For each pair of a query and a key, the position of the query minus that of the key: `[…, queries, keys]`.
      let queries = try node.stretched(count(q, axis: 2), [1])
      let keys = try node.stretched(count(k, axis: 2), [0])
      var distance = try node.join(.subtract, queries, keys)
      if let past {
        let offset = try node.add(
          CastOperator(to: .float32), node.extent(of: past.id, axis: 2))
        distance = try node.join(.add, distance, offset)
      } else if let lengths {
        let offset = try node.join(
          .subtract, node.reshaped(node.real(lengths), to: [-1, 1, 1, 1]),
          node.add(CastOperator(to: .float32), node.extent(of: q, axis: 2)))
        distance = try node.join(.add, distance, offset)
      }
      if isCausal { try append(barred(node.join(.isAtLeast, distance, number: 0))) }
      if left >= 0 { try append(barred(node.join(.isAtMost, distance, number: Float(left)))) }
      if right >= 0 { try append(barred(node.join(.isAtLeast, distance, number: -Float(right)))) }
    }
    if let lengths {
      let keys = try count(k, axis: 2)
      let ends = try node.reshaped(node.real(lengths), to: [-1, 1, 1, 1])
      try append(barred(node.join(.isLess, keys, ends)))
    }
    return result
  }

  /// Returns the numbers 0, 1, 2 … as floats, one for each index along an axis of a value.
  private func count(_ value: Graph.ValueID, axis: Int) throws -> Graph.ValueID {
    let extent = try node.extent(of: value, axis: axis)
    let numbers = try node.add(RangeDynamicOperator(start: 0, step: 1), extent)
    if node.builder.extents(of: numbers) == nil {
      node.builder.state([Extent(from: 0)], .int32, of: numbers)
    }
    return try node.add(CastOperator(to: .float32), numbers)
  }
}

extension ONNXNode {
  /// Computes the rotary embedding. It rotates pairs of elements by an angle that depends on the position in the
  /// sequence.
  fileprivate func rotated() throws -> ONNXTensor {
    let x: ONNXTensor = try tensor(0)
    let rank: Int = try rank(x)
    guard rank == 3 || rank == 4 else {
      throw invalid("the input has \(rank) axes, expected 3 or 4.")
    }
    let heads: Int = int("num_heads", or: 0)
    guard rank == 4 || heads > 0 else { throw invalid("'num_heads' is missing.") }
    // [batch, sequence, heads, size]
    let value: Graph.ValueID =
      rank == 4 ? try transposed(x.id, [0, 2, 1, 3]) : try reshaped(x.id, to: [0, 0, heads, -1])
    guard let size = builder.extents(of: value)?[3] else {
      throw unsupported("the size of a head is not known.")
    }
    let given: Int = int("rotary_embedding_dim", or: 0)
    let turned: Int = given == 0 ? size : given
    guard turned > 0, turned <= size, turned % 2 == 0 else {
      throw invalid("'rotary_embedding_dim' is \(turned), expected an even number up to \(size).")
    }
    let positions: ONNXTensor? = try optional(3)
    let caches: [Graph.ValueID] = try (1...2).map { position in
      var cache: Graph.ValueID = try tensor(position).id
      if let positions { cache = try add(GatherOperator(axis: 0), cache, positions.id) }
      return try stretched(cache, [2])
    }
    let isInterleaved: Bool = flag("interleaved")
    let half: Int = turned / 2
    func part(_ index: Int) throws -> Graph.ValueID {
      isInterleaved
        ? try sliced(value, axis: 3, rank: 4, from: index, to: turned, by: 2)
        : try sliced(value, axis: 3, rank: 4, from: index * half, to: (index + 1) * half)
    }
    let (first, second) = (try part(0), try part(1))
    let (cosine, sine) = (caches[0], caches[1])
    let real = try join(.subtract, join(.multiply, cosine, first), join(.multiply, sine, second))
    let other = try join(.add, join(.multiply, sine, first), join(.multiply, cosine, second))
    var made: Graph.ValueID
    if isInterleaved {
      made = try add(ConcatNDOperator(axis: 4), stretched(real, [4]), stretched(other, [4]))
      made = try reshaped(made, to: [0, 0, 0, -1])
    } else {
      made = try add(ConcatNDOperator(axis: 3), real, other)
    }
    if turned < size {
      let rest = try sliced(value, axis: 3, rank: 4, from: turned, to: nil)
      made = try add(ConcatNDOperator(axis: 3), made, rest)
    }
    return ONNXTensor(
      rank == 4 ? try transposed(made, [0, 2, 1, 3]) : try reshaped(made, to: [0, 0, -1]),
      x.element)
  }

  /// Computes a causal convolution of each channel. The second output is the state for the next call: the last elements
  /// of the input.
  fileprivate func causalConvolution() throws -> [ONNXTensor] {
    let (x, weights) = (try tensor(0), try tensor(1))
    let shape: [Int] = try shape(weights, "the weights")
    guard shape.count == 3, try rank(x) == 3, shape[2] > 0, shape[0] > 0 else {
      throw invalid("the weights are \(Shape(shape)), expected channels × 1 × length.")
    }
    let before: Int = shape[2] - 1
    var padded: Graph.ValueID = x.id
    if let past = try optional(3) {
      padded = try add(ConcatNDOperator(axis: 2), past.id, x.id)
    } else if before > 0 {
      padded = try add(ConstantPadOperator(value: 0, amounts: [0, 0, 0, 0, before, 0]), x.id)
    }
    let newState: Graph.ValueID =
      before == 0
      ? try sliced(padded, axis: 2, rank: 3, from: 0, to: 0)
      : try sliced(padded, axis: 2, rank: 3, from: -before, to: nil)
    let flat = try stretched(weights.id, [2])
    let bias: ONNXTensor? = try optional(2)
    let operation = ConvolutionOperator(
      outputChannels: shape[0], kernelChannels: 1, groups: shape[0], kernel: .init(1, shape[2]),
      hasBias: bias != nil)
    var made = try add(
      operation, [stretched(padded, [2]), flat] + [bias].compactMap { $0?.id })
    made = try add(SqueezeOperator(axes: [2]), made)
    switch string("activation", or: "none") {
    case "none": break
    case "silu", "swish": made = try add(FormulaOperator(.swish, inputCount: 1), made)
    case let other: throw invalid("the activation is '\(other)', expected none, silu or swish.")
    }
    return [ONNXTensor(made, x.element), ONNXTensor(newState, x.element)]
  }
}
