import Graph
import Operators

/// Activation functions.
///
/// From iOS 17 on, the type of an activation's parameters may differ from the type of the elements. The readers read
/// constant parameters of every type as numbers.
enum ActivationReaders {
  static let all: [OperationReader] =
    [
      activation("relu", .exact) { _ in .reLU },
      activation("sigmoid") { _ in .sigmoid },
      activation("tanh") { _ in .tanh },
      activation("softplus") { _ in .softplus },
      activation("softsign") { _ in .softsign },
      activation("leaky_relu") { .leakyReLU(alpha: try $0.float("alpha")) },
      activation("elu") { .elu(alpha: try $0.float("alpha")) },
      activation("thresholded_relu", .exact) { .thresholdedReLU(alpha: try $0.float("alpha")) },
      activation("linear_activation") {
        .linear(alpha: try $0.float("alpha"), beta: try $0.float("beta"))
      },
      activation("scaled_tanh") {
        .scaledTanh(alpha: try $0.float("alpha"), beta: try $0.float("beta"))
      },
      activation("sigmoid_hard") {
        .sigmoidHard(alpha: try $0.float("alpha"), beta: try $0.float("beta"))
      },
    ] + others + byChannel

  private static let others: [OperationReader] = [
    OperationReader("relu6", as: [ClipOperator.self], .exact) { operation in
      try operation.apply(ClipOperator(minimum: 0, maximum: 6))
    },
    OperationReader("clamped_relu", as: [ClampedReLUOperator.self]) { operation in
      let (alpha, beta) = (try operation.float("alpha"), try operation.float("beta"))
      return try operation.apply(ClampedReLUOperator(alpha: alpha, beta: beta))
    },
    OperationReader("gelu", as: [GeluOperator.self]) { operation in
      let mode: GeluOperator.Mode
      switch try operation.string("mode", or: "EXACT") {
      case "EXACT": mode = .exact
      case "TANH_APPROXIMATION": mode = .tanhApproximation
      case "SIGMOID_APPROXIMATION": mode = .sigmoidApproximation
      case let other:
        throw operation.invalid(
          "the mode is '\(other)', expected EXACT, TANH_APPROXIMATION or SIGMOID_APPROXIMATION.")
      }
      return try operation.apply(GeluOperator(mode))
    },
    OperationReader("silu", as: [FormulaOperator.self]) { operation in
      try operation.apply(FormulaOperator(.swish, inputCount: 1))
    },
    OperationReader("softmax", as: [SoftmaxNDOperator.self]) { operation in
      try operation.apply(SoftmaxNDOperator(axis: try operation.int("axis", or: -1)))
    },
  ]

  /// Activations that have one parameter per index of the tensor's second axis.
  private static let byChannel: [OperationReader] = [
    OperationReader("prelu", as: [ActivationOperator.self, ChannelActivationOperator.self]) {
      operation in
      let rank = try operation.rank("x")
      if let alphas = try operation.constant("alpha")?.reals, let first = alphas.first,
        alphas.allSatisfy({ $0 == first })
      {
        _ = try operation.channelParameter("alpha", rank: rank)
        return try operation.apply(ActivationOperator(.leakyReLU(alpha: Float(first))))
      }
      let x = try operation.tensor("x")
      let alpha = try operation.channelParameter("alpha", rank: rank)
      if rank == 4 {
        return [.value(operation.add(ChannelActivationOperator(.pReLU), x.id, alpha))]
      }
      let (value, slope): (Formula, Formula) = (.operand(0), .operand(1))
      let formula: Formula =
        .operation(.maximum, value, 0) + slope * .operation(.minimum, value, 0)
      return [.value(operation.add(FormulaOperator(formula, inputCount: 2), x.id, alpha))]
    },
    OperationReader("softplus_parametric", as: [FormulaOperator.self]) { operation in
      let (x, rank) = (try operation.tensor("x"), try operation.rank("x"))
      let parameters = try ["alpha", "beta"].map {
        try operation.channelParameter($0, rank: rank)
      }
      let (value, alpha, beta): (Formula, Formula, Formula) = (
        .operand(0), .operand(1), .operand(2)
      )
      let formula: Formula = alpha * .function(.softplus, beta * value)
      return [
        .value(operation.add(FormulaOperator(formula, inputCount: 3), [x.id] + parameters))
      ]
    },
  ]

  private static func activation(
    _ name: String, _ rounding: OperationReader.Rounding = .computed,
    _ function: @escaping @Sendable (ProgramOperation) throws -> ActivationFunction
  ) -> OperationReader {
    OperationReader(name, as: [ActivationOperator.self], rounding) { operation in
      try operation.apply(ActivationOperator(function(operation)))
    }
  }
}

extension ProgramOperation {
  /// Returns a vector with one number per index of a tensor's second axis. The vector has a shape that broadcasts along
  /// that axis. `rank` is the rank of the tensor.
  func channelParameter(_ input: String, rank: Int) throws -> Graph.ValueID {
    let parameter = try tensor(input)
    guard parameter.rank == 1, rank >= 2 else {
      throw invalid(
        "'\(input)' has \(parameter.rank ?? 0) axes and 'x' \(rank), expected a vector with one number per index of the second axis of 'x'."
      )
    }
    if let channels = try tensor("x").extents?[1], let count = parameter.extents?[0],
      channels != count
    {
      throw invalid(
        "'\(input)' holds \(count) numbers, expected \(channels), one per index of the second axis of 'x'."
      )
    }
    return parameter.id(self, shapedForRank: rank)
  }
}

extension ProgramTensor {
  /// Returns this vector as `[C, 1, …]`. The result broadcasts along the second axis of a tensor of rank `rank`.
  fileprivate func id(_ operation: ProgramOperation, shapedForRank rank: Int) -> Graph.ValueID {
    let value = operation.real(self)
    guard rank > 2 else { return value }
    if let constant, !element.held.isInteger {
      return operation.builder.addConstant(
        constant.reshaped(to: Shape([constant.shape.count] + Array(repeating: 1, count: rank - 2))),
        name: operation.name)
    }
    return operation.add(ExpandDimsOperator(axes: Array(1...(rank - 2))), value)
  }
}
