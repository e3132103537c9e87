import Graph
import Operators
import Passes

/// The passes that rewrite a graph.
public enum GraphPasses {
  /// The passes that run before every plan is made, in this order. The reasons for the order are:
  ///
  /// 1. Constants are folded first, so that the other passes see them. Then shapes that follow from constants become
  ///    parameters of the operators that read them.
  /// 2. Decomposed instance and group norms, and attention, are recognised before their parts are fused into other operators.
  /// 3. Padding and upsampling are folded into the convolution after them. A crop is folded into the convolution before
  ///    it only in step 8, because padding and upsampling change the geometry on which the crop relies.
  /// 4. Matrix products and convolutions of quantised values are recognised after step 3 has folded padding into them,
  ///    and before any other operator is fused into them.
  /// 5. Crops are folded into deconvolutions. Factors per channel are folded into weights before activations are fused.
  ///    Then roundings of sums are fused, then residuals, then activations with the roundings before and after them,
  ///    then factors after an activation. This is the order in which the epilogue of a convolution applies them. Hard
  ///    swishes are recognised before activations are fused, because their parts contain activations.
  /// 6. Squares are folded into the sums that read them. The remaining pointwise operators are fused with each other.
  /// 7. Nodes whose results nobody reads are removed, because the later passes would count these nodes as readers.
  /// 8. By now, all operators that can be fused into convolutions are fused. So convolutions are narrowed to the pixels
  ///    that the crops after them keep.
  /// 9. Convolutions compute the statistics for the instance norms after them. This step is late, because nothing else
  ///    can be fused into these norms afterwards. A convolution after such a norm then applies the norm while it reads
  ///    its input.
  public static let standard: [any GraphPass.Type] = [
    FoldConstants.self, FixComputedShapes.self, RecognizeInstanceNorm.self, RecognizeGroupNorm.self,
    FuseAttention.self, FoldPadding.self, FoldUpsampling.self, MultiplyBytes.self,
    FoldCropIntoDeconvolution.self, FoldAffine.self, FuseRounding.self, FuseResidual.self,
    RecognizeHardSwish.self, FuseActivation.self, FoldAffine.self, FoldSquareIntoReduction.self,
    JoinPointwise.self, RemoveDeadCode.self,
    FoldCropIntoConvolution.self, TakeStatistics.self, ReadThroughNorm.self,
  ]
}
