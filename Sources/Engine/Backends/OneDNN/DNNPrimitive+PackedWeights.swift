import Graph

extension DNNPrimitive {
  /// Constants, one after the other, in the form in which this primitive reads its weights; together they
  /// have the order of `adnn_pack_weights`, once they are turned.
  ///
  /// - Parameter turn: brings the values into that order; its form names how.
  package func packed(
    _ constants: [Constant], in weights: PackedWeights,
    turn: (form: String, apply: @Sendable ([Float]) -> [Float])? = nil
  ) -> PackedWeight {
    let form = "oneDNN \(weightsForm)\(turn.map { ", \($0.form)" } ?? "")"
    return weights.weight(form, of: constants, byteCount: weightsByteCount) { [self] memory in
      let joined: [Float] = try constants.joinedFloats()
      try (turn?.apply(joined) ?? joined).withUnsafeBufferPointer { values in
        // Safe: type rules check the number of weights; the memory is as large as the primitive says.
        guard let base = values.baseAddress else { return }
        try pack(base, into: memory)
      }
    }
  }
}
