import Graph

extension DNNPrimitive {
  /// Returns a packed weight: the concatenated constants in the format in which this primitive reads its weights. If
  /// `rearrange` is nil, the constants must already be in the order that `adnn_pack_weights` takes.
  ///
  /// - Parameter rearrange: Brings the values into the order of `adnn_pack_weights`. The `form` names the rearrangement
  ///   in the key of the packed weight.
  package func packed(
    _ constants: [Constant], in weights: PackedWeights,
    rearrange: (form: String, apply: @Sendable ([Float]) -> [Float])? = nil
  ) -> PackedWeight {
    let form = "oneDNN \(weightsForm)\(rearrange.map { ", \($0.form)" } ?? "")"
    return weights.weight(form, of: constants, byteCount: weightsByteCount) { [self] memory in
      func packValues(_ values: UnsafeBufferPointer<Float>) throws {
        // Safe: shape inference checks the number of weights; the memory is as large as the primitive's packed weights.
        guard let base = values.baseAddress else { return }
        try pack(base, into: memory)
      }
      if rearrange == nil, constants.count == 1 { return try constants[0].withFloats(packValues) }
      let joined: [Float] = try constants.joinedFloats()
      try (rearrange?.apply(joined) ?? joined).withUnsafeBufferPointer(packValues)
    }
  }
}
