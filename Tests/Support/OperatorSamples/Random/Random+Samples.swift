import NeuralNetworkFormat
import Graph
import ModelFormat
import Operators

/// A distribution that provides test cases for its operators.
public protocol SampledDistribution: RandomDistribution {
  /// Returns the samples of this distribution's operator. `source` says where the operator gets the shape of its output
  /// from.
  static func samples(for source: any RandomShapeSource.Type) -> [OperatorSample]
}

extension RandomOperator: SampledOperator where Distribution: SampledDistribution {
  public static var samples: [OperatorSample] { Distribution.samples(for: Source.self) }
}

extension NormalDistribution: SampledDistribution {
  public static func samples(for source: any RandomShapeSource.Type) -> [OperatorSample] {
    let layer: Spec.NeuralNetworkLayer.OneOfLayer
    let bad: Spec.NeuralNetworkLayer.OneOfLayer
    if source == LikeShape.self {
      layer = .randomNormalLike(.making { ($0.seed, $0.mean, $0.stdDev) = (7, 1, 2) })
      bad = .randomNormalLike(.making { ($0.seed, $0.mean, $0.stdDev) = (7, 1, -2) })
    } else if source == StaticShape.self {
      layer = .randomNormalStatic(
        .making { ($0.seed, $0.mean, $0.stdDev, $0.outputShape) = (7, 1, 2, [3, 4]) })
      bad = .randomNormalStatic(
        .making { ($0.seed, $0.mean, $0.stdDev, $0.outputShape) = (7, 1, -2, [3, 4]) })
    } else {
      layer = .randomNormalDynamic(.making { ($0.seed, $0.mean, $0.stdDev) = (7, 1, 2) })
      bad = .randomNormalDynamic(.making { ($0.seed, $0.mean, $0.stdDev) = (7, 1, -2) })
    }
    return randomSamples(
      layer, bad, failure: "stdDev is -2.0, expected 0 or more", source: source)
  }
}

extension UniformDistribution: SampledDistribution {
  public static func samples(for source: any RandomShapeSource.Type) -> [OperatorSample] {
    let layer: Spec.NeuralNetworkLayer.OneOfLayer
    let bad: Spec.NeuralNetworkLayer.OneOfLayer
    if source == LikeShape.self {
      layer = .randomUniformLike(.making { ($0.seed, $0.minVal, $0.maxVal) = (7, -1, 2) })
      bad = .randomUniformLike(.making { ($0.seed, $0.minVal, $0.maxVal) = (7, 3, 2) })
    } else if source == StaticShape.self {
      layer = .randomUniformStatic(
        .making { ($0.seed, $0.minVal, $0.maxVal, $0.outputShape) = (7, -1, 2, [3, 4]) })
      bad = .randomUniformStatic(
        .making { ($0.seed, $0.minVal, $0.maxVal, $0.outputShape) = (7, 3, 2, [3, 4]) })
    } else {
      layer = .randomUniformDynamic(.making { ($0.seed, $0.minVal, $0.maxVal) = (7, -1, 2) })
      bad = .randomUniformDynamic(.making { ($0.seed, $0.minVal, $0.maxVal) = (7, 3, 2) })
    }
    return randomSamples(layer, bad, failure: "minVal is 3.0 and maxVal 2.0", source: source)
  }
}

extension BernoulliDistribution: SampledDistribution {
  public static func samples(for source: any RandomShapeSource.Type) -> [OperatorSample] {
    let layer: Spec.NeuralNetworkLayer.OneOfLayer
    let bad: Spec.NeuralNetworkLayer.OneOfLayer
    if source == LikeShape.self {
      layer = .randomBernoulliLike(.making { ($0.seed, $0.prob) = (7, 0.3) })
      bad = .randomBernoulliLike(.making { ($0.seed, $0.prob) = (7, 1.5) })
    } else if source == StaticShape.self {
      layer = .randomBernoulliStatic(
        .making { ($0.seed, $0.prob, $0.outputShape) = (7, 0.3, [3, 4]) })
      bad = .randomBernoulliStatic(
        .making { ($0.seed, $0.prob, $0.outputShape) = (7, 1.5, [3, 4]) })
    } else {
      layer = .randomBernoulliDynamic(.making { ($0.seed, $0.prob) = (7, 0.3) })
      bad = .randomBernoulliDynamic(.making { ($0.seed, $0.prob) = (7, 1.5) })
    }
    return randomSamples(
      layer, bad, failure: "prob is 1.5, expected a number from 0 to 1", source: source)
  }
}

/// Returns the samples of one distribution and shape source.
private func randomSamples(
  _ layer: Spec.NeuralNetworkLayer.OneOfLayer, _ bad: Spec.NeuralNetworkLayer.OneOfLayer,
  failure: String, source: any RandomShapeSource.Type
) -> [OperatorSample] {
  let inputs: [(Shape, OperatorSample.Fill)]
  if source == LikeShape.self {
    inputs = [([2, 5, 3], .uniform(-1...1))]
  } else if source == StaticShape.self {
    inputs = []
  } else {
    inputs = [([2], .values([3, 4]))]
  }
  var result: [OperatorSample] = [
    OperatorSample("a seed", Spec.NeuralNetworkLayer(layer), inputs: inputs, tolerance: .exact),
    OperatorSample(
      "parameters out of range", Spec.NeuralNetworkLayer(bad), inputs: inputs, failure: failure),
  ]
  if source == DynamicShape.self {
    result.append(
      OperatorSample(
        "half an element", Spec.NeuralNetworkLayer(layer), inputs: [([1], .values([2.5]))],
        failure: "the input holds the size 2.5, expected an integer"))
  }
  return result
}

extension CategoricalDistributionOperator: SampledOperator {
  /// Samples whose distributions have only one possible outcome, so that the answers are known.
  public static var samples: [OperatorSample] {
    [
      OperatorSample(
        "probabilities", layer(3, logits: false), inputs: [([2, 2], .values([0, 1, 1, 0]))],
        expected: [ReferenceTensor([2, 3], [1, 1, 1, 0, 0, 0])], tolerance: .exact),
      OperatorSample(
        "logits", layer(2, logits: true), inputs: [([1, 1, 3], .values([-500, 400, -500]))],
        expected: [ReferenceTensor([1, 1, 2], [1, 1])], tolerance: .exact),
      OperatorSample(
        "many classes", layer(50, logits: true), inputs: [[4, 10]], tolerance: .exact),
      OperatorSample(
        "no samples", layer(0, logits: true), inputs: [[4]],
        failure: "numSamples is 0, expected at least 1"),
    ]
  }

  private static func layer(_ count: Int64, logits: Bool) -> Spec.NeuralNetworkLayer {
    Spec.NeuralNetworkLayer(
      .categoricalDistribution(
        .making {
          $0.seed = 42
          $0.numSamples = count
          $0.isLogits = logits
        }))
  }
}
