import Graph
import Operators

/// Activation functions.
enum ActivationReaders {
  static let all: [NodeReader] =
    [
      activation("Sigmoid") { _ in .sigmoid }, activation("Tanh") { _ in .tanh },
      activation("Softplus") { _ in .softplus }, activation("Softsign") { _ in .softsign },
      activation("LeakyRelu") { .leakyReLU(alpha: $0.float("alpha", or: 0.01)) },
      activation("Elu") { .elu(alpha: $0.float("alpha", or: 1)) },
      activation("HardSigmoid") {
        .sigmoidHard(alpha: $0.float("alpha", or: 0.2), beta: $0.float("beta", or: 0.5))
      },
      NodeReader("Relu", as: [ActivationOperator.self], .exact) { node in
        let x: ONNXTensor = try node.tensor(0)
        guard x.element.isHeldAsInteger else {
          return [ONNXTensor(try node.add(ActivationOperator(.reLU), x.id), x.element)]
        }
        return [
          ONNXTensor(try node.join(.maximum, x.id, node.constant(0, as: .int32)), x.element)
        ]
      },
      NodeReader("PRelu", as: [ChannelActivationOperator.self, FormulaOperator.self]) {
        [try $0.parametric()]
      },
      NodeReader("Gelu", as: [GeluOperator.self]) { node in
        switch node.string("approximate", or: "none") {
        case "none": return try node.apply(GeluOperator(.exact))
        case "tanh": return try node.apply(GeluOperator(.tanhApproximation))
        case let other: throw node.invalid("approximate is '\(other)', expected none or tanh.")
        }
      },
    ] + formulas + overAxes

  private static let formulas: [NodeReader] = [
    formula("ThresholdedRelu") { node, x in x.gated(by: x - .number(node.float("alpha", or: 1))) },
    formula("Selu") { node, x in
      let alpha: Float = node.float("alpha", or: 1.67326319217681884765625)
      let gamma: Float = node.float("gamma", or: 1.05070102214813232421875)
      return .number(gamma) * x.elu(alpha)
    },
    formula("Celu") { node, x in
      let alpha: Float = node.float("alpha", or: 1)
      let negative: Formula = .operation(.minimum, x, 0)
      return .operation(.maximum, x, 0)
        + .number(alpha) * (.function(.exponential, negative / .number(alpha)) - 1)
    },
    formula("HardSwish") { _, x in
      x * .operation(.minimum, .operation(.maximum, x / 6 + 0.5, 0), 1)
    },
    formula("Mish") { _, x in x * .function(.tanh, .function(.softplus, x)) },
    formula("Swish") { node, x in
      x * .function(.sigmoid, .number(node.float("alpha", or: 1)) * x)
    },
    formula("Shrink") { node, x in
      let (bias, lambda) = (node.float("bias", or: 0), node.float("lambd", or: 0.5))
      return (x - .number(bias)) * x.isAbove(.number(lambda))
        + (x + .number(bias)) * Formula.number(-lambda).isAbove(x)
    },
  ]

  private static let overAxes: [NodeReader] = [
    NodeReader("Softmax", as: [SoftmaxNDOperator.self]) { [try $0.softmax()] },
    NodeReader("LogSoftmax", as: [SoftmaxNDOperator.self, ReduceAxesOperator.self]) { node in
      [try node.onRows { try node.logarithmOfSoftmax($0, axis: $1) }]
    },
    NodeReader("Hardmax", as: [ReduceAxesOperator.self, OneHotOperator.self], .exact) { node in
      [
        try node.onRows { value, axis in
          let extent: Int? = node.builder.extents(of: value)?[axis]
          let argmax = try node.add(
            ReduceAxesOperator(.indexOfMaximum, axes: [axis], keepsAxes: true), value)
          let rank: Int = node.builder.rank(of: value) ?? 1
          let indices = try node.squeezed(argmax, [axis], rank: rank)
          var marks: Graph.ValueID
          if let extent {
            marks = try node.add(OneHotOperator(vectorSize: extent, axis: axis), indices)
          } else {
            let size = try node.reshaped(node.extent(of: value, axis: axis), to: [])
            marks = try node.add(OneHotOperator(vectorSize: nil, axis: axis), indices, size)
            if node.builder.extents(of: marks) == nil {
              node.builder.state(
                [Extent](repeating: Extent(from: 0), count: rank), .float32, of: marks)
            }
          }
          if rank == 1 { marks = try node.reshaped(marks, to: [extent ?? -1]) }
          return marks
        }
      ]
    },
  ]

