import Graph
import ModelFormat
import Operators

extension [LayerReader] {
  /// Layers that compute elementwise functions of one or several inputs.
  package static let elementwise: [LayerReader] =
    variadic + [
      LayerReader("unary", UnaryOperator.init(reading:)),
      LayerReader("dot") { decoder in
        try decoder.requireInputs(2...2)
        guard case .dot(let message)? = decoder.message.layer else {
          preconditionFailure("the catalogue decodes by field")
        }
        return DotOperator(isCosineSimilarity: message.cosineSimilarity)
      },
      LayerReader("clip", ClipOperator.init(reading:)),
      LayerReader("clampedReLU") { decoder in
        try decoder.requireInputs(1...1)
        guard case .clampedReLU(let message)? = decoder.message.layer else {
          preconditionFailure("the catalogue decodes by field")
        }
        return ClampedReLUOperator(alpha: message.alpha, beta: message.beta)
      },
      LayerReader("gelu", GeluOperator.init(reading:)),
    ] + BinaryFunctionLayer.all.map(\.reader) + UnaryFunctionLayer.all.map(\.reader)

  /// Layers with any number of inputs.
  private static let variadic: [LayerReader] = [
    LayerReader("add") { decoder in
      try decoder.requireInputs(1...Int.max)
      guard case .add(let message)? = decoder.message.layer else {
        preconditionFailure("the catalogue decodes by field")
      }
      return AddOperator(inputCount: decoder.inputCount, alpha: message.alpha)
    },
    LayerReader("multiply") { decoder in
      try decoder.requireInputs(1...Int.max)
      guard case .multiply(let message)? = decoder.message.layer else {
        preconditionFailure("the catalogue decodes by field")
      }
      return MultiplyOperator(inputCount: decoder.inputCount, alpha: message.alpha)
    },
    LayerReader("average") { decoder in
      try decoder.requireInputs(1...Int.max)
      return AverageOperator(inputCount: decoder.inputCount)
    },
    LayerReader("max") { decoder in
      try decoder.requireInputs(1...Int.max)
      return MaxOperator(inputCount: decoder.inputCount)
    },
    LayerReader("min") { decoder in
      try decoder.requireInputs(1...Int.max)
      return MinOperator(inputCount: decoder.inputCount)
    },
  ]
}

extension UnaryOperator {
  /// Reads a unary layer. A scale that is 0 or unset means 1. An epsilon that is 0 or unset means 0 for logarithms, and
  /// 1e−6 for all other functions.
  fileprivate init(reading decoder: LayerDecoder) throws {
    try decoder.requireInputs(1...1)
    guard case .unary(let message)? = decoder.message.layer else {
      preconditionFailure("the catalogue decodes by field")
    }
    let epsilon: Float = message.epsilon == 0 ? 1e-6 : message.epsilon
    let function: Function
    switch message.type {
    case .sqrt: function = .squareRoot
    case .rsqrt: function = .reciprocalSquareRoot(epsilon: epsilon)
    case .inverse: function = .inverse(epsilon: epsilon)
    case .power: function = .power(alpha: message.alpha)
    case .exp: function = .exponential
    case .log: function = .logarithm(epsilon: message.epsilon)
    case .abs: function = .magnitude
    case .threshold: function = .threshold(alpha: message.alpha)
    case .unrecognized(let number):
      throw decoder.invalid(
        "the function has the number \(number), expected 0 to 7. The model may be newer than version 10."
      )
    }
    self.init(function, scale: message.scale == 0 ? 1 : message.scale, shift: message.shift)
  }
}

extension ClipOperator {
  fileprivate init(reading decoder: LayerDecoder) throws {
    try decoder.requireInputs(1...1)
    guard case .clip(let message)? = decoder.message.layer else {
      preconditionFailure("the catalogue decodes by field")
    }
    self.init(minimum: message.minVal, maximum: message.maxVal)
    guard minimum <= maximum else {
      throw decoder.invalid(
        "the minimum is \(minimum) and the maximum \(maximum), expected the minimum to be no greater."
      )
    }
  }
}

extension GeluOperator {
  fileprivate init(reading decoder: LayerDecoder) throws {
    try decoder.requireInputs(1...1)
    guard case .gelu(let message)? = decoder.message.layer else {
      preconditionFailure("the catalogue decodes by field")
    }
    switch message.mode {
    case .exact: self.init(.exact)
    case .tanhApproximation: self.init(.tanhApproximation)
    case .sigmoidApproximation: self.init(.sigmoidApproximation)
    case .unrecognized(let number):
      throw decoder.invalid("the mode has the number \(number), expected 0 to 2.")
    }
  }
}
