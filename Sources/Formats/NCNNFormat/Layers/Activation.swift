import Graph
import Operators

extension NCNNLayerReader {
  /// Layers of activation functions.
  static let activation: [NCNNLayerReader] = [
    NCNNLayerReader("ReLU", [0]) { context in
      let slope: Float = try context.parameters.float(0, or: 0)
      return try context.apply(slope == 0 ? .reLU : .leakyReLU(alpha: slope))
    },
    NCNNLayerReader("PReLU", [0]) { try $0.parametric() },
    NCNNLayerReader("ELU", [0]) {
      try $0.apply(.elu(alpha: try $0.parameters.float(0, or: 0.1)))
    },
    NCNNLayerReader("SELU", [0, 1]) { context in
      let alpha: Float = try context.parameters.float(0, or: 1.673_263_2)
      let scale: Float = try context.parameters.float(1, or: 1.050_701)
      return try context.add(
        BinaryFunctionOperator(.multiply, number: scale), try context.apply(.elu(alpha: alpha)))
    },
    NCNNLayerReader("GELU", [0]) { context in
      let isFast: Bool = try context.parameters.int(0, or: 0) != 0
      return try context.add(
        GeluOperator(isFast ? .tanhApproximation : .exact), try context.input())
    },
    NCNNLayerReader("Sigmoid") { try $0.apply(.sigmoid) },
    NCNNLayerReader("TanH") { try $0.apply(.tanh) },
    NCNNLayerReader("Softplus") { try $0.apply(.softplus) },
    NCNNLayerReader("BNLL") { try $0.apply(.softplus) },
    NCNNLayerReader("Swish") { context in
      try context.add(
        FormulaOperator(.operand(0) * .function(.sigmoid, .operand(0)), inputCount: 1),
        try context.input())
    },
    NCNNLayerReader("Mish") { context in
      try context.add(FormulaOperator(.mish, inputCount: 1), try context.input())
    },
    NCNNLayerReader("HardSigmoid", [0, 1]) { context in
      try context.apply(
        .sigmoidHard(
          alpha: try context.parameters.float(0, or: 0.2),
          beta: try context.parameters.float(1, or: 0.5)))
    },
    NCNNLayerReader("HardSwish", [0, 1]) { context in
      let formula: Formula = .hardSwish(
        alpha: try context.parameters.float(0, or: 0.2),
        beta: try context.parameters.float(1, or: 0.5))
      return try context.add(FormulaOperator(formula, inputCount: 1), try context.input())
    },
    NCNNLayerReader("Clip", [0, 1]) { context in
      try context.add(
        ClipOperator(
          minimum: try context.parameters.float(0, or: -Float.greatestFiniteMagnitude),
          maximum: try context.parameters.float(1, or: Float.greatestFiniteMagnitude)),
        try context.input())
    },
    NCNNLayerReader("Softmax", [0], harmless: [1]) { context in
      let x: Graph.ValueID = try context.input()
      let rank: Int = try context.rank(x)
      let axis: Int = try context.axis(context.parameters.int(0, or: 0), rank: rank)
      return try context.add(
        rank == 4 && axis == 1 ? SoftmaxOperator() : SoftmaxNDOperator(axis: axis), x)
    },
  ]
}

extension NCNNContext {
  fileprivate func apply(_ function: ActivationFunction) throws -> Graph.ValueID {
    try add(ActivationOperator(function), try input())
  }

  fileprivate func parametric() throws -> Graph.ValueID {
    let x: Graph.ValueID = try input()
    let rank: Int = try rank(x)
    let slopes: Constant = try weights.floats(
      [try size(0, or: 0, "The number of slopes")], "the slopes")
    if rank == 4 {
      return try add(
        ChannelActivationOperator(.pReLU), x, perChannel(slopes, rank: rank, "slopes"))
    }
    let (value, slope): (Formula, Formula) = (.operand(0), .operand(1))
    let formula: Formula = .operation(.maximum, value, 0) + slope * .operation(.minimum, value, 0)
    return try add(
      FormulaOperator(formula, inputCount: 2), x, perChannel(slopes, rank: rank, "slopes"))
  }
}
