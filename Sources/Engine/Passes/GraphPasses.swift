import Graph
import Operators

/// The passes in their order.
public enum GraphPasses {
  /// Runs before every plan.
  ///
  /// Constants come first, so that the others see them, then shapes that follow from them, and norms that are spelled out before their
  /// parts become parts of something else. What stands in front of a convolution folds
  /// before what stands behind it: padding and upsampling change the geometry that crops rely on.
  /// Products of codes are recognised after padding has become theirs and before anything else does.
  /// Factors fold into weights while nothing nonlinear is fused yet; then residuals, then
  /// activations, because that is the order in which a convolution's epilogue applies them; then the
  /// factors that stand behind an activation. What pointwise layers are left then join each other. Dead code goes:
  /// it would count as a reader. Convolutions that have become whole then make no more than crops leave of them. They
  /// take statistics for the norms that are left, once nothing else can become a part of them, and then read through
  /// those norms.
  public static let standard: [any GraphPass.Type] = [
    FoldConstants.self, FixComputedShapes.self, RecognizeInstanceNorm.self, FoldPadding.self,
    FoldUpsampling.self, MultiplyBytes.self,
    FoldCropIntoDeconvolution.self, FoldAffine.self, FuseResidual.self, FuseActivation.self,
    FoldAffine.self, FoldSquareIntoReduction.self, JoinPointwise.self, RemoveDeadCode.self,
    FoldCropIntoConvolution.self, TakeStatistics.self, ReadThroughNorm.self,
  ]
}
