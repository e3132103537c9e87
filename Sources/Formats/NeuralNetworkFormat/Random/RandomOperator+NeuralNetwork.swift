import Graph
import ModelFormat
import Operators

extension RandomOperator: NeuralNetworkEncodable where Distribution: NeuralNetworkDistribution {
  public func encode(into encoder: inout LayerEncoder) throws {
    encoder.layer.layer = distribution.layer(in: source, seed: seed)
  }
}

/// A distribution from which a layer of a NeuralNetwork can draw random numbers.
public protocol NeuralNetworkDistribution: RandomDistribution {
  /// Returns the layer that draws a tensor from the distribution. `source` gives the shape of the tensor.
  func layer(in source: any RandomShapeSource, seed: Int64) -> Spec.NeuralNetworkLayer.OneOfLayer
}

extension NormalDistribution: NeuralNetworkDistribution {
  public func layer(in source: any RandomShapeSource, seed: Int64)
    -> Spec.NeuralNetworkLayer.OneOfLayer
  {
    let values = (seed, Float(mean), Float(deviation))
    switch source {
    case let source as StaticShape:
      return .randomNormalStatic(
        .making {
          ($0.seed, $0.mean, $0.stdDev) = values
          $0.outputShape = source.sizes
        })
    case is LikeShape:
      return .randomNormalLike(.making { ($0.seed, $0.mean, $0.stdDev) = values })
    default: return .randomNormalDynamic(.making { ($0.seed, $0.mean, $0.stdDev) = values })
    }
  }
}

extension UniformDistribution: NeuralNetworkDistribution {
  public func layer(in source: any RandomShapeSource, seed: Int64)
    -> Spec.NeuralNetworkLayer.OneOfLayer
  {
    let values = (seed, Float(minimum), Float(maximum))
    switch source {
    case let source as StaticShape:
      return .randomUniformStatic(
        .making {
          ($0.seed, $0.minVal, $0.maxVal) = values
          $0.outputShape = source.sizes
        })
    case is LikeShape:
      return .randomUniformLike(.making { ($0.seed, $0.minVal, $0.maxVal) = values })
    default: return .randomUniformDynamic(.making { ($0.seed, $0.minVal, $0.maxVal) = values })
    }
  }
}

extension BernoulliDistribution: NeuralNetworkDistribution {
  public func layer(in source: any RandomShapeSource, seed: Int64)
    -> Spec.NeuralNetworkLayer.OneOfLayer
  {
    let values = (seed, Float(probability))
    switch source {
    case let source as StaticShape:
      return .randomBernoulliStatic(
        .making {
          ($0.seed, $0.prob) = values
          $0.outputShape = source.sizes
        })
    case is LikeShape:
      return .randomBernoulliLike(.making { ($0.seed, $0.prob) = values })
    default: return .randomBernoulliDynamic(.making { ($0.seed, $0.prob) = values })
    }
  }
}

extension StaticShape {
  fileprivate var sizes: [UInt64] { shape.dimensions.map { UInt64($0) } }
}
