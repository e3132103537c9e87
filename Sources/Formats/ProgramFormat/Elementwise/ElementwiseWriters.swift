import Graph
import Operators

extension UnaryFunctionOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    [
      try node.apply(
        function, to: node.block.value(of: node.node.inputs[0]), integer: node.isInteger(0))
    ]
  }
}

extension ProgramNode {
  private static let functions: [String: String] = [
    "Sin": "sin", "Cos": "cos", "Tan": "tan", "Asin": "asin", "Acos": "acos", "Atan": "atan",
    "Sinh": "sinh", "Cosh": "cosh", "Tanh": "tanh", "Atanh": "atanh", "Exp2": "exp2",
    "Erf": "erf", "Exp": "exp", "Sqrt": "sqrt", "Sigmoid": "sigmoid", "Softplus": "softplus",
    "Abs": "abs", "Sign": "sign", "Round": "round", "Ceil": "ceil", "Floor": "floor",
  ]
  private static let isExactForIntegers: Set<String> = ["Abs", "Sign", "Round", "Ceil", "Floor"]

  /// Writes a function of one value.
  func apply(_ function: UnaryFunction, to value: MILValue, integer: Bool = false) throws
    -> MILValue
  {
    if function.name == "LogicalNot" {
      return try unary("logical_not", try block.cast(value, to: .bool))
    }
    if integer, Self.isExactForIntegers.contains(function.name) {
      let x: MILValue = try block.cast(value, to: .int32)
      return ["Abs", "Sign"].contains(function.name)
        ? try unary(Self.functions[function.name] ?? "", x) : x
    }
    let x: MILValue = try block.cast(value, to: real)
    if let name = Self.functions[function.name] { return try unary(name, x) }
    switch function.name {
    case "Log": return try unary("log", x, ["epsilon": .real(tiny(0))])
    case "Inverse": return try binary("real_div", try number(1), x)
    case "Asinh":
      // asinh(x) = sign(x) · log(|x| + √(x² + 1))
      let size = try unary("abs", x)
      let root = try unary("sqrt", try affine(try binary("mul", x, x), scale: 1, shift: 1))
      let log = try unary("log", try binary("add", size, root), ["epsilon": .real(tiny(0))])
      return try binary("mul", try unary("sign", x), log)
    case "Acosh":
      // acosh(x) = log(x + √(x − 1) · √(x + 1))
      let root = try binary(
        "mul", try unary("sqrt", try affine(x, scale: 1, shift: -1)),
        try unary("sqrt", try affine(x, scale: 1, shift: 1)))
      return try unary("log", try binary("add", x, root), ["epsilon": .real(tiny(0))])
    default:
      throw unsupported("no operation of an ML Program computes '\(function.name)'.")
    }
  }

  /// Returns an epsilon that does not underflow to 0 in the type in which the node computes. Operations add the result
  /// to the argument of a logarithm or of a reciprocal root, so it must not be 0.
  func tiny(_ epsilon: Float) -> Float {
    let least: Float = real == .float16 ? 6e-8 : Float.leastNonzeroMagnitude
    return max(epsilon, least)
  }
}

extension UnaryOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    let x: MILValue = try node.affine(try node.real(0), scale: scale, shift: shift)
    switch function {
    case .squareRoot: return [try node.unary("sqrt", x)]
    case .reciprocalSquareRoot(let epsilon):
      return [try node.unary("rsqrt", x, ["epsilon": .real(node.tiny(epsilon))])]
    case .inverse(let epsilon):
      return [
        try node.unary("inverse", x, ["epsilon": .real(epsilon == 0 ? 0 : node.tiny(epsilon))])
      ]
    case .power(let alpha): return [try node.binary("pow", x, try node.number(alpha))]
    case .exponential: return [try node.unary("exp", x)]
    case .logarithm(let epsilon):
      return [try node.unary("log", x, ["epsilon": .real(node.tiny(epsilon))])]
    case .magnitude: return [try node.unary("abs", x)]
    case .threshold(let alpha): return [try node.binary("maximum", x, try node.number(alpha))]
    }
  }
}