  private static func activation(
    _ name: String, _ function: @escaping @Sendable (ONNXNode) throws -> ActivationFunction
  ) -> NodeReader {
    NodeReader(name, as: [ActivationOperator.self]) { node in
      try node.apply(ActivationOperator(function(node)))
    }
  }

  private static func formula(
    _ name: String, _ formula: @escaping @Sendable (ONNXNode, Formula) -> Formula
  ) -> NodeReader {
    NodeReader(name, as: [FormulaOperator.self]) { node in
      try node.apply(FormulaOperator(formula(node, .operand(0)), inputCount: 1))
    }
  }
}

extension Formula {
  /// Returns the formula for ELU of x, where x is this formula: x if x > 0, else alpha · (e^x − 1).
  fileprivate func elu(_ alpha: Float) -> Formula {
    let negative: Formula = .function(.exponential, .operation(.minimum, self, 0)) - 1
    return .operation(.maximum, self, 0) + .number(alpha) * negative
  }
}

extension ONNXNode {
  /// Applies an operator to the first input. Returns the operator's only output.
  func apply(_ operation: any Operator) throws -> [ONNXTensor] {
    let x: ONNXTensor = try tensor(0)
    return [try held(add(operation, real(x)), as: x.element)]
  }

  /// Computes PReLU: x if x ≥ 0, else x times a slope. The slope broadcasts to the shape of x.
  fileprivate func parametric() throws -> ONNXTensor {
    let (x, slope) = (try tensor(0), try tensor(1))
    if let slopes = builder.constant(of: slope.id), slopes.count == 1, !x.element.isInteger {
      let alpha: Float = try slopes.floats()[0]
      return ONNXTensor(try add(ActivationOperator(.leakyReLU(alpha: alpha)), x.id), x.element)
    }
    let shape: [Int?] = try extents(slope)
    if try rank(x) == 4, !x.element.isInteger, shape.count == 3, shape[1] == 1, shape[2] == 1,
      let channels = shape[0], try extents(x)[1] == channels
    {
      let slopes = try reshaped(slope.id, to: [channels, 1, 1])
      return ONNXTensor(
        try add(ChannelActivationOperator(.pReLU), x.id, slopes), x.element)
    }
    let (value, factor): (Formula, Formula) = (.operand(0), .operand(1))
    let formula: Formula =
      .operation(.maximum, value, 0) + factor * .operation(.minimum, value, 0)
    let made = try add(FormulaOperator(formula, inputCount: 2), real(x), real(slope))
    return try held(made, as: x.element)
  }

  fileprivate func softmax() throws -> ONNXTensor {
    try onRows { value, axis in try add(SoftmaxNDOperator(axis: axis), value) }
  }

  /// Computes log-softmax as x − log Σ e^x. Unlike the logarithm of a softmax, this formula stays exact for tiny
  /// probabilities.
  func logarithmOfSoftmax(_ value: Graph.ValueID, axis: Int) throws -> Graph.ValueID {
    let sum = try add(
      ReduceAxesOperator(.logOfSumOfExponentials, axes: [axis], keepsAxes: true), value)
    return try join(.subtract, value, sum)
  }

  /// Applies a closure along the axis that the node states. Before opset 13, this axis and all axes after it are joined
  /// to one axis first.
  fileprivate func onRows(_ make: (Graph.ValueID, Int) throws -> Graph.ValueID) throws
    -> ONNXTensor
  {
    let x: ONNXTensor = try tensor(0)
    let rank: Int = try rank(x)
    let axis: Int = try axis(int("axis", or: version < 13 ? 1 : -1), rank: max(rank, 1))
    guard version < 13, axis != rank - 1 else {
      return ONNXTensor(try make(x.id, axis), x.element)
    }
    let rows = try add(FlattenTo2DOperator(axis: axis), x.id)
    return ONNXTensor(try add(ReshapeLikeOperator(), make(rows, 1), x.id), x.element)
  }
}
