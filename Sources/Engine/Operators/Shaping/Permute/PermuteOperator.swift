import Graph

/// Reorders the sequence, channel, height and width axes. The batch axis does not move.
///
/// `y[s′, b, c′, h′, w′] = x[…]`, where axis *i* of the output's `[S, C, H, W]` is axis `axes[i]` of the input's
/// `[S, C, H, W]`.
///
/// - Input: `[S, B, C, H, W]`, `[B, C, H, W]` or `[C, H, W]`. If there is no sequence axis, the sequence length counts
///   as one, and `axes[0]` must be 0.
/// - Output: the input's rank.
/// - Default of the initialiser: `[0, 1, 2, 3]`, the identity.
///
/// **Source:** `PermuteLayerParams`; for any permutation of any rank see ``TransposeOperator``.
public struct PermuteOperator: MovingOperator {
  public static let declaration = OperatorDeclaration(
    "Permute",
    summary: "reorders the sequence, channel, height and width axes")

  /// For each output axis, the input axis that moves there. Both are indices into `[S, C, H, W]`.
  public let axes: [Int]

  /// Creates an operator that reorders the axes `[S, C, H, W]`.
  public init(axes: [Int] = [0, 1, 2, 3]) { self.axes = axes }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    let input: Shape = inputs[0].shape
    try input.requireRank(atLeast: 3)
    guard input.rank <= 5 else {
      throw EngineError(
        .invalidInput, "the input has \(input.rank) dimensions (\(input)), expected at most 5.")
    }
    guard input.rank == 5 || axes[0] == 0 else {
      throw EngineError(
        .invalidInput,
        "axis \(axes) moves the sequence axis, but the input (\(input)) has none; five dimensions are expected."
      )
    }
    return [inputs[0].type.reshaped(to: Shape(sources(rank: input.rank).map { input[$0] }))]
  }

  /// Returns, for an input of this rank, the input axis that moves to each output axis.
  package func sources(rank: Int) -> [Int] {
    let missing = 5 - rank
    let all: [Int] = [0, 2, 3, 4]
    let permuted: [Int] = axes.map { all[$0] }
    let five: [Int] = [permuted[0], 1] + permuted[1...]
    return five[missing...].map { $0 - missing }
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let input = inputs[0]
    let order: [Int] = sources(rank: input.shape.rank)
    let shape = Shape(order.map { input.shape[$0] })
    return [
      ReferenceTensor(shape) { index in
        var source = index
        for (axis, origin) in order.enumerated() { source[origin] = index[axis] }
        return input[source]
      }
    ]
  }
}
