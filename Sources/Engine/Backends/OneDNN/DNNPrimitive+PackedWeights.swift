import COneDNN
import Graph

extension DNNPrimitive {
  /// Names the form in which this primitive reads its weights; see `adnn_primitive_weights_format`.
  package var weightsFormat: String {
    var words = [CChar](repeating: 0, count: 1024)
    let length: Int = adnn_primitive_weights_format(handle, &words, words.count)
    if length >= words.count {
      words = [CChar](repeating: 0, count: length + 1)
      _ = adnn_primitive_weights_format(handle, &words, words.count)
    }
    return String(decoding: words.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Constants, one after the other, in the form in which this primitive reads its weights; together they
  /// have the order of `adnn_pack_weights`.
  package func packed(_ constants: [Constant], in weights: PackedWeights) -> PackedWeight {
    weights.weight("oneDNN \(weightsFormat)", of: constants, byteCount: weightsByteCount) {
      [self] memory in
      try constants.joinedFloats().withUnsafeBufferPointer { values in
        guard let base = values.baseAddress else { return }
        try pack(base, into: memory)
      }
    }
  }
}
