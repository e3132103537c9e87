/// Writes each type of field in the specification. The generated messages call these functions.
///
/// If `always` is false, the functions omit a field that has its default value. In a oneof or a map, `always` is true.
extension WireWriter {
  package mutating func bool(_ number: UInt32, _ value: Bool, always: Bool = false) {
    uint64(number, value ? 1 : 0, always: always)
  }

  package mutating func int32(_ number: UInt32, _ value: Int32, always: Bool = false) {
    uint64(number, UInt64(bitPattern: Int64(value)), always: always)
  }

  package mutating func int64(_ number: UInt32, _ value: Int64, always: Bool = false) {
    uint64(number, UInt64(bitPattern: value), always: always)
  }

  package mutating func uint32(_ number: UInt32, _ value: UInt32, always: Bool = false) {
    uint64(number, UInt64(value), always: always)
  }

  package mutating func uint64(_ number: UInt32, _ value: UInt64, always: Bool = false) {
    guard always || value != 0 else { return }
    key(number, 0)
    varint(value)
  }

  @_semantics("optimize.sil.specialize.generic.never") @inline(never)
  package mutating func enumeration<Value: SpecEnumeration>(
    _ number: UInt32, _ value: Value, always: Bool = false
  ) {
    int32(number, value.rawValue, always: always)
  }

  package mutating func float(_ number: UInt32, _ value: Float, always: Bool = false) {
    guard always || value.bitPattern != 0 else { return }
    key(number, 5)
    withUnsafeBytes(of: value.bitPattern.littleEndian) { raw($0) }
  }

  package mutating func double(_ number: UInt32, _ value: Double, always: Bool = false) {
    guard always || value.bitPattern != 0 else { return }
    key(number, 1)
    withUnsafeBytes(of: value.bitPattern.littleEndian) { raw($0) }
  }

  package mutating func string(_ number: UInt32, _ value: String, always: Bool = false) {
    guard always || !value.isEmpty else { return }
    key(number, 2)
    var value: String = value
    value.withUTF8 { text in
      varint(UInt64(text.count))
      raw(UnsafeRawBufferPointer(text))
    }
  }

  package mutating func bytes(_ number: UInt32, _ value: ByteValues, always: Bool = false) {
    guard always || !value.isEmpty else { return }
    key(number, 2)
    varint(UInt64(value.count))
    value.withUnsafeBytes { raw($0) }
  }

  package mutating func byteStrings(_ number: UInt32, _ values: [ByteValues]) {
    for value in values { bytes(number, value, always: true) }
  }

  package mutating func strings(_ number: UInt32, _ values: [String]) {
    for value in values { string(number, value, always: true) }
  }

  package mutating func bools(_ number: UInt32, _ values: [Bool]) {
    packed(number, values) { $0 ? 1 : 0 }
  }

  package mutating func int32s(_ number: UInt32, _ values: [Int32]) {
    packed(number, values) { UInt64(bitPattern: Int64($0)) }
  }

  package mutating func int64s(_ number: UInt32, _ values: [Int64]) {
    packed(number, values) { UInt64(bitPattern: $0) }
  }

  package mutating func uint64s(_ number: UInt32, _ values: [UInt64]) {
    packed(number, values) { $0 }
  }

  package mutating func floats(_ number: UInt32, _ values: FloatValues) {
    bytes(number, values.bytes)
  }

  package mutating func doubles(_ number: UInt32, _ values: [Double]) {
    guard !values.isEmpty else { return }
    key(number, 2)
    varint(UInt64(values.count) * 8)
    values.withUnsafeBytes { raw($0) }
  }

  @_semantics("optimize.sil.specialize.generic.never") @inline(never)
  package mutating func message<Message: SpecMessage>(_ number: UInt32, _ value: Message?) {
    guard let value else { return }
    key(number, 2)
    nested { value.encode(into: &$0) }
  }

  @_semantics("optimize.sil.specialize.generic.never") @inline(never)
  package mutating func messages<Message: SpecMessage>(_ number: UInt32, _ values: [Message]) {
    for value in values { message(number, value) }
  }

  @_semantics("optimize.sil.specialize.generic.never") @inline(never)
  mutating func map<Key: MapScalar, Value: MapScalar>(_ number: UInt32, _ values: [Key: Value]) {
    for (entryKey, value) in values.sorted(by: { Key.precedes($0.key, $1.key) }) {
      key(number, 2)
      nested { writer in
        entryKey.write(1, into: &writer)
        value.write(2, into: &writer)
      }
    }
  }

  @_semantics("optimize.sil.specialize.generic.never") @inline(never)
  mutating func messageMap<Key: MapScalar, Value: SpecMessage>(
    _ number: UInt32, _ values: [Key: Value]
  ) {
    for (entryKey, value) in values.sorted(by: { Key.precedes($0.key, $1.key) }) {
      key(number, 2)
      nested { writer in
        entryKey.write(1, into: &writer)
        writer.message(2, value)
      }
    }
  }

  package mutating func unknown(_ fields: UnknownFields) {
    fields.bytes.withUnsafeBytes { raw($0) }
  }

  private mutating func packed<Value>(
    _ number: UInt32, _ values: [Value], _ bits: (Value) -> UInt64
  ) {
    guard !values.isEmpty else { return }
    key(number, 2)
    nested { writer in
      for value in values { writer.varint(bits(value)) }
    }
  }
}
