import Foundation

extension BNNS {
  /// An activation function. It computes each element separately, except for the softmax functions.
  public enum ActivationFunction: Sendable {
    case identity
    case rectifiedLinear
    /// x, or alpha x where x is negative.
    case leakyRectifiedLinear(alpha: Float)
    case sigmoid
    case tanh
    /// alpha tanh(beta x).
    case scaledTanh(alpha: Float, beta: Float)
    case abs
    /// alpha x.
    case linear(alpha: Float)
    case clamp(bounds: ClosedRange<Float>)
    /// e^x divided by its sum over the vector.
    case softmax
    /// The logarithm of softmax.
    case logSoftmax
  }

  /// A function that reduces a vector to a number.
  public enum ReductionFunction: Sendable {
    case max
    case min
    /// The first index of the greatest element.
    case argMax
    /// The first index of the smallest element.
    case argMin
    case mean
    case sum
    case sumSquare
    case l1Norm
    case l2Norm
    /// The logarithm of the sum.
    case logSum
    /// The logarithm of the sum of e^x.
    case logSumExp
  }

  /// Applies a function to each of `batchSize` adjacent vectors of equal length. The computation has single precision.
  ///
  /// - Throws: `BNNS.Error` if the vectors have different lengths, or strides other than 1.
  public static func applyActivation(
    activation: ActivationFunction, input: BNNSNDArrayDescriptor,
    output: BNNSNDArrayDescriptor, batchSize: Int
  ) throws {
    let numbers = try vectors(input.floats(), batchSize)
    try output.store(numbers.flatMap { apply(activation, to: Array($0)) })
  }

  /// Reduces a vector to one number.
  ///
  /// - Throws: `BNNS.Error` if the output does not have exactly one element, or if there are weights.
  public static func applyReduction(
    _ reduction: ReductionFunction, input: BNNSNDArrayDescriptor, output: BNNSNDArrayDescriptor,
    weights: BNNSNDArrayDescriptor?
  ) throws {
    guard weights == nil else {
      throw Error.layerApplyFail("Reductions of BNNS with weights are not supported: pass nil.")
    }
    try output.store([reduced(reduction, input.floats())])
  }

  /// Writes the `k` greatest elements of each vector and their indices, greatest first. Equal elements keep their order.
  ///
  /// - Throws: `BNNS.Error` if `axis` is not 0, or `k` is greater than the number of elements.
  public static func applyTopK(
    k: Int, input: BNNSNDArrayDescriptor, bestValues: BNNSNDArrayDescriptor,
    bestIndices: BNNSNDArrayDescriptor, axis: Int, batchSize: Int
  ) throws {
    let vectors = try vectors(input.floats(), batchSize).map { Array($0) }
    guard axis == 0, k >= 0, vectors.allSatisfy({ $0.count >= k }) else {
      throw Error.layerApplyFail(
        "The greatest \(k) elements along axis \(axis) of \(input.count) do not exist: expected axis 0 and at most "
          + "as many as there are.")
    }
    let orders = vectors.map { vector in
      vector.indices.sorted { (vector[$1], $0) < (vector[$0], $1) }.prefix(k)
    }
    try bestValues.store(zip(vectors, orders).flatMap { vector, order in order.map { vector[$0] } })
    try bestIndices.store(orders.flatMap { $0.map { Float($0) } })
  }

  /// Splits numbers into `batchSize` vectors of equal length.
  private static func vectors(_ numbers: [Float], _ batchSize: Int) throws -> [ArraySlice<Float>] {
    guard batchSize > 0, numbers.count.isMultiple(of: batchSize) else {
      throw Error.layerApplyFail(
        "\(numbers.count) elements do not divide into \(batchSize) vectors: expected a batch size of 1 or a divisor."
      )
    }
    let length = numbers.count / batchSize
    return (0..<batchSize).map { numbers[$0 * length..<($0 + 1) * length] }
  }

  private static func apply(_ function: ActivationFunction, to numbers: [Float]) -> [Float] {
    switch function {
    case .identity: numbers
    case .rectifiedLinear: vDSP.threshold(numbers, to: 0, with: .clampToThreshold)
    case .leakyRectifiedLinear(let alpha): numbers.map { $0 < 0 ? alpha * $0 : $0 }
    case .sigmoid: vDSP.divide(1, vDSP.add(1, vForce.exp(vDSP.negative(numbers))))
    case .tanh: vForce.tanh(numbers)
    case .scaledTanh(let alpha, let beta):
      vDSP.multiply(alpha, vForce.tanh(vDSP.multiply(beta, numbers)))
    case .abs: vDSP.absolute(numbers)
    case .linear(let alpha): vDSP.multiply(alpha, numbers)
    case .clamp(let bounds): vDSP.clip(numbers, to: bounds)
    case .softmax: softmax(numbers, isLogarithm: false)
    case .logSoftmax: softmax(numbers, isLogarithm: true)
    }
  }

  /// The greatest element is subtracted first, so that no exponential overflows and no digits are lost.
  private static func softmax(_ numbers: [Float], isLogarithm: Bool) -> [Float] {
    let shifted = vDSP.add(-vDSP.maximum(numbers), numbers)
    let exponentials = vForce.exp(shifted)
    let sum = vDSP.sum(exponentials)
    return isLogarithm ? vDSP.add(-log(sum), shifted) : vDSP.divide(exponentials, sum)
  }

  private static func reduced(_ function: ReductionFunction, _ numbers: [Float]) -> Float {
    switch function {
    case .max: return vDSP.maximum(numbers)
    case .min: return vDSP.minimum(numbers)
    case .argMax: return Float(vDSP.indexOfMaximum(numbers).0)
    case .argMin: return Float(vDSP.indexOfMinimum(numbers).0)
    case .mean: return vDSP.mean(numbers)
    case .sum: return vDSP.sum(numbers)
    case .sumSquare: return vDSP.sumOfSquares(numbers)
    case .l1Norm: return vDSP.sumOfMagnitudes(numbers)
    case .l2Norm: return vDSP.sumOfSquares(numbers).squareRoot()
    case .logSum: return log(vDSP.sum(numbers))
    case .logSumExp:
      let greatest = vDSP.maximum(numbers)
      guard greatest.isFinite else { return greatest }
      return greatest + log(vDSP.sum(vForce.exp(vDSP.add(-greatest, numbers))))
    }
  }
}
