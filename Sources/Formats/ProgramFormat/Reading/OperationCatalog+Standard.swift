extension OperationCatalog {
  /// The readers of all supported operations, by family.
  package static let standard = OperationCatalog([
    ("Constants", ConstantReaders.all),
    ("Elementwise", ElementwiseReaders.all + UnaryReaders.all),
    ("Activation", ActivationReaders.all),
    ("Reduction", ReductionReaders.all),
    ("Linear", LinearReaders.all),
    ("Normalization", NormalizationReaders.all),
    ("Attention", AttentionReaders.all),
    ("Random", RandomReaders.all),
    ("Classification", ClassificationReaders.all),
    ("ControlFlow", ControlFlowReaders.all),
    ("Convolution", ConvolutionReaders.all),
    ("Pooling", PoolingReaders.all),
    ("Pictures", ResizingReaders.all + RegionReaders.all + SamplingReaders.all),
    ("Rearranging", PaddingReaders.all + BlockReaders.all),
    ("Shaping", ReshapingReaders.all + JoiningReaders.all + GeneratingReaders.all),
    ("Slicing", SlicingReaders.all),
    ("Gathering", GatheringReaders.all),
    ("Ordering", OrderingReaders.all),
    ("Quantization", QuantizationReaders.all),
    ("Compressed", CompressedReaders.all),
    ("Recurrent", RecurrentReaders.all),
    ("Lists", ListReaders.all),
    ("States", StateReaders.all),
    ("Custom", CustomReaders.all),
  ])
}
