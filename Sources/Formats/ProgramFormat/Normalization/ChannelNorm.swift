import Graph
import Operators

/// A normalisation that has one parameter per index of the second axis: `batch_norm` or `instance_norm`.
struct ChannelNorm {
  private let operation: ProgramOperation
  private let x: Graph.ValueID
  private let rank: Int
  private let epsilon: Float

  /// Reads the inputs of an operation.
  init(_ operation: ProgramOperation) throws {
    self.operation = operation
    x = try operation.tensor("x").id
    rank = try operation.rank("x")
    epsilon = try operation.float("epsilon", or: 1e-5)
    guard rank >= 2 else {
      throw operation.invalid("'x' has \(rank) axes, expected 3 or more.")
    }
  }

  /// Computes `γ (x − mean) / √(variance + ε) + β`. `mean` and `variance` are inputs of the operation.
  func normalizedByGivenStatistics() throws -> Graph.ValueID {
    let names: [String] = ["gamma", "beta", "mean", "variance"]
    let isConstant: Bool = try names.allSatisfy {
      try operation.optionalTensor($0).map { $0.constant != nil } ?? true
    }
    if isConstant, rank >= 3 {
      let count = try channels(["mean", "variance"])
      let norm = BatchNormOperator(channels: count, statistics: .given, epsilon: epsilon)
      let parameters = [
        try parameter("gamma", or: 1, count), try parameter("beta", or: 0, count),
        try parameter("mean", or: 0, count), try parameter("variance", or: 1, count),
      ]
      return operation.asPicture(x, rank: rank) { operation.add(norm, [$0] + parameters) }
    }
    // If all inputs of one of these operators are constant, the planner folds the operator.
    let mean = try operation.channelParameter("mean", rank: rank)
    let variance = try operation.channelParameter("variance", rank: rank)
    var scale = operation.add(UnaryOperator(.reciprocalSquareRoot(epsilon: epsilon)), variance)
    if operation.has("gamma") {
      let gamma = try operation.channelParameter("gamma", rank: rank)
      scale = operation.add(BinaryFunctionOperator(.multiply), scale, gamma)
    }
    let centred = operation.add(BinaryFunctionOperator(.subtract), x, mean)
    let scaled = operation.add(BinaryFunctionOperator(.multiply), centred, scale)
    guard operation.has("beta") else { return scaled }
    let beta = try operation.channelParameter("beta", rank: rank)
    return operation.add(BinaryFunctionOperator(.add), scaled, beta)
  }

  /// Computes `γ (x − mean) / √(variance + ε) + β`. Computes the mean and the variance over each channel of each
  /// sample.
  func normalizedByInstances() throws -> Graph.ValueID {
    guard rank >= 3 else {
      throw operation.invalid("'x' has \(rank) axes, expected 3 or 4.")
    }
    let count = try channels(["gamma", "beta"])
    let norm = BatchNormOperator(channels: count, statistics: .instance, epsilon: epsilon)
    let parameters = [
      try parameter("gamma", or: 1, count), try parameter("beta", or: 0, count),
    ]
    return operation.asPicture(x, rank: rank) { operation.add(norm, [$0] + parameters) }
  }

  /// Returns the number of channels. The extents of `x` or of a parameter determine it.
  private func channels(_ names: [String]) throws -> Int {
    if let known = try operation.tensor("x").extents?[1] { return known }
    for name in names {
      if let known = try operation.optionalTensor(name)?.extents?.first ?? nil { return known }
    }
    throw operation.unsupported("the number of channels of 'x' is not known.")
  }

  private func parameter(_ name: String, or standard: Double, _ count: Int) throws
    -> Graph.ValueID
  {
    guard let tensor = try operation.optionalTensor(name) else {
      return operation.builder.addConstant(
        .repeating(Float(standard), [count]), name: operation.name)
    }
    guard tensor.rank == 1, (tensor.extents?[0] ?? count) == count else {
      throw operation.invalid("'\(name)' is not a vector of \(count) numbers, one per channel.")
    }
    return operation.real(tensor)
  }
}
