import Graph
import ModelFormat
import Operators

/// A layer type that computes one ``UnaryFunction``.
package struct UnaryFunctionLayer: Sendable {
  /// The field of `NeuralNetworkLayer.layer` that holds this layer type.
  package let field: String
  /// The function that the layer computes.
  package let function: UnaryFunction
  /// The layer's message, which has no parameters.
  package let layer: Spec.NeuralNetworkLayer.OneOfLayer

  /// All layer types, in the order in which listings show them.
  package static let all: [UnaryFunctionLayer] = [
    UnaryFunctionLayer("logicalNot", .logicalNot, .logicalNot(.init())),
    UnaryFunctionLayer("sin", .sine, .sin(.init())),
    UnaryFunctionLayer("cos", .cosine, .cos(.init())),
    UnaryFunctionLayer("tan", .tangent, .tan(.init())),
    UnaryFunctionLayer("asin", .inverseSine, .asin(.init())),
    UnaryFunctionLayer("acos", .inverseCosine, .acos(.init())),
    UnaryFunctionLayer("atan", .inverseTangent, .atan(.init())),
    UnaryFunctionLayer("sinh", .hyperbolicSine, .sinh(.init())),
    UnaryFunctionLayer("cosh", .hyperbolicCosine, .cosh(.init())),
    UnaryFunctionLayer("tanh", .tanh, .tanh(.init())),
    UnaryFunctionLayer("asinh", .inverseHyperbolicSine, .asinh(.init())),
    UnaryFunctionLayer("acosh", .inverseHyperbolicCosine, .acosh(.init())),
    UnaryFunctionLayer("atanh", .inverseHyperbolicTangent, .atanh(.init())),
    UnaryFunctionLayer("exp2", .powerOfTwo, .exp2(.init())),
    UnaryFunctionLayer("erf", .errorFunction, .erf(.init())),
    UnaryFunctionLayer("sign", .sign, .sign(.init())),
    UnaryFunctionLayer("round", .round, .round(.init())),
    UnaryFunctionLayer("ceil", .ceiling, .ceil(.init())),
    UnaryFunctionLayer("floor", .floor, .floor(.init())),
  ]

  private init(
    _ field: String, _ function: UnaryFunction, _ layer: Spec.NeuralNetworkLayer.OneOfLayer
  ) {
    self.field = field
    self.function = function
    self.layer = layer
  }

  /// The reader of this layer type.
  var reader: LayerReader {
    LayerReader(
      field, UnaryFunctionOperator.self,
      declaration: OperatorDeclaration(function.name, summary: function.summary)
    ) { decoder in
      try decoder.requireInputs(1...1)
      return DecodedLayer(UnaryFunctionOperator(function))
    }
  }
}

extension UnaryFunctionOperator: NeuralNetworkEncodable {
  /// Writes the layer that computes the function. Exponentials, logarithms, roots, reciprocals and absolute values
  /// become the layer `unary`. Sigmoid and softplus become the layer `activation`.
  public func encode(into encoder: inout LayerEncoder) throws {
    if let row = UnaryFunctionLayer.all.first(where: { $0.function == function }) {
      encoder.layer.layer = row.layer
      return
    }
    switch function {
    case .exponential: try UnaryOperator(.exponential).encode(into: &encoder)
    case .logarithm: try UnaryOperator(.logarithm(epsilon: 0)).encode(into: &encoder)
    case .squareRoot: try UnaryOperator(.squareRoot).encode(into: &encoder)
    case .inverse: try UnaryOperator(.power(alpha: -1)).encode(into: &encoder)
    case .magnitude: try UnaryOperator(.magnitude).encode(into: &encoder)
    case .sigmoid: try ActivationOperator(.sigmoid).encode(into: &encoder)
    case .softplus: try ActivationOperator(.softplus).encode(into: &encoder)
    default:
      throw EngineError(.unsupported, "no layer of a NeuralNetwork computes \(function.summary).")
    }
  }
}
