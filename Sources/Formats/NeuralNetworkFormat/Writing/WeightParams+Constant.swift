import Graph
import ModelFormat

extension Spec.WeightParams {
  /// Writes the values of a constant. The values keep their stored form if the message can express it. The message can
  /// express `float16`, and integers with a lookup table, with one scale, or with one scale per channel.
  ///
  /// - Parameter channelAxis: The axis of the constant to which per-channel scales belong.
  package init(_ constant: Constant, channelAxis: Int = 0) throws {
    self.init()
    if let stored = constant.stored, try takeStored(stored, channelAxis) { return }
    floatValue = FloatValues(try constant.floats())
  }

  /// Writes stored values in the form in which they are stored. Returns false if the message cannot express this form.
  private mutating func takeStored(_ stored: StoredValues, _ channelAxis: Int) throws -> Bool {
    switch stored.meaning {
    case .plain(let bytes, .float16, _):
      float16Value = ByteValues(bytes.withBytes { Array($0) })
      return true
    case .palette(let integers, let table, _):
      let entries: Int = table.shape[-2]
      guard table.count == entries, entries > 1, entries <= 256, entries & (entries - 1) == 0 else {
        return false
      }
      let bits: Int = entries.trailingZeroBitCount
      rawValue = ByteValues(try integers.packedBits(bits))
      let values: [Float] = try table.floats()
      quantization = .making {
        $0.numberOfBits = UInt64(bits)
        $0.quantizationType = .lookupTableQuantization(
          .making { $0.floatValue = FloatValues(values) })
      }
      return true
    case .affine(let integers, let scaled):
      guard let type = integers.stored?.storedElement, let range = type.integerRange,
        type.bitCount <= 8, scaled.isByChannel(channelAxis, of: integers.shape)
      else { return false }
      let scales: [Float] = try scaled.scale.floats()
      let zeros: [Float] =
        try scaled.zero?.floats() ?? [Float](repeating: 0, count: scales.count)
      // The message holds unsigned integers, so the smallest integer of the type becomes 0.
      let least = Float(range.lowerBound)
      rawValue = ByteValues(try integers.packedBits(type.bitCount, from: Int(range.lowerBound)))
      quantization = .making {
        $0.numberOfBits = UInt64(type.bitCount)
        $0.quantizationType = .linearQuantization(
          .making {
            $0.scale = FloatValues(scales)
            $0.bias = FloatValues(zip(scales, zeros).map { (least - $1) * $0 })
          })
      }
      return true
    default: return false
    }
  }
}

extension StoredValues.ScaledIntegers {
  /// Returns whether there is one scale and one zero point for all values, or one of each per index along the axis
  /// `axis`.
  fileprivate func isByChannel(_ axis: Int, of shape: Shape) -> Bool {
    guard zero.map({ $0.shape == scale.shape }) ?? true else { return false }
    return scale.count == 1
      || scale.shape.dimensions.indices.allSatisfy {
        scale.shape[$0] == ($0 == axis ? shape[$0] : 1)
      }
  }
}

extension Constant {
  /// Subtracts `least` from each integer and packs the differences, `bits` bits each. The first one is in the highest
  /// bits of the first byte.
  fileprivate func packedBits(_ bits: Int, from least: Int = 0) throws -> [UInt8] {
    let integers: [Float] = try floats()
    var bytes = [UInt8](repeating: 0, count: (integers.count * bits + 7) / 8)
    for (index, integer) in integers.enumerated() {
      let value: Int = Int(integer) - least
      for bit in 0..<bits where value >> (bits - 1 - bit) & 1 == 1 {
        let position: Int = index * bits + bit
        bytes[position / 8] |= 0x80 >> (position % 8)
      }
    }
    return bytes
  }
}
