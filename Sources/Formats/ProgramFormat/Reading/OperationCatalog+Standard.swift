extension OperationCatalog {
  /// All operations that are read, family by family.
  package static let standard = OperationCatalog([
    ("Constants", ConstantReaders.all),
    ("Elementwise", ElementwiseReaders.all),
    ("ControlFlow", ControlFlowReaders.all),
    ("Convolution", ConvolutionReaders.all),
    ("Pooling", PoolingReaders.all),
    ("Pictures", ResizingReaders.all + RegionReaders.all + SamplingReaders.all),
    ("Rearranging", PaddingReaders.all + BlockReaders.all),
  ])
}