extension BinaryFunctionOperator: ProgramWritable {
  private static let operations: [String: String] = [
    "AddBroadcastable": "add", "SubtractBroadcastable": "sub", "MultiplyBroadcastable": "mul",
    "DivideBroadcastable": "real_div", "MaxBroadcastable": "maximum",
    "MinBroadcastable": "minimum", "ModBroadcastable": "mod", "FloorDivBroadcastable": "floor_div",
    "PowBroadcastable": "pow",
  ]
  private static let comparisons: [String: String] = [
    "Equal": "equal", "NotEqual": "not_equal", "LessThan": "less", "LessEqual": "less_equal",
    "GreaterThan": "greater", "GreaterEqual": "greater_equal",
  ]
  private static let logic: [String: String] = [
    "LogicalAnd": "logical_and", "LogicalOr": "logical_or", "LogicalXor": "logical_xor",
  ]

  package func write(_ node: ProgramNode) throws -> [MILValue] {
    let isInteger: Bool = node.isInteger(0) && (number != nil || node.isInteger(1))
    if let name = Self.logic[function.name] {
      let other: MILValue =
        try number.map { try node.block.numbers(ReferenceTensor([], [Double($0)]), .bool) }
        ?? node.truth(1)
      return [try node.binary(name, try node.truth(0), other, .bool)]
    }
    if function == .power, number == nil, node.isInteger(0), !isInteger {
      // The base is an integer, and the exponent is fractional.
      let power: MILValue = try node.apply(function, try node.real(0), try node.real(1))
      return [try node.block.cast(power, to: .int32)]
    }
    let x: MILValue = isInteger ? try node.integer(0) : try node.real(0)
    let y: MILValue =
      try number.map { try node.number($0, isInteger ? .int32 : node.real) }
      ?? (isInteger ? node.integer(1) : node.real(1))
    return [try node.apply(function, x, y)]
  }

  fileprivate static func name(of function: BinaryFunction) -> (name: String, isTruth: Bool)? {
    if let name = operations[function.name] { return (name, false) }
    return comparisons[function.name].map { ($0, true) }
  }
}

extension ProgramNode {
  /// Writes a function of two values. Both values have the same element type.
  func apply(_ function: BinaryFunction, _ x: MILValue, _ y: MILValue) throws -> MILValue {
    if function.name == "Gate" {
      let isOpen = try binary("greater", y, try number(0, y.element), .bool)
      return try add(
        "select", ["cond": .value(isOpen), "a": .value(x), "b": .value(try number(0, x.element))],
        Self.broadcast(x.extents, y.extents), x.element)
    }
    guard let known = BinaryFunctionOperator.name(of: function) else {
      throw unsupported("no operation of an ML Program computes '\(function.name)'.")
    }
    return try binary(known.name, x, y, known.isTruth ? .bool : nil)
  }

  /// Combines all inputs, one after the other, by an operation of two values.
  func combined(_ operation: String) throws -> MILValue {
    let isInteger: Bool = node.inputs.indices.allSatisfy { self.isInteger($0) }
    var result: MILValue = isInteger ? try integer(0) : try real(0)
    for input in 1..<max(1, inputCount) {
      result = try binary(operation, result, isInteger ? try integer(input) : try real(input))
    }
    return result
  }
}

extension AddOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    if inputCount > 1 { return [try node.combined("add")] }
    return [try node.affine(try node.held(0), scale: 1, shift: alpha)]
  }
}

extension MultiplyOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    if inputCount > 1 { return [try node.combined("mul")] }
    return [try node.affine(try node.held(0), scale: alpha, shift: 0)]
  }
}

extension MaxOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] { [try node.combined("maximum")] }
}

extension MinOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] { [try node.combined("minimum")] }
}

extension AverageOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    let sum: MILValue = try node.combined("add")
    return [try node.binary("real_div", sum, try node.number(Float(inputCount), sum.element))]
  }
}

