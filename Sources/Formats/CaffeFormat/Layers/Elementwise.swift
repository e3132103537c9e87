import Foundation
import Graph
import Operators

extension CaffeLayerReader {
  /// Elementwise arithmetic on one or several inputs.
  static let elementwise: [CaffeLayerReader] = [
    CaffeLayerReader("AbsVal") { try $0.add(UnaryOperator(.magnitude), try $0.input()) },
    CaffeLayerReader(
      "Power", "power", fields: KnownFields(["power", "scale", "shift"])
    ) { context in
      let parameters: CaffeMessage = context.layer.parameters("power")
      let power: Float = try parameters.float("power", or: 1)
      let (scale, shift) = (
        try parameters.float("scale", or: 1), try parameters.float("shift", or: 0)
      )
      let x = try context.input()
      if power == 1 {
        return try context.add(ActivationOperator(.linear(alpha: scale, beta: shift)), x)
      }
      return try context.add(UnaryOperator(.power(alpha: power), scale: scale, shift: shift), x)
    },
    CaffeLayerReader(
      "Exp", "exp", fields: KnownFields(["base", "scale", "shift"])
    ) { context in
      let parameters: CaffeMessage = context.layer.parameters("exp")
      let factor: Float = try context.logarithm(ofBase: parameters)
      return try context.add(
        UnaryOperator(
          .exponential, scale: try parameters.float("scale", or: 1) * factor,
          shift: try parameters.float("shift", or: 0) * factor),
        try context.input())
    },
    CaffeLayerReader(
      "Log", "log", fields: KnownFields(["base", "scale", "shift"])
    ) { context in
      let parameters: CaffeMessage = context.layer.parameters("log")
      let factor: Float = try context.logarithm(ofBase: parameters)
      let made = try context.add(
        UnaryOperator(
          .logarithm(epsilon: 0), scale: try parameters.float("scale", or: 1),
          shift: try parameters.float("shift", or: 0)),
        try context.input())
      return factor == 1 ? made : try context.number(.divide, made, factor)
    },
    CaffeLayerReader(
      "Threshold", "threshold", fields: KnownFields(["threshold"])
    ) { context in
      let threshold: Float = try context.layer.parameters("threshold").float("threshold", or: 0)
      return try context.number(.isGreater, try context.input(), threshold)
    },
    CaffeLayerReader(
      "Eltwise", "eltwise",
      fields: KnownFields(["operation", "coeff"], harmless: ["stable_prod_grad"])
    ) { try $0.elementwise() },
  ]
}

extension CaffeContext {
  /// Returns the natural logarithm of a layer's `base`. A base of −1 means e, so the result is 1.
  fileprivate func logarithm(ofBase parameters: CaffeMessage) throws -> Float {
    let base: Float = try parameters.float("base", or: -1)
    if base == -1 { return 1 }
    guard base > 0, base != 1 else { throw invalid("'base' is \(base), expected more than 0.") }
    return log(base)
  }

  fileprivate func elementwise() throws -> Graph.ValueID {
    let parameters: CaffeMessage = layer.parameters("eltwise")
    let operation: String = parameters.word("operation") ?? "SUM"
    guard inputs.count >= 2 else {
      throw invalid("the layer has \(inputs.count) inputs, expected 2 or more.")
    }
    let function: BinaryFunction
    switch operation {
    case "SUM": function = .add
    case "PROD": function = .multiply
    case "MAX": function = .maximum
    default: throw unsupported("'operation' is \(operation), expected SUM, PROD or MAX.")
    }
    let shapes: [[Int?]] = try inputs.map(extents)
    guard shapes.allSatisfy({ $0 == shapes[0] }) else {
      throw invalid(
        "its inputs have different shapes: "
          + shapes.map { $0.map { $0.map(String.init) ?? "?" }.joined(separator: " × ") }
          .joined(separator: " and ") + ".")
    }
    let factors: [Float] = try parameters.floats("coeff")
    guard factors.isEmpty || (operation == "SUM" && factors.count == inputs.count) else {
      throw invalid("'coeff' has \(factors.count) numbers for \(inputs.count) inputs.")
    }
    let scaled: [Graph.ValueID] = try inputs.enumerated().map { index, value in
      guard factors.indices.contains(index), factors[index] != 1 else { return value }
      return try number(.multiply, value, factors[index])
    }
    if operation == "SUM", scaled.count == 2 { return try add(AddOperator(inputCount: 2), scaled) }
    return try scaled.dropFirst().reduce(scaled[0]) {
      try add(BinaryFunctionOperator(function), $0, $1)
    }
  }
}
