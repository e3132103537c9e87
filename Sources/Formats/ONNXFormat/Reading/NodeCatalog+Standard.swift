extension NodeCatalog {
  /// The readers of all supported operators, by family.
  package static let standard = NodeCatalog([
    ("Constants", ConstantReaders.all),
    ("Elementwise", ArithmeticReaders.all + UnaryReaders.all + CastReaders.all),
    ("Bits", BitReaders.all),
    ("Activation", ActivationReaders.all),
    ("Linear", LinearReaders.all),
    ("Normalization", NormalizationReaders.all),
    ("Reduction", ReductionReaders.all),
    ("Convolution", ConvolutionReaders.all),
    ("Pooling", PoolingReaders.all),
    ("Shaping", ReshapingReaders.all + JoiningReaders.all + PaddingReaders.all),
    ("Slicing", SlicingReaders.all),
    ("Gathering", GatheringReaders.all),
    ("Detection", SuppressionReaders.all),
    ("Ordering", OrderingReaders.all),
    ("Pictures", ResizingReaders.all + SamplingReaders.all),
    ("Quantization", QuantizationReaders.all),
    ("Recurrent", RecurrentReaders.all),
    ("Attention", AttentionReaders.all),
    ("ControlFlow", ControlFlowReaders.all),
    ("Sequences", SequenceReaders.all),
    ("Losses", LossReaders.all),
    ("Signals", SignalReaders.all),
  ])
}