extension CastOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    let x: MILValue = try node.block.value(of: node.node.inputs[0])
    switch element {
    case .bool:
      if x.element == .bool { return [x] }
      // NaN must become false. A cast would make it true.
      let size: MILValue = try node.unary("abs", try node.held(0))
      return [try node.binary("greater", size, try node.number(0, size.element), .bool)]
    case .float32, .float64:
      return [
        x.element == .float16 && node.real == .float16 ? x : try node.block.cast(x, to: node.real)
      ]
    case .float16: return [try node.block.cast(x, to: .float16)]
    case .int32: return [try node.block.cast(x, to: .int32)]
    case .int64, .uint32, .uint64: return [try node.block.cast(x, to: .int32)]
    case .int8, .uint8, .int16, .uint16:
      try node.block.output.require(.iOS17)
      let small: MILValue = try node.block.cast(
        x.element == .bool ? try node.block.cast(x, to: .int32) : x, to: element)
      return [try node.block.cast(small, to: .int32)]
    default: throw node.unsupported("programs do not compute with \(element).")
    }
  }
}

extension RoundOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    guard element == .float16 else {
      throw node.unsupported("programs do not round to \(element).")
    }
    return [try node.block.cast(try node.block.value(of: node.node.inputs[0]), to: .float16)]
  }
}

extension ClipOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    var x: MILValue = try node.real(0)
    let largest: Float =
      node.real == .float16 ? Float(Float16.greatestFiniteMagnitude) : .greatestFiniteMagnitude
    guard minimum < maximum, minimum > -largest || maximum < largest else {
      x = try node.binary("maximum", x, try node.number(minimum))
      return [try node.binary("minimum", x, try node.number(maximum))]
    }
    return [
      try node.unary(
        "clip", x,
        ["alpha": .real(max(minimum, -largest)), "beta": .real(min(maximum, largest))])
    ]
  }
}

extension ClampedReLUOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    [
      try node.unary(
        "clamped_relu", try node.real(0), ["alpha": .real(alpha), "beta": .real(beta)])
    ]
  }
}

extension GeluOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    let name: String
    switch mode {
    case .exact: name = "EXACT"
    case .tanhApproximation: name = "TANH_APPROXIMATION"
    case .sigmoidApproximation: name = "SIGMOID_APPROXIMATION"
    }
    return [try node.unary("gelu", try node.real(0), ["mode": .string(name)])]
  }
}

extension CopyOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] { [try node.moved()] }
}

extension ConstantOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] { [try node.moved()] }
}

extension FormulaOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    if formula == .swish, inputCount == 1 { return [try node.unary("silu", try node.real(0))] }
    let value: MILValue = try write(formula, node)
    guard value.rank == (try node.made()).count else {
      throw node.unsupported("it broadcasts one number per channel over a picture.")
    }
    return [try node.block.cast(value, to: node.real)]
  }

  private func write(_ formula: Formula, _ node: ProgramNode) throws -> MILValue {
    switch formula {
    case .operand(let input): return try node.real(input)
    case .number(let number): return try node.number(number)
    case .affine(let x, let scale, let shift):
      return try node.affine(try write(x, node), scale: scale, shift: shift)
    case .power(let x, let exponent):
      return try node.binary("pow", try write(x, node), try node.number(exponent))
    case .function(let function, let x): return try node.apply(function, to: try write(x, node))
    case .operation(let function, let left, let right):
      let (x, y) = (try write(left, node), try write(right, node))
      return try node.apply(
        function, try node.block.cast(x, to: node.real), try node.block.cast(y, to: node.real))
    }
  }
}

extension DotOperator: ProgramWritable {
  package func write(_ node: ProgramNode) throws -> [MILValue] {
    let (a, b) = (try node.real(0), try node.real(1))
    func sum(_ x: MILValue) throws -> MILValue {
      var extents: [Int?] = x.extents
      extents[x.rank - 3] = 1
      return try node.add(
        "reduce_sum", ["x": .value(x), "axes": .ints([-3]), "keep_dims": .bool(true)], extents)
    }
    let product: MILValue = try sum(try node.binary("mul", a, b))
    guard isCosineSimilarity else { return [product] }
    let lengths = try node.binary(
      "mul", try node.unary("sqrt", try sum(try node.binary("mul", a, a))),
      try node.unary("sqrt", try sum(try node.binary("mul", b, b))))
    // If a vector has length 0, its cosine with any vector is 0.
    let isZero = try node.binary("equal", lengths, try node.number(0), .bool)
    let divisor = try node.add(
      "select",
      ["cond": .value(isZero), "a": .value(try node.number(1)), "b": .value(lengths)],
      lengths.extents)
    return [try node.binary("real_div", product, divisor)]
  }
}
