extension OperationCatalog {
  /// All operations that are read, family by family.
  package static let standard = OperationCatalog([
    ("Constants", ConstantReaders.all),
    ("Elementwise", ElementwiseReaders.all),
    ("ControlFlow", ControlFlowReaders.all),
    ("Shaping", ReshapingReaders.all + JoiningReaders.all + GeneratingReaders.all),
    ("Slicing", SlicingReaders.all),
    ("Gathering", GatheringReaders.all),
    ("Ordering", OrderingReaders.all),
    ("Quantization", QuantizationReaders.all),
  ])
}
