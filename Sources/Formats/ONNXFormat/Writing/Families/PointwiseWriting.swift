import Graph
import Operators

/// Elementwise functions.
enum PointwiseWriting {
  static let all: [OperatorWriting] = [
    OperatorWriting(UnaryFunctionOperator.self) { operation, node in
      try node.function(operation.function, node.input())
    },
    OperatorWriting(BinaryFunctionOperator.self) { operation, node in
      let right: String =
        try operation.number.map { node.number(Double($0), like: 0) } ?? node.input(1)
      return try node.join(operation.function, node.input(), right, node.element())
    },
    OperatorWriting(UnaryOperator.self) { operation, node in try node.unary(operation) },
    OperatorWriting(ActivationOperator.self) { operation, node in
      try node.activation(operation.function, node.input())
    },
    OperatorWriting(ChannelActivationOperator.self) { operation, node in
      switch operation.function {
      case .pReLU: return node.emit("PRelu", try node.inputs())
      case .parametricSoftplus:
        let (alpha, beta) = (try node.input(1), try node.input(2))
        let inner: String = node.emit("Softplus", [node.emit("Mul", [beta, try node.input()])])
        return node.emit("Mul", [alpha, inner])
      }
    },
    OperatorWriting(ClipOperator.self) { operation, node in
      node.emit(
        "Clip",
        [
          try node.input(), node.number(Double(operation.minimum)),
          node.number(Double(operation.maximum)),
        ])
    },
    OperatorWriting(ClampedReLUOperator.self) { operation, node in
      let x: String = try node.input()
      let slope: String = node.emit("LeakyRelu", [x], .float("alpha", operation.alpha))
      return node.emit("Min", [slope, node.number(Double(operation.beta))])
    },
    OperatorWriting(GeluOperator.self) { operation, node in
      let x: String = try node.input()
      switch operation.mode {
      case .exact:
        let inner: String = node.emit(
          "Erf", [node.emit("Mul", [x, node.number(0.5.squareRoot())])])
        let factor: String = node.emit("Add", [inner, node.number(1)])
        return node.emit("Mul", [node.emit("Mul", [x, factor]), node.number(0.5)])
      case .tanhApproximation:
        let cube: String = node.emit("Mul", [node.emit("Mul", [x, x]), x])
        let sum: String = node.emit("Add", [x, node.emit("Mul", [cube, node.number(0.044715)])])
        let inner: String = node.emit(
          "Tanh", [node.emit("Mul", [sum, node.number((2 / Double.pi).squareRoot())])])
        let factor: String = node.emit("Add", [inner, node.number(1)])
        return node.emit("Mul", [node.emit("Mul", [x, factor]), node.number(0.5)])
      case .sigmoidApproximation:
        let gate: String = node.emit(
          "Sigmoid", [node.emit("Mul", [x, node.number(1.702)])])
        return node.emit("Mul", [x, gate])
      }
    },
    OperatorWriting(AddOperator.self) { operation, node in
      try node.combined("Add", number: operation.inputCount == 1 ? operation.alpha : nil)
    },
    OperatorWriting(MultiplyOperator.self) { operation, node in
      try node.combined("Mul", number: operation.inputCount == 1 ? operation.alpha : nil)
    },
    OperatorWriting(AverageOperator.self) { operation, node in
      let sum: String = try node.combined("Add")
      return node.emit("Div", [sum, node.number(Double(operation.inputCount))])
    },
    OperatorWriting(MaxOperator.self) { _, node in try node.combined("Max") },
    OperatorWriting(MinOperator.self) { _, node in try node.combined("Min") },
    OperatorWriting(CastOperator.self) { operation, node in
      node.cast(try node.input(), to: operation.element)
    },
    OperatorWriting(RoundOperator.self) { operation, node in
      node.cast(node.cast(try node.input(), to: operation.element), to: .float32)
    },
    OperatorWriting(CopyOperator.self) { _, node in node.emit("Identity", [try node.input()]) },
    OperatorWriting(FormulaOperator.self) { operation, node in
      let inputs: [String] = try node.inputs()
      return try node.value(of: operation.formula, inputs)
    },
    OperatorWriting(WhereBroadcastableOperator.self) { _, node in
      let condition: String = node.cast(try node.input(), to: .bool)
      return node.emit("Where", [condition, try node.input(1), try node.input(2)])
    },
  ]
}

