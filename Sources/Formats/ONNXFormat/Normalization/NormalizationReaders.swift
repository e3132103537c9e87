import Graph
import Operators

/// Normalisations.
enum NormalizationReaders {
  static let all: [NodeReader] = [
    NodeReader("BatchNormalization", as: [BatchNormOperator.self]) { try $0.batchNorm() },
    NodeReader("InstanceNormalization", as: [BatchNormOperator.self]) { node in
      let x: ONNXTensor = try node.tensor(0)
      let parameters: [ONNXTensor] = [try node.tensor(1), try node.tensor(2)]
      let channels: Int = try node.channels(x, parameters)
      let norm = BatchNormOperator(
        channels: channels, statistics: .instance, epsilon: node.float("epsilon", or: 1e-5))
      return [
        ONNXTensor(
          try node.asPicture(x.id, rank: node.rank(x)) {
            try node.add(norm, [$0] + parameters.map(\.id))
          }, x.element)
      ]
    },
    NodeReader("LayerNormalization", as: [LayerNormalizationOperator.self]) {
      try $0.layerNorm()
    },
    NodeReader("GroupNormalization", as: [BatchNormOperator.self]) { [try $0.groupNorm()] },
    NodeReader("RMSNormalization", as: [ReduceAxesOperator.self, BinaryFunctionOperator.self]) {
      node in
      let (x, scale) = (try node.tensor(0), try node.tensor(1))
      let rank: Int = try node.rank(x)
      let first: Int = try node.axis(node.int("axis", or: -1), rank: rank)
      let squares = try node.join(.multiply, x.id, x.id)
      let mean = try node.reduced(squares, .mean, Array(first..<rank), keepsAxes: true, rank: rank)
      let factor = try node.add(
        UnaryOperator(.reciprocalSquareRoot(epsilon: node.float("epsilon", or: 1e-5))), mean)
      let normal = try node.join(.multiply, x.id, factor)
      return [ONNXTensor(try node.join(.multiply, normal, scale.id), x.element)]
    },
    NodeReader(
      "MeanVarianceNormalization", as: [ReduceAxesOperator.self, BinaryFunctionOperator.self]
    ) { node in
      let x: ONNXTensor = try node.tensor(0)
      let rank: Int = try node.rank(x)
      let axes: [Int] = try (node.ints("axes") ?? [0, 2, 3]).map { try node.axis($0, rank: rank) }
      let (centred, variance) = try node.centred(x.id, axes.sorted(), rank: rank)
      let deviation = try node.scaled(node.map(.squareRoot, variance), by: 1, plus: 1e-9)
      return [ONNXTensor(try node.join(.divide, centred, deviation), x.element)]
    },
    NodeReader("LpNormalization", as: [ReduceAxesOperator.self, BinaryFunctionOperator.self]) {
      node in
      let x: ONNXTensor = try node.tensor(0)
      let rank: Int = try node.rank(x)
      let axis: Int = try node.axis(node.int("axis", or: -1), rank: rank)
      let norm = try node.norm(x.id, p: node.int("p", or: 2), axes: [axis], rank: rank)
      // If all elements are 0, the divisor becomes 1. So the quotient is 0.
      let divisor = try node.join(.add, norm, node.join(.isEqual, norm, number: 0))
      return [ONNXTensor(try node.join(.divide, x.id, divisor), x.element)]
    },
    NodeReader("LRN", as: [LocalResponseNormalizationOperator.self]) { node in
      let x: ONNXTensor = try node.tensor(0)
      let size: Int = try node.int("size")
      guard size > 0, size % 2 == 1 else {
        throw node.unsupported("'size' is \(size), expected an odd number of channels.")
      }
      let norm = LocalResponseNormalizationOperator(
        alpha: node.float("alpha", or: 1e-4), beta: node.float("beta", or: 0.75), size: size,
        k: node.float("bias", or: 1))
      return [
        ONNXTensor(
          try node.asPicture(x.id, rank: node.rank(x)) { try node.add(norm, $0) }, x.element)
      ]
    },
  ]
}

