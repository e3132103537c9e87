import Engine
import Operators

/// How the poolings of a ``FeatureNetwork`` are computed.
public enum FeaturePooling: Sendable, Hashable {
  /// As the model computes them.
  case original
  /// Each maximum pooling that halves the sides is replaced by a smooth one, as DISTS needs:
  ///
  ///     y = √(w ∗ x² + 10⁻¹²), at every second pixel
  ///
  /// `w` is the outer product of (¼, ½, ¼), a Hann window, with itself. The input is padded with one zero on each side,
  /// so each side of the output is half as long as the input's, rounded up.
  ///
  /// **Source:** Ding, Ma, Wang and Simoncelli, arXiv:2004.07728, section 3.1.
  case hann
}

extension Graph {
  /// Adds the smooth pooling in place of a maximum pooling that halves the sides. For another operator, or for
  /// ``FeaturePooling/original``, adds nothing and returns nil.
  mutating func applySmoothPooling(
    _ pooling: FeaturePooling, _ operation: any Operator, to inputs: [ValueID], name: String
  ) throws -> [ValueID]? {
    guard pooling == .hann, let maximum = operation as? PoolingOperator, maximum.kind == .maximum,
      maximum.strideHeight == 2, maximum.strideWidth == 2, !maximum.isGlobal, inputs.count == 1
    else { return nil }
    let channels: Int = try knownShape(of: inputs[0])[1]
    let window: [Float] = [1, 2, 1, 2, 4, 2, 1, 2, 1].map { $0 / 16 }
    let weights: ValueID = addConstant(
      Constant([channels, 1, 3, 3], [[Float]](repeating: window, count: channels).flatMap { $0 }),
      name: "\(name)/weights")
    let squares: ValueID = try apply(
      MultiplyOperator(inputCount: 2), to: [inputs[0], inputs[0]], name: "\(name)/squares")
    let sums: ValueID = try apply(
      ConvolutionOperator(
        outputChannels: channels, kernelChannels: 1, groups: channels,
        stride: ConvolutionOperator.Pair(2, 2),
        padding: .valid(top: 1, left: 1, bottom: 1, right: 1)),
      to: [squares, weights], name: "\(name)/sums")
    let positive: ValueID = try apply(
      AddOperator(inputCount: 1, alpha: 1e-12), to: [sums], name: "\(name)/positive")
    return [try apply(UnaryFunctionOperator(.squareRoot), to: [positive], name: name)]
  }
}
