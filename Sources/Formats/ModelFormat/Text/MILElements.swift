/// Collects the elements of a tensor. The specification's message has several fields for elements, and the element type
/// determines the field. There is one array here for each of these fields.
struct MILElements {
  private let type: Spec.MILSpec.DataType
  private var floats: [Float] = []
  private var doubles: [Double] = []
  private var ints: [Int32] = []
  private var longInts: [Int64] = []
  private var bools: [Bool] = []
  private var strings: [String] = []
  private var bytes: [UInt8] = []
  private var usedBits = 0

  init(_ type: Spec.MILSpec.DataType) {
    self.type = type
  }

  /// A description of the element type, for errors.
  var elementDescription: String {
    switch type {
    case .string: return "a string"
    case .bool: return "true or false"
    default:
      guard let (bits, isSigned) = type.integerValue else {
        return "a number that fits \(type.textName)"
      }
      return "\(isSigned ? "a signed" : "an unsigned") integer of \(bits) bits"
    }
  }

  /// Adds a string. Returns false if the tensor's elements are not strings.
  mutating func append(_ string: String) -> Bool {
    guard type == .string else { return false }
    strings.append(string)
    return true
  }

  /// Adds the element that a text states: a number, `true` or `false`. Returns false if the text does not fit the
  /// tensor's element type, or if the number is out of the type's range.
  mutating func append(_ text: ArraySlice<UInt8>) -> Bool {
    switch type {
    case .bool:
      guard text.elementsEqual("true".utf8) || text.elementsEqual("false".utf8) else {
        return false
      }
      bools.append(text.count == 4)
    case .string:
      return false
    case .uint64:
      guard let value = MILNumber.integerValue(text, as: UInt64.self) else { return false }
      longInts.append(Int64(bitPattern: value))
    default:
      if let (bits, isSigned) = type.integerValue {
        return append(integer: text, bits: bits, isSigned: isSigned)
      }
      return append(fraction: text)
    }
    return true
  }

  private mutating func append(integer text: ArraySlice<UInt8>, bits: Int, isSigned: Bool) -> Bool {
    guard let value = MILNumber.integerValue(text) else { return false }
    switch type {
    case .int64: longInts.append(value)
    case .int16, .int32, .uint16:
      let range: ClosedRange<Int64> =
        isSigned ? -(1 << (bits - 1))...(1 << (bits - 1)) - 1 : 0...(1 << bits) - 1
      guard range.contains(value), let number = Int32(exactly: value) else { return false }
      ints.append(number)
    default:
      let range: ClosedRange<Int64> =
        isSigned ? -(1 << (bits - 1))...(1 << (bits - 1)) - 1 : 0...(1 << bits) - 1
      guard range.contains(value) else { return false }
      pack(UInt64(bitPattern: value), bits: bits)
    }
    return true
  }

  private mutating func append(fraction text: ArraySlice<UInt8>) -> Bool {
    guard let value = MILNumber.parse(text) else { return false }
    switch type {
    case .float64: doubles.append(value)
    case .float32:
      let number = Float(value)
      guard number.isInfinite == value.isInfinite else { return false }
      floats.append(number)
    case .float16:
      let number = Float16(value)
      guard number.isInfinite == value.isInfinite else { return false }
      pack(UInt64(number.bitPattern), bits: 16)
    case .bfloat16:
      let bits: UInt16 = MILSmallFloat.bfloat16(value)
      guard value.isInfinite || value.isNaN || bits & 0x7F80 != 0x7F80 else { return false }
      pack(UInt64(bits), bits: 16)
    case .float8e4m3fn:
      guard let bits = MILSmallFloat.byte(value, MILSmallFloat.float8e4m3fn) else { return false }
      pack(UInt64(bits), bits: 8)
    case .float8e5m2:
      guard let bits = MILSmallFloat.byte(value, MILSmallFloat.float8e5m2) else { return false }
      pack(UInt64(bits), bits: 8)
    default: return false
    }
    return true
  }

  /// Adds the lowest `bits` bits of a value. Fills each byte from its lowest bit up.
  private mutating func pack(_ value: UInt64, bits: Int) {
    var (rest, left) = (value, bits)
    while left > 0 {
      let usedInByte: Int = usedBits % 8
      if usedInByte == 0 { bytes.append(0) }
      let taken: Int = min(8 - usedInByte, left)
      let part = UInt8(truncatingIfNeeded: rest & (1 << UInt64(taken) - 1))
      bytes[bytes.count - 1] |= part << UInt8(usedInByte)
      rest >>= UInt64(taken)
      left -= taken
      usedBits += taken
    }
  }

  /// The elements as a message.
  var tensor: Spec.MILSpec.TensorValue {
    .making { tensor in
      tensor.value =
        switch type {
        case .bool: .bools(.making { $0.values = bools })
        case .string: .strings(.making { $0.values = strings })
        case .float32: .floats(.making { $0.values = FloatValues(floats) })
        case .float64: .doubles(.making { $0.values = doubles })
        case .int16, .int32, .uint16: .ints(.making { $0.values = ints })
        case .int64, .uint64: .longInts(.making { $0.values = longInts })
        default: .bytes(.making { $0.values = ByteValues(bytes) })
        }
    }
  }
}