extension NodeContext {
  /// Combines several inputs one after the other, or combines one input with a number.
  func combined(_ type: String, number: Float? = nil) throws -> String {
    var result: String = try input()
    if let number { return emit(type, [result, self.number(Double(number))]) }
    for name in try inputs().dropFirst() { result = emit(type, [result, name]) }
    return result
  }

  /// Writes a unary function.
  func function(_ function: UnaryFunction, _ x: String) throws -> String {
    let names: [String: String] = [
      "Sin": "Sin", "Cos": "Cos", "Tan": "Tan", "Asin": "Asin", "Acos": "Acos", "Atan": "Atan",
      "Sinh": "Sinh", "Cosh": "Cosh", "Tanh": "Tanh", "Asinh": "Asinh", "Acosh": "Acosh",
      "Atanh": "Atanh", "Erf": "Erf", "Sign": "Sign", "Round": "Round", "Ceil": "Ceil",
      "Floor": "Floor", "Exp": "Exp", "Log": "Log", "Sqrt": "Sqrt", "Inverse": "Reciprocal",
      "Abs": "Abs", "Sigmoid": "Sigmoid", "Softplus": "Softplus",
    ]
    switch function.name {
    case "LogicalNot":
      let element: ElementType = self.element()
      return cast(emit("Not", [cast(x, to: .bool)]), to: element)
    case "Exp2": return emit("Pow", [writer.number(2), x])
    default:
      guard let type = names[function.name] else {
        throw unsupported("no node of ONNX computes \(function.name).")
      }
      // Rounding does not change integers.
      if ["Round", "Ceil", "Floor"].contains(type), element().isInteger { return x }
      return emit(type, [x])
    }
  }

  /// Writes a binary function of two values. `element` is their element type.
  func join(_ function: BinaryFunction, _ x: String, _ y: String, _ element: ElementType) throws
    -> String
  {
    switch function.name {
    case BinaryFunction.add.name: return emit("Add", [x, y])
    case BinaryFunction.subtract.name: return emit("Sub", [x, y])
    case BinaryFunction.multiply.name: return emit("Mul", [x, y])
    case BinaryFunction.divide.name: return emit("Div", [x, y])
    case BinaryFunction.maximum.name: return emit("Max", [x, y])
    case BinaryFunction.minimum.name: return emit("Min", [x, y])
    case BinaryFunction.power.name: return emit("Pow", [x, y])
    case BinaryFunction.modulo.name:
      if element.isInteger { return emit("Mod", [x, y]) }
      let times: String = emit("Floor", [emit("Div", [x, y])])
      return emit("Sub", [x, emit("Mul", [times, y])])
    case BinaryFunction.floorDivide.name:
      if element.isInteger {
        // x − (x mod y) is a multiple of y.
        return emit("Div", [emit("Sub", [x, emit("Mod", [x, y])]), y])
      }
      return emit("Floor", [emit("Div", [x, y])])
    case BinaryFunction.isEqual.name: return cast(emit("Equal", [x, y]), to: element)
    case BinaryFunction.isNotEqual.name:
      return cast(emit("Not", [emit("Equal", [x, y])]), to: element)
    case BinaryFunction.isLess.name: return cast(emit("Less", [x, y]), to: element)
    case BinaryFunction.isAtMost.name: return cast(emit("LessOrEqual", [x, y]), to: element)
    case BinaryFunction.isGreater.name: return cast(emit("Greater", [x, y]), to: element)
    case BinaryFunction.isAtLeast.name: return cast(emit("GreaterOrEqual", [x, y]), to: element)
    case BinaryFunction.logicalAnd.name, BinaryFunction.logicalOr.name,
      BinaryFunction.logicalXor.name:
      let types: [String: String] = [
        BinaryFunction.logicalAnd.name: "And", BinaryFunction.logicalOr.name: "Or",
        BinaryFunction.logicalXor.name: "Xor",
      ]
      let sides: [String] = [cast(x, to: .bool), cast(y, to: .bool)]
      return cast(emit(types[function.name] ?? "And", sides), to: element)
    case BinaryFunction.gate.name:
      let zero: String = writer.number(0, as: element)
      return emit("Where", [emit("Greater", [y, zero]), x, zero])
    default: throw unsupported("no node of ONNX computes \(function.name).")
    }
  }

