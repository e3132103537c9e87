import Graph
import Operators

extension ProgramNode {
  /// Returns a parameter as a vector. The parameter has one number per channel.
  func vector(_ input: Int, _ count: Int) throws -> MILValue {
    if let constant = block.graph[node.inputs[input]].constant {
      return try block.real(constant, as: real, shape: [count])
    }
    return try reshape(try real(input), [count])
  }

  /// Returns a parameter that broadcasts to the last axes of the input. Its shape is `[C, H, W]`, or has fewer axes.
  func stretched(_ input: Int) throws -> MILValue { try real(input) }

  /// Computes the mean over axes. These axes stay, with extent one.
  func mean(_ x: MILValue, _ axes: [Int]) throws -> MILValue {
    var extents: [Int?] = x.extents
    for axis in axes { extents[axis] = 1 }
    return try add(
      "reduce_mean", ["x": .value(x), "axes": .ints(axes), "keep_dims": .bool(true)], extents)
  }

  /// Computes `(x − mean) / √(variance + ε)` over axes. If `scales` is false, computes only `x − mean`.
  func normalized(_ x: MILValue, _ axes: [Int], epsilon: Float, scales: Bool = true) throws
    -> MILValue
  {
    let centred = try binary("sub", x, try mean(x, axes))
    guard scales else { return centred }
    let variance = try mean(try binary("mul", centred, centred), axes)
    let factor = try unary("rsqrt", variance, ["epsilon": .real(tiny(epsilon))])
    return try binary("mul", centred, factor)
  }
}

extension BatchNormOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    try node.onPicture { x in
      let (gamma, beta) = (try node.vector(1, channels), try node.vector(2, channels))
      switch statistics {
      case .given:
        return try node.unary(
          "batch_norm", x,
          [
            "mean": .value(try node.vector(3, channels)),
            "variance": .value(try node.vector(4, channels)), "gamma": .value(gamma),
            "beta": .value(beta), "epsilon": .real(node.tiny(epsilon)),
          ])
      case .instance:
        return try node.unary(
          "instance_norm", x,
          ["gamma": .value(gamma), "beta": .value(beta), "epsilon": .real(node.tiny(epsilon))])
      case .batch:
        let normal = try node.normalized(x, [0, 2, 3], epsilon: epsilon)
        let scaled = try node.binary("mul", normal, try node.reshape(gamma, [channels, 1, 1]))
        return try node.binary("add", scaled, try node.reshape(beta, [channels, 1, 1]))
      }
    }
  }
}

extension LayerNormalizationOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    let x: MILValue = try node.real(0)
    var inputs: [String: MILOperand] = [
      "axes": .ints((0..<normalizedShape.rank).map { $0 - normalizedShape.rank }),
      "epsilon": .real(node.tiny(epsilon)),
    ]
    if hasGamma { inputs["gamma"] = .value(try node.real(1)) }
    if hasBeta { inputs["beta"] = .value(try node.real(hasGamma ? 2 : 1)) }
    return [try node.unary("layer_norm", x, inputs)]
  }
}

extension L2NormalizeOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    try node.onPicture { try node.unary("l2_norm", $0, ["epsilon": .real(node.tiny(epsilon))]) }
  }
}

extension LocalResponseNormalizationOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    try node.onPicture { x in
      try node.unary(
        "local_response_norm", x,
        ["size": .int(size), "alpha": .real(alpha), "beta": .real(beta), "k": .real(k)])
    }
  }
}

extension MeanVarianceNormalizeOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    let x: MILValue = try node.real(0)
    let axes: [Int] = Array((x.rank - (acrossChannels ? 3 : 2))..<x.rank)
    return [try node.normalized(x, axes, epsilon: epsilon, scales: normalizesVariance)]
  }
}

extension ScaleOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    let scaled = try node.binary("mul", try node.real(0), try node.stretched(1))
    return [hasBias ? try node.binary("add", scaled, try node.stretched(2)) : scaled]
  }
}

extension BiasOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    [try node.binary("add", try node.real(0), try node.stretched(1))]
  }
}

extension SoftmaxOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    [try node.unary("softmax", try node.real(0), ["axis": .int(-3)])]
  }
}

extension SoftmaxNDOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    [try node.unary("softmax", try node.real(0), ["axis": .int(axis)])]
  }
}
