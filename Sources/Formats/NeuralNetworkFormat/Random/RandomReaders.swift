import Graph
import ModelFormat
import Operators

extension [LayerReader] {
  /// The layers that draw random numbers.
  package static let random: [LayerReader] =
    normal + uniform + bernoulli + [.categoricalDistribution]

  private static let normal: [LayerReader] = readers { parameters, decoder in
    guard parameters.second >= 0 else {
      throw decoder.invalid("stdDev is \(parameters.second), expected 0 or more.")
    }
    return NormalDistribution(
      mean: Double(parameters.first), deviation: Double(parameters.second))
  }

  private static let uniform: [LayerReader] = readers { parameters, decoder in
    guard parameters.first <= parameters.second else {
      throw decoder.invalid(
        "minVal is \(parameters.first) and maxVal \(parameters.second), expected minVal to be no greater."
      )
    }
    return UniformDistribution(
      minimum: Double(parameters.first), maximum: Double(parameters.second))
  }

  private static let bernoulli: [LayerReader] = readers { parameters, decoder in
    guard (0...1).contains(parameters.first) else {
      throw decoder.invalid("prob is \(parameters.first), expected a number from 0 to 1.")
    }
    return BernoulliDistribution(probability: Double(parameters.first))
  }

  /// Returns the readers of a distribution's layer types. In `Like` layers, the output has the shape of the input. In
  /// `Static` layers, a field of the message states the shape of the output. In `Dynamic` layers, the elements of the
  /// input are the extents of the output.
  private static func readers<Distribution: RandomDistribution>(
    _ distribution: @escaping @Sendable (RandomParameters, LayerDecoder) throws -> Distribution
  ) -> [LayerReader] {
    let field: String = "random\(Distribution.name)"
    return [
      LayerReader("\(field)Like") { (decoder) -> RandomOperator<Distribution, LikeShape> in
        try decoder.requireInputs(1...1)
        let parameters = try RandomParameters(decoder)
        return RandomOperator(
          try distribution(parameters, decoder), LikeShape(), seed: parameters.seed)
      },
      LayerReader("\(field)Static") { (decoder) -> RandomOperator<Distribution, StaticShape> in
        try decoder.requireInputs(0...0)
        let parameters = try RandomParameters(decoder)
        let drawn: Distribution = try distribution(parameters, decoder)
        let shape = Shape(try parameters.outputShape.map { try decoder.size($0, "outputShape") })
        return RandomOperator(drawn, StaticShape(shape), seed: parameters.seed)
      },
      LayerReader("\(field)Dynamic") { (decoder) -> RandomOperator<Distribution, DynamicShape> in
        try decoder.requireInputs(1...1)
        let parameters = try RandomParameters(decoder)
        return RandomOperator(
          try distribution(parameters, decoder), DynamicShape(), seed: parameters.seed)
      },
    ]
  }
}

/// The fields that the nine messages of random layers have in common.
private struct RandomParameters {
  /// The seed of the random numbers.
  var seed: Int64 = 0
  /// The first parameter of the distribution: `mean`, `minVal` or `prob`.
  var first: Float = 0
  /// The second parameter of the distribution: `stdDev` or `maxVal`.
  var second: Float = 0
  /// The shape of the output, if the message states it.
  var outputShape: [UInt64] = []

  /// Reads the fields from the decoder's message.
  init(_ decoder: LayerDecoder) throws {
    switch decoder.message.layer {
    case .randomNormalLike(let message)?:
      (seed, first, second) = (message.seed, message.mean, message.stdDev)
    case .randomNormalStatic(let message)?:
      (seed, first, second) = (message.seed, message.mean, message.stdDev)
      outputShape = message.outputShape
    case .randomNormalDynamic(let message)?:
      (seed, first, second) = (message.seed, message.mean, message.stdDev)
    case .randomUniformLike(let message)?:
      (seed, first, second) = (message.seed, message.minVal, message.maxVal)
    case .randomUniformStatic(let message)?:
      (seed, first, second) = (message.seed, message.minVal, message.maxVal)
      outputShape = message.outputShape
    case .randomUniformDynamic(let message)?:
      (seed, first, second) = (message.seed, message.minVal, message.maxVal)
    case .randomBernoulliLike(let message)?:
      (seed, first) = (message.seed, message.prob)
    case .randomBernoulliStatic(let message)?:
      (seed, first) = (message.seed, message.prob)
      outputShape = message.outputShape
    case .randomBernoulliDynamic(let message)?:
      (seed, first) = (message.seed, message.prob)
    default:
      preconditionFailure("the catalogue decodes by field")
    }
  }
}