extension ONNXNode {
  /// Returns the number of channels. The shape of the input or of a parameter determines it.
  func channels(_ x: ONNXTensor, _ parameters: [ONNXTensor]) throws -> Int {
    let extents: [Int?] = try extents(x)
    guard extents.count >= 2 else {
      throw invalid("the input has \(extents.count) axes, expected 2 or more.")
    }
    let counts: [Int] = try parameters.compactMap { parameter in
      let shape: [Int?] = try self.extents(parameter)
      guard shape.count == 1 else {
        throw invalid("a parameter has \(shape.count) axes, expected one.")
      }
      return shape[0]
    }
    guard let count = extents[1] ?? counts.first else {
      throw unsupported("the number of channels is not known before the network runs.")
    }
    guard counts.allSatisfy({ $0 == count }) else {
      throw invalid(
        "the parameters hold \(counts.map(String.init).joined(separator: ", ")) numbers, expected \(count), one per channel."
      )
    }
    return count
  }

  /// Applies a closure to a tensor as an image `[N, C, H, W]`. If the tensor `[N, C, …]` does not have four axes, joins
  /// its spatial axes before the call of the closure, and restores them afterwards.
  func asPicture(
    _ x: Graph.ValueID, rank: Int, _ make: (Graph.ValueID) throws -> Graph.ValueID
  ) throws -> Graph.ValueID {
    if rank == 4 { return try make(x) }
    let picture = try reshaped(x, to: rank == 2 ? [0, 0, 1, 1] : [0, 0, 1, -1])
    return try add(ReshapeLikeOperator(), make(picture), x)
  }

  /// Returns a value minus its mean over axes, and the value's variance over the same axes. Both results keep these
  /// axes with extent one.
  func centred(_ x: Graph.ValueID, _ axes: [Int], rank: Int) throws -> (
    centred: Graph.ValueID, variance: Graph.ValueID
  ) {
    let mean = try reduced(x, .mean, axes, keepsAxes: true, rank: rank)
    let centred = try join(.subtract, x, mean)
    let squares = try join(.multiply, centred, centred)
    return (centred, try reduced(squares, .mean, axes, keepsAxes: true, rank: rank))
  }

  /// Computes γ (x − mean) / √(variance + ε) + β. The mean and the variance are inputs of the node. In training mode,
  /// both are computed from the batch.
  fileprivate func batchNorm() throws -> [ONNXTensor] {
    let x: ONNXTensor = try tensor(0)
    let parameters: [ONNXTensor] = try (1...4).map { try tensor($0) }
    let rank: Int = try rank(x)
    let count: Int = try channels(x, parameters)
    let epsilon: Float = float("epsilon", or: 1e-5)
    guard version >= 9 || flag("spatial", or: true) else {
      throw unsupported(
        "'spatial' is 0 (statistics for each pixel), expected statistics for each channel.")
    }
    guard version >= 14, flag("training_mode") else {
      guard version >= 14 || !hasOutput(1) else {
        throw unsupported("it is asked to update training statistics, expected inference.")
      }
      let norm = BatchNormOperator(channels: count, statistics: .given, epsilon: epsilon)
      return [
        ONNXTensor(
          try asPicture(x.id, rank: rank) { try add(norm, [$0] + parameters.map(\.id)) },
          x.element)
      ]
    }
    let norm = BatchNormOperator(channels: count, statistics: .batch, epsilon: epsilon)
    let made = try asPicture(x.id, rank: rank) {
      try add(norm, $0, parameters[0].id, parameters[1].id)
    }
    let axes: [Int] = [0] + Array(2..<rank)
    let mean = try reduced(x.id, .mean, axes, keepsAxes: true, rank: rank)
    let (_, variance) = try centred(x.id, axes, rank: rank)
    let momentum: Float = float("momentum", or: 0.9)
    let running: [ONNXTensor] = try zip(parameters[2...], [mean, variance]).map { old, new in
      let flat = try reshaped(new, to: [count])
      let sum = try join(.add, scaled(old.id, by: momentum), scaled(flat, by: 1 - momentum))
      return ONNXTensor(sum, old.element)
    }
    return [ONNXTensor(made, x.element)] + running
  }

