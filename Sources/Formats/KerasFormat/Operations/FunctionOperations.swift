import Graph
import Operators
import Tensors

extension KerasOperationReader {
  /// Elementwise functions.
  static let functions: [KerasOperationReader] =
    [
      (["exp"], .exponential), (["log"], .logarithm), (["sqrt"], .squareRoot),
      (["absolute", "abs"], .magnitude), (["sign"], .sign), (["floor"], .floor),
      (["ceil"], .ceiling), (["round"], .round), (["sin"], .sine), (["cos"], .cosine),
      (["tan"], .tangent), (["arcsin", "asin"], .inverseSine),
      (["arccos", "acos"], .inverseCosine), (["arctan", "atan"], .inverseTangent),
      (["sinh"], .hyperbolicSine), (["cosh"], .hyperbolicCosine),
      (["arcsinh", "asinh"], .inverseHyperbolicSine),
      (["arccosh", "acosh"], .inverseHyperbolicCosine),
      (["arctanh", "atanh"], .inverseHyperbolicTangent), (["erf"], .errorFunction),
      (["exp2"], .powerOfTwo), (["logical_not"], .logicalNot),
    ].map { (names: [String], function: UnaryFunction) in
      KerasOperationReader(
        list: names, parameters: names == ["round"] ? "x decimals" : "x|input|features"
      ) { operation in
        guard try operation.number("decimals", or: 0) == 0 else {
          throw operation.wrong("decimals", "0")
        }
        return try operation.each { try $0.add(UnaryFunctionOperator(function), $1) }
      }
    } + [
      KerasOperationReader("negative", "neg", parameters: "x") { operation in
        try operation.each { try $0.number(.multiply, $1, -1) }
      },
      KerasOperationReader("square", parameters: "x") { operation in
        try operation.each { try $0.add(BinaryFunctionOperator(.multiply), $1, $1) }
      },
      KerasOperationReader("reciprocal", parameters: "x") { operation in
        try operation.each { try $0.add(UnaryFunctionOperator(.inverse), $1) }
      },
      KerasOperationReader("rsqrt", parameters: "x") { operation in
        try operation.each { try $0.add(UnaryOperator(.reciprocalSquareRoot(epsilon: 0)), $1) }
      },
      KerasOperationReader("log1p", parameters: "x") { operation in
        try operation.each {
          try $0.add(UnaryFunctionOperator(.logarithm), $0.number(.add, $1, 1))
        }
      },
      KerasOperationReader("expm1", parameters: "x") { operation in
        try operation.each {
          try $0.number(.subtract, $0.add(UnaryFunctionOperator(.exponential), $1), 1)
        }
      },
      KerasOperationReader(
        "clip", "clip_by_value", parameters: "x|t x_min|clip_value_min x_max|clip_value_max"
      ) { try $0.clipped() },
      KerasOperationReader("cast", "saturate_cast", parameters: "x dtype") { try $0.cast() },
      KerasOperationReader(
        "identity", "copy", "stop_gradient", "convert_to_tensor", parameters: "x|input|variable",
        harmless: ["dtype", "sparse", "ragged"]
      ) { try $0.tensor() },
    ]
}

extension KerasOperation {
  /// Applies an elementwise function to the argument `x`. The result has the same axis order in the graph as `x`.
  func each(_ function: (KerasContext, Graph.ValueID) throws -> Graph.ValueID) throws
    -> KerasTensor
  {
    let x: KerasTensor = try tensor()
    return KerasTensor(
      try function(context, x.value), rank: x.rank, isChannelFirst: x.isChannelFirst)
  }

  /// Returns whether the argument of a parameter is a single number that is known.
  private func isNumber(_ name: String) throws -> Bool {
    try has(name) && numbers(argument(name))?.count == 1
  }

  /// Clamps values between two bounds. A bound may be a tensor.
  fileprivate func clipped() throws -> KerasTensor {
    guard try isNumber("x_min"), try isNumber("x_max") else {
      let least: KerasTensor = try joined(.maximum, argument("x"), argument("x_min"))
      return try joined(.minimum, .tensor(least), argument("x_max"))
    }
    let (least, most) = (
      Float(try number("x_min", or: 0)), Float(try number("x_max", or: 0))
    )
    return try each { try $0.add(ClipOperator(minimum: least, maximum: most), $1) }
  }

  /// Casts `x` to a type. A cast to an integer type truncates each value. It clamps the value to the type's range, or
  /// to the range of int32 if the type has 32 or 64 bits. The graph stores the result as float32.
  fileprivate func cast() throws -> KerasTensor {
    let type: String = try text("dtype", or: "float32")
    switch type {
    case "float16", "bfloat16", "float32", "float64", "half", "double": return try tensor()
    case "bool": return try each { try $0.number(.isNotEqual, $1, 0) }
    default: break
    }
    let isSigned: Bool = type.hasPrefix("int")
    guard isSigned || type.hasPrefix("uint"), let bits = Int(type.drop { !$0.isNumber }),
      [8, 16, 32, 64].contains(bits)
    else { throw wrong("dtype", "a numeric type or bool") }
    return try each { context, value in
      let integer = try context.add(CastOperator(to: .int32), value)
      let real = try context.add(CastOperator(to: .float32), integer)
      guard bits < 32 || !isSigned else { return real }
      // The cast to int32 has clamped the value to less than 2³¹.
      let most = Float(1 << min(isSigned ? bits - 1 : bits, 31))
      return try context.add(ClipOperator(minimum: isSigned ? -most : 0, maximum: most - 1), real)
    }
  }
}
