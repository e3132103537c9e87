import Foundation
import Graph
import Operators

extension CaffeLayerReader {
  /// Layers of activation functions.
  static let activation: [CaffeLayerReader] = [
    CaffeLayerReader("ReLU", "relu", fields: KnownFields(["negative_slope"])) { context in
      let slope: Float = try context.layer.parameters("relu").float("negative_slope", or: 0)
      return try context.apply(slope == 0 ? .reLU : .leakyReLU(alpha: slope))
    },
    CaffeLayerReader("ReLU6") {
      try $0.add(ClipOperator(minimum: 0, maximum: 6), try $0.input())
    },
    CaffeLayerReader("PReLU", "prelu", fields: KnownFields(["channel_shared"])) {
      try $0.parametric()
    },
    CaffeLayerReader("ELU", "elu", fields: KnownFields(["alpha"])) {
      try $0.apply(.elu(alpha: try $0.layer.parameters("elu").float("alpha", or: 1)))
    },
    CaffeLayerReader("Sigmoid", "sigmoid") { try $0.apply(.sigmoid) },
    CaffeLayerReader("TanH", "tanh") { try $0.apply(.tanh) },
    CaffeLayerReader("BNLL") { try $0.apply(.softplus) },
    CaffeLayerReader("Swish", "swish", fields: KnownFields(["beta"])) { context in
      let x = try context.input()
      let beta: Float = try context.layer.parameters("swish").float("beta", or: 1)
      let scaled = beta == 1 ? x : try context.number(.multiply, x, beta)
      return try context.add(
        BinaryFunctionOperator(.multiply), x,
        try context.add(ActivationOperator(.sigmoid), scaled))
    },
    CaffeLayerReader("Softmax", "softmax", fields: KnownFields(["axis"])) { try $0.softmax() },
    CaffeLayerReader("SoftmaxWithLoss", "softmax", fields: KnownFields(["axis"])) {
      try $0.softmax()
    },
  ]
}

extension CaffeContext {
  fileprivate func apply(_ function: ActivationFunction) throws -> Graph.ValueID {
    try add(ActivationOperator(function), try input())
  }

  fileprivate func softmax() throws -> Graph.ValueID {
    let x = try input()
    let rank: Int = try rank(x)
    let axis: Int = try axis(layer.parameters("softmax").int("axis", or: 1), rank: rank)
    return try add(rank == 4 && axis == 1 ? SoftmaxOperator() : SoftmaxNDOperator(axis: axis), x)
  }

  fileprivate func parametric() throws -> Graph.ValueID {
    let x = try input()
    let rank: Int = try rank(x)
    let isShared: Bool = try layer.parameters("prelu").bool("channel_shared", or: false)
    let count: Int = isShared ? 1 : try channels(x)
    let slopes: Constant = try layer.weights(0, "the slopes").constant([count], "the slopes")
    if rank == 4 {
      return try add(
        ChannelActivationOperator(.pReLU), x,
        constant(slopes.reshaped(to: [count, 1, 1]), "slopes"))
    }
    let (value, slope): (Formula, Formula) = (.operand(0), .operand(1))
    let formula: Formula = .operation(.maximum, value, 0) + slope * .operation(.minimum, value, 0)
    return try add(
      FormulaOperator(formula, inputCount: 2), x, perChannel(slopes, rank: rank, "slopes"))
  }
}