  /// Adds layer normalisation. Adds one operator if the node has a single output, and if γ and β have the known shape
  /// of the normalised axes. Otherwise adds operators that also compute the mean and the inverse standard deviation.
  fileprivate func layerNorm() throws -> [ONNXTensor] {
    let (x, gamma, beta) = (try tensor(0), try tensor(1), try optional(2))
    let extents: [Int?] = try extents(x)
    let rank: Int = extents.count
    let first: Int = try axis(int("axis", or: -1), rank: rank)
    let epsilon: Float = float("epsilon", or: 1e-5)
    let inner: [Int?] = Array(extents[first...])
    let shape: [Int] = try zip(inner, self.extents(gamma).suffix(inner.count)).compactMap {
      $0 ?? $1
    }
    let fits: Bool = try [gamma, beta].compactMap { $0 }.allSatisfy {
      try self.extents($0) == shape.map(Optional.some)
    }
    if !hasOutput(1), !hasOutput(2), fits, shape.count == inner.count,
      shape.allSatisfy({ $0 > 0 })
    {
      let norm = LayerNormalizationOperator(
        normalizedShape: Shape(shape), epsilon: epsilon, hasGamma: true, hasBeta: beta != nil)
      return [
        ONNXTensor(try add(norm, [x.id, gamma.id] + [beta].compactMap { $0?.id }), x.element)
      ]
    }
    let axes = Array(first..<rank)
    let mean = try reduced(x.id, .mean, axes, keepsAxes: true, rank: rank)
    let (centred, variance) = try centred(x.id, axes, rank: rank)
    let factor = try add(UnaryOperator(.reciprocalSquareRoot(epsilon: epsilon)), variance)
    var made = try join(.multiply, join(.multiply, centred, factor), gamma.id)
    if let beta { made = try join(.add, made, beta.id) }
    return [ONNXTensor(made, x.element), ONNXTensor(mean, .float32), ONNXTensor(factor, .float32)]
  }

  /// Computes group normalisation: each group of channels is normalised as if it were one channel.
  fileprivate func groupNorm() throws -> ONNXTensor {
    let (x, gamma, beta) = (try tensor(0), try tensor(1), try tensor(2))
    let (rank, groups) = (try rank(x), try int("num_groups"))
    guard rank >= 2, groups > 0 else {
      throw invalid(
        "the input has \(rank) axes and 'num_groups' is \(groups), expected at least 3 axes and 1 group."
      )
    }
    // From opset 21 on, γ and β have one number per channel. Before, they have one number per group.
    let counts: [Int] = [try extents(x)[1], try extents(gamma).first ?? nil].compactMap { $0 }
    for count in counts where count < groups || version >= 21 && count % groups != 0 {
      throw invalid("\(count) channels do not divide into \(groups) groups.")
    }
    let norm = BatchNormOperator(
      channels: groups, statistics: .instance, epsilon: float("epsilon", or: 1e-5))
    let picture = try reshaped(x.id, to: [0, groups, 1, -1])
    // Before opset 21 γ and β have one number per group.
    guard version >= 21 else {
      let made = try add(norm, picture, gamma.id, beta.id)
      return ONNXTensor(try add(ReshapeLikeOperator(), made, x.id), x.element)
    }
    let ones = builder.addConstant(.repeating(1, [groups]), name: name)
    let zeros = builder.addConstant(.repeating(0, [groups]), name: name)
    let normal = try add(ReshapeLikeOperator(), add(norm, picture, ones, zeros), x.id)
    let ofChannel: [Int] = [-1] + [Int](repeating: 1, count: rank - 2)
    let product = try join(.multiply, normal, reshaped(gamma.id, to: ofChannel))
    return ONNXTensor(try join(.add, product, reshaped(beta.id, to: ofChannel)), x.element)
  }
}
