extension LiteOperatorTable {
  /// The readers of all supported operators, by family.
  package static let standard = LiteOperatorTable([
    ("Elementwise", LiteBinaryReaders.all + LiteUnaryReaders.all),
    ("Convolution", LiteConvolutionReaders.all),
    ("Pooling", LitePoolingReaders.all),
    ("Linear", LiteLinearReaders.all),
    ("Normalization", LiteNormalizationReaders.all),
    ("Reduction", LiteReductionReaders.all),
    ("Resizing", LiteResizingReaders.all),
    ("Rearranging", LitePaddingReaders.all + LiteBlockReaders.all),
    ("Shaping", LiteShapingReaders.all),
    ("Joining", LiteJoiningReaders.all),
    ("Slicing", LiteSlicingReaders.all),
    ("Gathering", LiteGatheringReaders.all),
    ("Quantization", LiteQuantizationReaders.all),
    ("ControlFlow", LiteControlReaders.all),
    ("Detection", LiteDetectionReaders.all),
  ])
}
