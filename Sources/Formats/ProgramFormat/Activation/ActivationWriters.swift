import Graph
import Operators

extension ProgramNode {
  /// Applies an activation function to a value.
  func apply(_ function: ActivationFunction, to x: MILValue) throws -> MILValue {
    switch function {
    case .linear(let alpha, let beta):
      return try unary("linear_activation", x, ["alpha": .real(alpha), "beta": .real(beta)])
    case .reLU: return try unary("relu", x)
    case .leakyReLU(let alpha): return try unary("leaky_relu", x, ["alpha": .real(alpha)])
    case .thresholdedReLU(let alpha):
      return try unary("thresholded_relu", x, ["alpha": .real(alpha)])
    case .tanh: return try unary("tanh", x)
    case .scaledTanh(let alpha, let beta):
      return try unary("scaled_tanh", x, ["alpha": .real(alpha), "beta": .real(beta)])
    case .sigmoid: return try unary("sigmoid", x)
    case .sigmoidHard(let alpha, let beta):
      return try unary("sigmoid_hard", x, ["alpha": .real(alpha), "beta": .real(beta)])
    case .elu(let alpha): return try unary("elu", x, ["alpha": .real(alpha)])
    case .softsign: return try unary("softsign", x)
    case .softplus: return try unary("softplus", x)
    case .parametricSoftplus(let alpha, let beta):
      let inner: MILValue = try binary("mul", x, try number(beta))
      return try binary("mul", try unary("softplus", inner), try number(alpha))
    }
  }
}

extension ActivationOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    [try node.apply(function, to: try node.real(0))]
  }
}

extension ChannelActivationOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    let x: MILValue = try node.real(0)
    switch function {
    case .pReLU:
      if let alphas = node.constant(1), x.rank == 4, let channels = x.extents[1],
        let each = alphas.stretched(to: channels)
      {
        return try node.only(
          "prelu", ["x": .value(x), "alpha": .value(try node.block.real(each, as: node.real))])
      }
      let below = try node.binary("minimum", x, try node.number(0))
      let bent = try node.binary("mul", below, try node.real(1))
      return [try node.binary("add", try node.unary("relu", x), bent)]
    case .parametricSoftplus:
      let inner = try node.binary("mul", x, try node.real(2))
      return [try node.binary("mul", try node.unary("softplus", inner), try node.real(1))]
    }
  }
}
