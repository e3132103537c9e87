import Graph
import Glibc

/// Local response normalisation over neighbouring channels.
///
///     y[c] = x[c] / (k + α / n · Σ x[j]²)^β     j from c − ⌊n/2⌋ to c + ⌊(n − 1)/2⌋
///
/// where `n` is ``size``, the number of channels in the window.
///
/// - Input: `[…, C, H, W]`, rank three or more; leading dimensions are batch.
/// - Output: the input's shape.
/// - Edge: neighbours beyond the first or last channel count as 0, and `n` stays the same.
/// - Defaults of the model file: k = 1 if k is missing or 0. The file must state n, which is at least 1.
///
/// **Source:** `LRNLayerParams`; Krizhevsky et al. (2012), doi:10.1145/3065386. For an even `n` the window has one more
/// channel before `c` than after it, as in PyTorch.
public struct LocalResponseNormalizationOperator: Operator {
  public static let declaration = OperatorDeclaration(
    "LocalResponseNormalization",
    summary: "x / (k + α/n · Σ x²)^β over n neighbouring channels")

  /// The factor α of the sum of squares. The operator divides α by ``size``.
  public var alpha: Float
  /// The exponent.
  public var beta: Float
  /// The number that is added to the scaled sum of squares.
  public var k: Float
  /// The number of channels in the window.
  public var size: Int

  /// Creates a local response normalisation.
  public init(alpha: Float, beta: Float, size: Int, k: Float = 1) {
    precondition(size > 0)
    self.alpha = alpha
    self.beta = beta
    self.size = size
    self.k = k
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    let shape: Shape = try OperatorInput.only(inputs).shape
    _ = try FeatureMap(shape)
    return [TensorType(shape)]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    let map = try FeatureMap(inputs[0].shape)
    var result: ReferenceTensor = inputs[0]
    for sample in 0..<map.batch {
      for channel in 0..<map.channels {
        let low: Int = max(channel - size / 2, 0)
        let high: Int = min(channel + (size - 1) / 2, map.channels - 1)
        for pixel in 0..<map.area {
          var squares: Double = 0
          for neighbour in low...high {
            let value: Double = inputs[0].values[map.offset(sample, neighbour, 0, 0) + pixel]
            squares += value * value
          }
          let base: Double = Double(k) + Double(alpha) / Double(size) * squares
          let position: Int = map.offset(sample, channel, 0, 0) + pixel
          result.values[position] = inputs[0].values[position] / pow(base, Double(beta))
        }
      }
    }
    return [result]
  }
}
