import Graph
import Operators

extension OperatorFamily {
  /// Operators into which passes have fused others. No reader makes them.
  public static let fused = OperatorFamily(
    "Fused",
    [
      FusedAttention.self, FusedConvolution.self, FusedLayerNorm.self, FusedNorm.self,
      FusedProduct.self, GroupNorm.self, HardSwish.self,
    ])
}

extension Operator {
  /// A convolution as a fused convolution; nil for other operators.
  package var asFusedConvolution: FusedConvolution? {
    self as? FusedConvolution ?? (self as? ConvolutionOperator).map(FusedConvolution.init)
  }

  /// A matrix product as a fused product; nil for other operators.
  package var asFusedProduct: FusedProduct? {
    self as? FusedProduct ?? (self as? BatchedMatMulOperator).map { FusedProduct($0, []) }
  }

  /// An instance norm as a fused norm; nil for other operators.
  package var asFusedNorm: FusedNorm? {
    if let norm = self as? FusedNorm { return norm }
    guard let norm = self as? BatchNormOperator, norm.isInstanceNormalization else { return nil }
    return FusedNorm(norm)
  }
}
