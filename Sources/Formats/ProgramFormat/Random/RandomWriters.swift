import Graph
import Operators

extension RandomOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    let shape: MILOperand
    switch source {
    case let fixed as StaticShape: shape = .ints(fixed.shape.dimensions)
    case is LikeShape:
      shape = .value(try node.shape(of: try node.block.value(of: node.node.inputs[0])))
    default: shape = .value(try node.integer(0))
    }
    var inputs: [String: MILOperand] = ["shape": shape, "seed": .int(Int(clamping: seed))]
    let name: String
    switch distribution {
    case let normal as NormalDistribution:
      name = "random_normal"
      inputs["mean"] = .real(Float(normal.mean))
      inputs["stddev"] = .real(Float(normal.deviation))
    case let uniform as UniformDistribution:
      name = "random_uniform"
      inputs["low"] = .real(Float(uniform.minimum))
      inputs["high"] = .real(Float(uniform.maximum))
    case let bernoulli as BernoulliDistribution:
      name = "random_bernoulli"
      inputs["prob"] = .real(Float(bernoulli.probability))
    default: throw node.unsupported("programs cannot express its distribution.")
    }
    guard let extents = node.knownExtents() else {
      throw node.unsupported("the rank of its output is not known before the network runs.")
    }
    return [try node.add(name, inputs, extents)]
  }
}

extension CategoricalDistributionOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    var x: MILValue = try node.real(0)
    if !isLogits { x = try node.unary("log", x, ["epsilon": .real(node.tiny(Float(epsilon)))]) }
    if temperature != 1 { x = try node.binary("real_div", x, try node.number(Float(temperature))) }
    return try node.only(
      "random_categorical",
      [
        "x": .value(x), "mode": .string("logits"), "size": .int(sampleCount),
        "seed": .int(Int(clamping: seed)),
      ])
  }
}
