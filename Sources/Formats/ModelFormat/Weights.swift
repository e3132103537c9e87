extension Spec.WeightParams {
  /// The form in which the values of a `WeightParams` are stored.
  public enum Storage: Equatable, Sendable {
    case empty, float32, float16
    /// Integers of 1 to 8 bits. Decoding scales the integers or looks them up in a table.
    case quantized
    /// Signed bytes, for layers that also quantise their input at run time.
    case int8
    /// The file sets more than one of the fields for weights.
    case contradictory
  }

  /// The form in which the values are stored.
  public var storage: Storage {
    var found: [Storage] = []
    if !floatValue.isEmpty { found.append(.float32) }
    if !float16Value.isEmpty { found.append(.float16) }
    if !rawValue.isEmpty { found.append(.quantized) }
    if !int8RawValue.isEmpty { found.append(.int8) }
    return found.count > 1 ? .contradictory : found.first ?? .empty
  }

  /// Stores float32 numbers.
  public init(_ values: [Float]) {
    self.init()
    floatValue = FloatValues(values)
  }

  /// Stores numbers as float16, rounded to nearest, ties to even.
  public init(float16 values: [Float]) {
    self.init()
    float16Value = ByteValues(float16: values)
  }

  /// The number of stored values. For packed bits, the largest number of values that fits into the bytes.
  public var storedCount: Int {
    switch storage {
    case .empty, .contradictory: return 0
    case .float32: return floatValue.count
    case .float16: return float16Value.count / 2
    case .int8: return int8RawValue.count
    case .quantized:
      let bits: UInt64 = quantization?.numberOfBits ?? 8
      guard (1...8).contains(bits) else { return 0 }
      let (product, overflows) = rawValue.count.multipliedReportingOverflow(by: 8)
      return overflows ? 0 : product / Int(bits)
    }
  }

  /// Returns the values as float32, from any stored form.
  ///
  /// Quantised integers `q` become `q × scale + bias` or `table[q]`. By default, per-channel scales belong to the first
  /// axis of the weights; `channelStride` can change this. Value `i` belongs to channel
  /// `i / channelStride % outputChannels`. For a deconvolution with weights
  /// `[inputChannels, outputChannels / groups, height, width]`, pass `outputChannels / groups` as `outputChannels` and
  /// `height × width` as `channelStride`.
  ///
  /// - Parameters:
  ///   - expected: The number of values that the layer needs.
  ///   - name: The layer's name in errors: `Convolution 'conv2_1'`.
  ///   - field: The kind of the values, for errors: `weights` or `bias`.
  ///   - shape: The expected shape, for errors.
  ///   - outputChannels: The number of scales, if there are several. A single scale is always allowed. If nil, the
  ///     number of scales may be any divisor of `expected`.
  ///   - channelStride: The distance between the first values of adjacent channels, in values. Nil means `expected /
  ///     outputChannels`.
  public func decodedFloats(
    count expected: Int, name: String, field: String = "weights", shape: [Int] = [],
    outputChannels: Int? = nil, channelStride: Int? = nil
  ) throws -> [Float] {
    func bad(_ sentence: String) -> ModelFormatError {
      ModelFormatError(code: .badWeights, message: "\(name): \(sentence)")
    }
    func checkCount(_ found: Int) throws {
      guard found != expected else { return }
      let dimensions: String =
        shape.isEmpty ? "" : " (\(shape.map { grouped($0) }.joined(separator: " × ")))"
      throw bad(
        "\(field) hold \(grouped(found)) values, expected \(grouped(expected))\(dimensions). "
          + "The file may be truncated.")
    }
    switch storage {
    case .contradictory:
      throw bad("\(field) are stored in more than one form. The file is damaged.")
    case .empty:
      try checkCount(0)
      return []
    case .float32:
      try checkCount(floatValue.count)
      return floatValue.array()
    case .float16:
      guard float16Value.count % 2 == 0 else {
        throw bad("\(field) hold \(float16Value.count) bytes of float16, expected an even number.")
      }
      try checkCount(float16Value.count / 2)
      return float16Value.float32FromFloat16()
    case .int8:
      try checkCount(int8RawValue.count)
      let integers: [Float] = int8RawValue.withUnsafeBytes { view in
        view.map { Float(Int8(bitPattern: $0)) }
      }
      return try scaled(integers, bad, field, outputChannels, channelStride)
    case .quantized:
      guard let quantization else {
        throw bad("\(field) are raw bytes without quantisation parameters.")
      }
      guard (1...8).contains(quantization.numberOfBits) else {
        throw bad("\(field) have \(quantization.numberOfBits) bits, expected 1 to 8.")
      }
      let bits = Int(quantization.numberOfBits)
      let (needed, overflows) = max(expected, 0).multipliedReportingOverflow(by: bits)
      let neededBytes: Int = needed / 8 + (needed % 8 == 0 ? 0 : 1)
      if overflows || neededBytes != rawValue.count { try checkCount(storedCount) }
      guard !overflows, neededBytes == rawValue.count else {
        throw bad("\(field) hold \(rawValue.count) bytes, expected \(neededBytes).")
      }
      let integers: [UInt8] = rawValue.unpackedBits(bits, count: expected)
      guard case .lookupTableQuantization(let table)? = quantization.quantizationType else {
        return try scaled(integers.map { Float($0) }, bad, field, outputChannels, channelStride)
      }
      let values: [Float] = table.floatValue.array()
      guard values.count >= 1 << bits else {
        throw bad("\(field) have a table of \(values.count) values, expected \(1 << bits).")
      }
      return integers.map { values[Int($0)] }
    }
  }

  private func scaled(
    _ integers: [Float], _ bad: (String) -> ModelFormatError, _ field: String,
    _ outputChannels: Int?, _ channelStride: Int?
  ) throws -> [Float] {
    guard case .linearQuantization(let linear)? = quantization?.quantizationType else {
      throw bad("\(field) are quantised but have neither scales nor a table.")
    }
    let scale: [Float] = linear.scale.array()
    let bias: [Float] = linear.bias.isEmpty ? [0] : linear.bias.array()
    let channels: Int = max(outputChannels ?? max(scale.count, bias.count), 1)
    for (values, role) in [(scale, "scales"), (bias, "biases")] {
      guard values.count == 1 || values.count == channels else {
        throw bad(
          "\(field) have \(grouped(values.count)) quantisation \(role), expected 1 or "
            + "\(grouped(channels)), one per channel.")
      }
    }
    let spread: Int = min(channelStride ?? integers.count / channels, integers.count)
    guard spread > 0, integers.count % channels == 0 else {
      throw bad(
        "\(field) hold \(grouped(integers.count)) values, which do not divide into "
          + "\(grouped(channels)) channels.")
    }
    var result: [Float] = integers
    var channel: Int = 0
    for start in stride(from: 0, to: result.count, by: spread) {
      let factor: Float = scale[scale.count == 1 ? 0 : channel]
      let offset: Float = bias[bias.count == 1 ? 0 : channel]
      for index in start..<min(start + spread, result.count) {
        result[index] = result[index] * factor + offset
      }
      channel = channel + 1 == channels ? 0 : channel + 1
    }
    return result
  }
}

