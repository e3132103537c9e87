import Graph
import Operators

/// Elementwise functions of one tensor.
enum UnaryReaders {
  static let all: [NodeReader] =
    functions + [
      NodeReader("Neg", as: [BinaryFunctionOperator.self], .exact) { node in
        let x: ONNXTensor = try node.tensor(0)
        guard x.element.isInteger else {
          return [ONNXTensor(try node.scaled(x.id, by: -1), x.element)]
        }
        return [try node.wrapped(node.opposite(of: x), as: x.element)]
      },
      NodeReader("Abs", as: [UnaryFunctionOperator.self, BinaryFunctionOperator.self], .exact) {
        node in
        let x: ONNXTensor = try node.tensor(0)
        guard x.element.isInteger else {
          return [ONNXTensor(try node.map(.magnitude, x.id), x.element)]
        }
        let size = try node.join(.maximum, node.integer(x), node.opposite(of: x))
        return [try node.wrapped(size, as: x.element)]
      },
      NodeReader("IsNaN", as: [BinaryFunctionOperator.self], .exact) { node in
        let x: ONNXTensor = try node.tensor(0)
        return [ONNXTensor(try node.join(.isNotEqual, x.id, x.id), .bool)]
      },
      NodeReader("IsInf", as: [BinaryFunctionOperator.self], .exact) { node in
        var x: Graph.ValueID = try node.tensor(0).id
        switch (node.flag("detect_positive", or: true), node.flag("detect_negative", or: true)) {
        case (true, true): x = try node.map(.magnitude, x)
        case (false, true): x = try node.scaled(x, by: -1)
        case (true, false): break
        case (false, false): return [ONNXTensor(try node.join(.isLess, x, x), .bool)]
        }
        return [ONNXTensor(try node.join(.isEqual, x, node.constant(.infinity)), .bool)]
      },
      NodeReader("Clip", as: [ClipOperator.self, BinaryFunctionOperator.self], .exact) {
        [try $0.clipped()]
      },
      NodeReader(sequences: "Identity", as: []) { node in
        guard node.inputCount > 0, case .sequence(let tensors) = try node.value(at: 0) else {
          return [.tensor(try node.tensor(0))]
        }
        return [.sequence(tensors)]
      },
      NodeReader("Dropout", as: [], .exact) { try $0.dropout() },
    ]

  private static let functions: [NodeReader] = [
    function("Acos", .inverseCosine),
    function("Acosh", .inverseHyperbolicCosine), function("Asin", .inverseSine),
    function("Asinh", .inverseHyperbolicSine), function("Atan", .inverseTangent),
    function("Atanh", .inverseHyperbolicTangent), function("Ceil", .ceiling, .exact),
    function("Cos", .cosine), function("Cosh", .hyperbolicCosine), function("Erf", .errorFunction),
    function("Exp", .exponential), function("Floor", .floor, .exact), function("Log", .logarithm),
    function("Reciprocal", .inverse), function("Round", .round, .exact),
    function("Sign", .sign, .exact), function("Sin", .sine), function("Sinh", .hyperbolicSine),
    function("Sqrt", .squareRoot), function("Tan", .tangent),
  ]

  private static func function(
    _ name: String, _ function: UnaryFunction, _ rounding: NodeReader.Rounding = .computed
  ) -> NodeReader {
    NodeReader(name, as: [UnaryFunctionOperator.self], rounding) { node in
      let x: ONNXTensor = try node.tensor(0)
      return [ONNXTensor(try node.map(function, x.id), x.element)]
    }
  }
}

extension ONNXNode {
  /// Negates integers that the graph stores as `int32`.
  fileprivate func opposite(of x: ONNXTensor) throws -> Graph.ValueID {
    try join(.subtract, constant(0, as: .int32), integer(x), as: x.element)
  }

  /// Clips elements between two optional bounds. Before opset 11 the bounds are attributes. From opset 11 on they are
  /// inputs.
  fileprivate func clipped() throws -> ONNXTensor {
    let x: ONNXTensor = try tensor(0)
    var bounds: [Float?] = [nil, nil]
    if version < 11 {
      bounds = ["min", "max"].map { attributes[$0]?.f }
    } else {
      for position in 0..<2 { bounds[position] = try floats(at: position + 1)?.first }
      let isComputed: Bool = try (1...2).contains { position in
        try optional(position) != nil && bounds[position - 1] == nil
      }
      if isComputed || x.element.isHeldAsInteger {
        var value: Graph.ValueID = x.id
        if let least = try optional(1) { value = try join(.maximum, value, least.id) }
        if let most = try optional(2) { value = try join(.minimum, value, most.id) }
        return ONNXTensor(value, x.element)
      }
    }
    if bounds == [nil, nil] { return x }
    let (least, most) = (bounds[0] ?? -.infinity, bounds[1] ?? .infinity)
    // If the lower bound is above the upper bound, all results are the upper bound.
    guard least <= most, !least.isNaN else {
      let raised = try join(.maximum, x.id, constant(Double(least)))
      return ONNXTensor(try join(.minimum, raised, constant(Double(most))), x.element)
    }
    if least == 0, most == .infinity {
      return ONNXTensor(try add(ActivationOperator(.reLU), x.id), x.element)
    }
    return ONNXTensor(try add(ClipOperator(minimum: least, maximum: most), x.id), x.element)
  }

  /// Reads a dropout node. At inference, the node returns its input, and a mask of ones.
  fileprivate func dropout() throws -> [ONNXTensor] {
    let x: ONNXTensor = try tensor(0)
    let ratio: Float? =
      version >= 12
      ? try optional(1) == nil ? 0.5 : floats(at: 1)?.first : float("ratio", or: 0.5)
    if version >= 12, let training = try optional(2) {
      guard let isTraining = try constant(training)?.reals.first else {
        throw unsupported("its training mode is computed, expected a constant.")
      }
      guard isTraining == 0 || ratio == 0 else {
        throw unsupported("it drops elements at random (training mode), expected inference.")
      }
    }
    guard hasOutput(1) else { return [x] }
    let mask = try add(FillLikeOperator(value: 1), x.id)
    return [x, ONNXTensor(mask, version >= 10 ? .bool : x.element)]
  }
}
