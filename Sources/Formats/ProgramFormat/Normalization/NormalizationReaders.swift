import Graph
import Operators

/// Normalisations. From iOS 17 on, the type of the parameters may differ from the type of the elements.
enum NormalizationReaders {
  static let all: [OperationReader] = [
    OperationReader("batch_norm", as: [BatchNormOperator.self]) { operation in
      let norm = try ChannelNorm(operation)
      return [.value(try norm.normalizedByGivenStatistics())]
    },
    OperationReader("instance_norm", as: [BatchNormOperator.self]) { operation in
      let norm = try ChannelNorm(operation)
      return [.value(try norm.normalizedByInstances())]
    },
    OperationReader("l2_norm", as: [L2NormalizeOperator.self]) { operation in
      let rank = try operation.rank("x")
      guard rank >= 3 else {
        throw operation.invalid("'x' has \(rank) axes, expected 3 or more.")
      }
      return try operation.apply(
        L2NormalizeOperator(epsilon: try operation.float("epsilon", or: 1e-6)))
    },
    OperationReader("layer_norm", as: [LayerNormalizationOperator.self]) { operation in
      [.value(try operation.layerNorm())]
    },
    OperationReader("local_response_norm", as: [LocalResponseNormalizationOperator.self]) {
      operation in
      let (size, rank) = (try operation.int("size"), try operation.rank("x"))
      guard size > 0, rank >= 3 else {
        throw operation.invalid(
          "'size' is \(size) and 'x' has \(rank) axes, expected a size of 1 or more and 3 axes or more."
        )
      }
      let norm = LocalResponseNormalizationOperator(
        alpha: try operation.float("alpha", or: 1e-4), beta: try operation.float("beta", or: 0.75),
        size: size, k: try operation.float("k", or: 1))
      return [
        .value(
          operation.asPicture(try operation.tensor("x").id, rank: rank) { operation.add(norm, $0) })
      ]
    },
  ]
}

extension ProgramOperation {
  /// Applies a closure to a tensor as an image `[N, C, H, W]`. If the tensor `[N, C, …]` does not have four axes, first
  /// joins its spatial axes to one row of pixels, and last restores them.
  func asPicture(
    _ x: Graph.ValueID, rank: Int, _ make: (Graph.ValueID) -> Graph.ValueID
  ) -> Graph.ValueID {
    if rank == 4 { return make(x) }
    let picture = add(ReshapeStaticOperator(targetShape: [0, 0, 1, -1]), x)
    return add(ReshapeLikeOperator(), make(picture), x)
  }

  /// Computes `(x − mean) / √(variance + ε) · γ + β` over axes, by reductions and elementwise operators. γ and β
  /// broadcast to the shape of x.
  func decomposedNorm(
    _ x: Graph.ValueID, over axes: [Int], epsilon: Float, gamma: Graph.ValueID?,
    beta: Graph.ValueID?, rank: Int
  ) -> Graph.ValueID {
    func mean(_ value: Graph.ValueID) -> Graph.ValueID {
      reduce(
        ProgramTensor(value, .float32, [Int?](repeating: nil, count: rank)), .mean, axes,
        keepsAxes: true)
    }
    let centred = add(BinaryFunctionOperator(.subtract), x, mean(x))
    let variance = mean(add(BinaryFunctionOperator(.multiply), centred, centred))
    let factor = add(UnaryOperator(.reciprocalSquareRoot(epsilon: epsilon)), variance)
    var result = add(BinaryFunctionOperator(.multiply), centred, factor)
    if let gamma { result = add(BinaryFunctionOperator(.multiply), result, gamma) }
    if let beta { result = add(BinaryFunctionOperator(.add), result, beta) }
    return result
  }

  /// Adds layer normalisation. If the axes are the innermost ones and their extents are known, one operator computes
  /// it. Otherwise reductions and elementwise operators compute it.
  fileprivate func layerNorm() throws -> Graph.ValueID {
    let (x, rank) = (try tensor("x"), try rank("x"))
    let (gamma, beta) = (try optionalTensor("gamma"), try optionalTensor("beta"))
    let axes: [Int] = try reducedAxes("axes", rank: rank)
    guard !axes.isEmpty else { throw invalid("'axes' is empty, expected one axis or more.") }
    let epsilon: Float = try float("epsilon", or: 1e-5)
    for (name, parameter) in [("gamma", gamma), ("beta", beta)] {
      guard let parameter else { continue }
      let fits: Bool =
        parameter.rank == axes.count
        && zip(axes, parameter.extents ?? []).allSatisfy { axis, extent in
          guard let extent, let expected = x.extents?[axis] else { return true }
          return extent == expected
        }
      guard fits else {
        throw invalid("'\(name)' does not have the extents of 'x' along the axes \(axes).")
      }
    }
    let extents: [Int] = axes.enumerated().compactMap { position, axis in
      x.extents?[axis] ?? gamma?.extents?[position] ?? beta?.extents?[position]
    }
    if axes.last == rank - 1, axes.first == rank - axes.count, extents.count == axes.count,
      extents.allSatisfy({ $0 > 0 })
    {
      let norm = LayerNormalizationOperator(
        normalizedShape: Shape(extents), epsilon: epsilon, hasGamma: gamma != nil,
        hasBeta: beta != nil)
      return add(norm, [real(x)] + [gamma, beta].compactMap { $0.map { real($0) } })
    }
    let others: [Int] = (axes[0]..<rank).filter { !axes.contains($0) }.map { $0 - axes[0] }
    func stretched(_ parameter: ProgramTensor?) -> Graph.ValueID? {
      parameter.map { others.isEmpty ? real($0) : add(ExpandDimsOperator(axes: others), real($0)) }
    }
    return decomposedNorm(
      real(x), over: axes, epsilon: epsilon, gamma: stretched(gamma), beta: stretched(beta),
      rank: rank)
  }
}
