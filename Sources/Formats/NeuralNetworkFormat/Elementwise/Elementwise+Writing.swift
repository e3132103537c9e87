import Graph
import ModelFormat
import Operators

extension UnaryOperator: NeuralNetworkEncodable {
  public func encode(into encoder: inout LayerEncoder) throws {
    var message = Spec.UnaryFunctionLayerParams()
    switch function {
    case .squareRoot: message.type = .sqrt
    case .reciprocalSquareRoot(let epsilon): (message.type, message.epsilon) = (.rsqrt, epsilon)
    case .inverse(let epsilon): (message.type, message.epsilon) = (.inverse, epsilon)
    case .power(let alpha): (message.type, message.alpha) = (.power, alpha)
    case .exponential: message.type = .exp
    case .logarithm(let epsilon): (message.type, message.epsilon) = (.log, epsilon)
    case .magnitude: message.type = .abs
    case .threshold(let alpha): (message.type, message.alpha) = (.threshold, alpha)
    }
    if [.rsqrt, .inverse].contains(message.type), message.epsilon == 0 {
      throw EngineError(
        .unsupported, "epsilon is 0, which a NeuralNetwork's layer reads as one millionth.")
    }
    guard scale != 0 else {
      throw EngineError(.unsupported, "the scale is 0, which a NeuralNetwork's layer reads as 1.")
    }
    (message.scale, message.shift) = (scale, shift)
    encoder.layer.layer = .unary(message)
  }
}

extension AddOperator: NeuralNetworkEncodable {
  public func encode(into encoder: inout LayerEncoder) throws {
    var message = Spec.AddLayerParams()
    message.alpha = alpha
    encoder.layer.layer = .add(message)
  }
}

extension MultiplyOperator: NeuralNetworkEncodable {
  public func encode(into encoder: inout LayerEncoder) throws {
    var message = Spec.MultiplyLayerParams()
    message.alpha = alpha
    encoder.layer.layer = .multiply(message)
  }
}

extension AverageOperator: NeuralNetworkEncodable {
  public func encode(into encoder: inout LayerEncoder) throws {
    encoder.layer.layer = .average(.init())
  }
}

extension MaxOperator: NeuralNetworkEncodable {
  public func encode(into encoder: inout LayerEncoder) throws {
    encoder.layer.layer = .max(.init())
  }
}

extension MinOperator: NeuralNetworkEncodable {
  public func encode(into encoder: inout LayerEncoder) throws {
    encoder.layer.layer = .min(.init())
  }
}

extension DotOperator: NeuralNetworkEncodable {
  public func encode(into encoder: inout LayerEncoder) throws {
    var message = Spec.DotProductLayerParams()
    message.cosineSimilarity = isCosineSimilarity
    encoder.layer.layer = .dot(message)
  }
}

extension ClipOperator: NeuralNetworkEncodable {
  public func encode(into encoder: inout LayerEncoder) throws {
    var message = Spec.ClipLayerParams()
    (message.minVal, message.maxVal) = (minimum, maximum)
    encoder.layer.layer = .clip(message)
  }
}

extension ClampedReLUOperator: NeuralNetworkEncodable {
  public func encode(into encoder: inout LayerEncoder) throws {
    var message = Spec.ClampedReLULayerParams()
    (message.alpha, message.beta) = (alpha, beta)
    encoder.layer.layer = .clampedReLU(message)
  }
}

extension GeluOperator: NeuralNetworkEncodable {
  public func encode(into encoder: inout LayerEncoder) throws {
    var message = Spec.GeluLayerParams()
    switch mode {
    case .exact: message.mode = .exact
    case .tanhApproximation: message.mode = .tanhApproximation
    case .sigmoidApproximation: message.mode = .sigmoidApproximation
    }
    encoder.layer.layer = .gelu(message)
  }
}
