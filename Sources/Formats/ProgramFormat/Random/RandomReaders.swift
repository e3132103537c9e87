import Graph
import Operators

/// Operations that draw random numbers. If the seed is negative, every prediction draws different numbers.
enum RandomReaders {
  static let all: [OperationReader] = [
    OperationReader(
      "random_bernoulli", as: [RandomOperator<BernoulliDistribution, StaticShape>.self]
    ) { operation in
      let probability = try operation.float("prob", or: 0.5)
      return try operation.draw(BernoulliDistribution(probability: Double(probability)))
    },
    OperationReader("random_normal", as: [RandomOperator<NormalDistribution, StaticShape>.self]) {
      operation in
      let (mean, deviation) = (
        try operation.float("mean", or: 0), try operation.float("stddev", or: 1)
      )
      return try operation.draw(
        NormalDistribution(mean: Double(mean), deviation: Double(deviation)))
    },
    OperationReader("random_uniform", as: [RandomOperator<UniformDistribution, StaticShape>.self]) {
      operation in
      let (low, high) = (try operation.float("low", or: 0), try operation.float("high", or: 1))
      return try operation.draw(UniformDistribution(minimum: Double(low), maximum: Double(high)))
    },
    OperationReader("random_categorical", as: [CategoricalDistributionOperator.self]) { operation in
      let mode = try operation.string("mode", or: "logits")
      guard mode == "logits" || mode == "probs" else {
        throw operation.invalid("the mode is '\(mode)', expected logits or probs.")
      }
      let count = try operation.int("size", or: 1)
      guard (0...Int(Int32.max)).contains(count) else {
        throw operation.invalid("'size' is \(count), expected 1 or more.")
      }
      return try operation.apply(
        CategoricalDistributionOperator(
          sampleCount: count, isLogits: mode == "logits",
          seed: Int64(try operation.int("seed", or: -1))))
    },
  ]
}

extension ProgramOperation {
  /// Draws numbers from a distribution. The program states the shape of the result, or another operation computes it.
  fileprivate func draw<Distribution: RandomDistribution>(_ distribution: Distribution) throws
    -> [ProgramResult]
  {
    let seed = Int64(try int("seed", or: -1))
    let shape = try tensor("shape")
    guard shape.constant != nil else {
      return [.value(add(RandomOperator(distribution, DynamicShape(), seed: seed), shape.id))]
    }
    let sizes: [Int] = try ints("shape")
    guard sizes.allSatisfy({ $0 >= 0 }), Shape(sizes).isMeasurable else {
      throw invalid("the shape is \(sizes), expected extents from 0 on that memory can hold.")
    }
    return [.value(add(RandomOperator(distribution, StaticShape(Shape(sizes)), seed: seed), []))]
  }
}
