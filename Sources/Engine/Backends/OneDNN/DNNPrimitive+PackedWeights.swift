import Graph

extension DNNPrimitive {
  /// Constants, one after the other, in the form in which this primitive reads its weights; together they
  /// have the order of `adnn_pack_weights`.
  package func packed(_ constants: [Constant], in weights: PackedWeights) -> PackedWeight {
    weights.weight("oneDNN \(weightsForm)", of: constants, byteCount: weightsByteCount) {
      [self] memory in
      try constants.joinedFloats().withUnsafeBufferPointer { values in
        guard let base = values.baseAddress else { return }
        try pack(base, into: memory)
      }
    }
  }
}