extension ByteValues {
  /// Stores numbers as little-endian float16, rounded to nearest, ties to even.
  public init(float16 values: [Float]) {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(values.count * 2)
    for value in values {
      let bits: UInt16 = Float16(value).bitPattern
      bytes.append(UInt8(truncatingIfNeeded: bits))
      bytes.append(UInt8(truncatingIfNeeded: bits >> 8))
    }
    self.init(bytes)
  }

  /// Reads the bytes as little-endian float16 and converts them to float32. Ignores an odd last byte.
  public func float32FromFloat16() -> [Float] {
    let total: Int = count / 2
    return [Float](unsafeUninitializedCapacity: total) { target, initialized in
      withUnsafeBytes { source in
        for index in 0..<total {
          let half: UInt16 = source.loadUnaligned(fromByteOffset: index * 2, as: UInt16.self)
          target[index] = float32(float16Bits: UInt16(littleEndian: half))
        }
      }
      initialized = total
    }
  }

  /// Unpacks `count` integers of `bits` bits each, where `bits` is 1 to 8. The integers are packed from the highest bit
  /// of each byte down.
  ///
  /// The caller must ensure that the bytes hold `count` integers.
  package func unpackedBits(_ bits: Int, count: Int) -> [UInt8] {
    precondition((1...8).contains(bits) && count <= self.count * 8 / bits)
    if bits == 8 { return array() }
    return [UInt8](unsafeUninitializedCapacity: count) { target, initialized in
      withUnsafeBytes { source in
        let mask = UInt16((1 << bits) - 1)
        var bitPosition: Int = 0
        for index in 0..<count {
          let first: Int = bitPosition / 8
          let high = UInt16(source[first]) << 8
          let low: UInt16 = first + 1 < source.count ? UInt16(source[first + 1]) : 0
          let window: UInt16 = high | low
          target[index] = UInt8(
            truncatingIfNeeded: (window >> (16 - bits - bitPosition % 8)) & mask)
          bitPosition += bits
        }
      }
      initialized = count
    }
  }
}

/// Converts a float16 to float32, exactly. The conversion has no branches, so the compiler can vectorise loops that
/// call it.
@inline(__always)
func float32(float16Bits half: UInt16) -> Float {
  let magnitude = UInt32(half & 0x7FFF)
  let sign = UInt32(half & 0x8000) << 16
  let subnormal: UInt32 = (Float(Int32(magnitude)) * 0x1p-24).bitPattern
  let normal: UInt32 = (magnitude << 13) &+ 0x3800_0000
  let special: UInt32 = (magnitude << 13) | 0x7F80_0000
  let finite: UInt32 = magnitude < 0x0400 ? subnormal : normal
  return Float(bitPattern: sign | (magnitude >= 0x7C00 ? special : finite))
}

/// Formats a number in groups of three digits: `36 864`.
func grouped(_ number: Int) -> String {
  var digits: String = ""
  for (index, digit) in String(number.magnitude).reversed().enumerated() {
    if index > 0, index % 3 == 0 { digits.append(" ") }
    digits.append(digit)
  }
  return (number < 0 ? "-" : "") + String(digits.reversed())
}
