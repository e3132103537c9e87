import Graph
import ModelFormat

extension Spec.WeightParams {
  /// The values of a constant, in as few bits as they are stored in: `float16`, or codes with a table or with a scale
  /// for all of them or for each channel.
  ///
  /// - Parameter channelAxis: the dimension by which the layer counts channels.
  package init(_ constant: Constant, channelAxis: Int = 0) throws {
    self.init()
    if let stored = constant.stored, try keep(stored, channelAxis) { return }
    floatValue = FloatValues(try constant.floats())
  }

  /// Takes over stored values where the message can say them.
  private mutating func keep(_ stored: StoredValues, _ channelAxis: Int) throws -> Bool {
    switch stored.meaning {
    case .plain(let bytes, .float16, _):
      float16Value = ByteValues(bytes.withBytes { Array($0) })
      return true
    case .palette(let codes, let table, _):
      let entries: Int = table.shape[-2]
      guard table.count == entries, entries > 1, entries <= 256, entries & (entries - 1) == 0 else {
        return false
      }
      let bits: Int = entries.trailingZeroBitCount
      rawValue = ByteValues(try codes.packedBits(bits))
      let values: [Float] = try table.floats()
      quantization = .making {
        $0.numberOfBits = UInt64(bits)
        $0.quantizationType = .lookupTableQuantization(
          .making { $0.floatValue = FloatValues(values) })
      }
      return true
    case .affine(let codes, let scaled):
      guard let type = codes.stored?.storedElement, let range = type.integerRange,
        type.bitCount <= 8, scaled.isByChannel(channelAxis, of: codes.shape)
      else { return false }
      let scales: [Float] = try scaled.scale.floats()
      let zeros: [Float] =
        try scaled.zero?.floats() ?? [Float](repeating: 0, count: scales.count)
      // Codes without a sign: the smallest is 0.
      let least = Float(range.lowerBound)
      rawValue = ByteValues(try codes.packedBits(type.bitCount, from: Int(range.lowerBound)))
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

extension StoredValues.ScaledCodes {
  /// Whether there is one scale, with one zero, for all codes or for each place of an axis.
  fileprivate func isByChannel(_ axis: Int, of shape: Shape) -> Bool {
    guard zero.map({ $0.shape == scale.shape }) ?? true else { return false }
    return scale.count == 1
      || scale.shape.dimensions.indices.allSatisfy {
        scale.shape[$0] == ($0 == axis ? shape[$0] : 1)
      }
  }
}

extension Constant {
  /// Whole numbers above a least one, so many bits each, the first in the highest bits.
  fileprivate func packedBits(_ bits: Int, from least: Int = 0) throws -> [UInt8] {
    let codes: [Float] = try floats()
    var bytes = [UInt8](repeating: 0, count: (codes.count * bits + 7) / 8)
    for (index, code) in codes.enumerated() {
      let value: Int = Int(code) - least
      for bit in 0..<bits where value >> (bits - 1 - bit) & 1 == 1 {
        let place: Int = index * bits + bit
        bytes[place / 8] |= 0x80 >> (place % 8)
      }
    }
    return bytes
  }
}
