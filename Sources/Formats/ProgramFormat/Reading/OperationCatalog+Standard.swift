extension OperationCatalog {
  /// All operations that are read, family by family.
  package static let standard = OperationCatalog([
    ("Constants", ConstantReaders.all),
    ("Elementwise", ElementwiseReaders.all),
    ("ControlFlow", ControlFlowReaders.all),
    ("Compressed", CompressedReaders.all),
    ("Recurrent", RecurrentReaders.all),
    ("Lists", ListReaders.all),
    ("States", StateReaders.all),
    ("Custom", CustomReaders.all),
  ])
}