  fileprivate func unary(_ operation: UnaryOperator) throws -> String {
    var x: String = try input()
    if operation.scale != 1 { x = emit("Mul", [x, number(Double(operation.scale))]) }
    if operation.shift != 0 { x = emit("Add", [x, number(Double(operation.shift))]) }
    func plus(_ epsilon: Float) -> String {
      epsilon == 0 ? x : emit("Add", [x, number(Double(epsilon))])
    }
    switch operation.function {
    case .squareRoot: return emit("Sqrt", [x])
    case .reciprocalSquareRoot(let epsilon):
      return emit("Reciprocal", [emit("Sqrt", [plus(epsilon)])])
    case .inverse(let epsilon): return emit("Reciprocal", [plus(epsilon)])
    case .power(let alpha): return emit("Pow", [x, number(Double(alpha), like: 0)])
    case .exponential: return emit("Exp", [x])
    case .logarithm(let epsilon): return emit("Log", [plus(epsilon)])
    case .magnitude: return emit("Abs", [x])
    case .threshold(let alpha): return emit("Max", [x, number(Double(alpha), like: 0)])
    }
  }

  /// Writes an activation function.
  func activation(_ function: ActivationFunction, _ x: String) throws -> String {
    func affine(_ value: String, _ alpha: Float, _ beta: Float) -> String {
      let product: String =
        alpha == 1 ? value : emit("Mul", [value, writer.number(Double(alpha))])
      return beta == 0 ? product : emit("Add", [product, writer.number(Double(beta))])
    }
    switch function {
    case .linear(1, 0): return emit("Identity", [x])
    case .linear(let alpha, let beta): return affine(x, alpha, beta)
    case .reLU: return emit("Relu", [x])
    case .leakyReLU(let alpha): return emit("LeakyRelu", [x], .float("alpha", alpha))
    case .thresholdedReLU(let alpha):
      let isBelow: String = emit("Less", [x, writer.number(Double(alpha))])
      return emit("Where", [isBelow, writer.number(0), x])
    case .tanh: return emit("Tanh", [x])
    case .scaledTanh(let alpha, let beta):
      return affine(emit("Tanh", [affine(x, beta, 0)]), alpha, 0)
    case .sigmoid: return emit("Sigmoid", [x])
    case .sigmoidHard(let alpha, let beta):
      return emit("HardSigmoid", [x], .float("alpha", alpha), .float("beta", beta))
    case .elu(let alpha): return emit("Elu", [x], .float("alpha", alpha))
    case .softsign: return emit("Softsign", [x])
    case .softplus: return emit("Softplus", [x])
    case .parametricSoftplus(let alpha, let beta):
      return affine(emit("Softplus", [affine(x, beta, 0)]), alpha, 0)
    }
  }

  /// Writes a formula. Each of its operations becomes a node.
  fileprivate func value(of formula: Formula, _ inputs: [String]) throws -> String {
    switch formula {
    case .operand(let position): return inputs[position]
    case .number(let value): return writer.number(Double(value))
    case .affine(let x, let scale, let shift):
      return try activation(.linear(alpha: scale, beta: shift), value(of: x, inputs))
    case .power(let x, let exponent):
      return emit("Pow", [try value(of: x, inputs), writer.number(Double(exponent))])
    case .function(let function, let x): return try self.function(function, value(of: x, inputs))
    case .operation(let function, let left, let right):
      return try join(function, value(of: left, inputs), value(of: right, inputs), .float32)
    }
  }
}
