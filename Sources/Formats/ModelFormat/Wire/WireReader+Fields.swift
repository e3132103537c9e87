/// Reads each type of field in the specification. The generated messages call these functions.
///
/// The generic functions are compiled once, and not once for each of the 339 message types. Copies for each type would
/// double the time of a release build. The copies would read no faster, because reading spends most of its time on
/// lengths.
extension WireReader {
  package mutating func bool(_ value: inout Bool) throws {
    value = try varint() != 0
  }

  package mutating func int32(_ value: inout Int32) throws {
    value = Int32(truncatingIfNeeded: try varint())
  }

  package mutating func int64(_ value: inout Int64) throws {
    value = Int64(bitPattern: try varint())
  }

  package mutating func uint32(_ value: inout UInt32) throws {
    value = UInt32(truncatingIfNeeded: try varint())
  }

  package mutating func uint64(_ value: inout UInt64) throws {
    value = try varint()
  }

  @_semantics("optimize.sil.specialize.generic.never") @inline(never)
  package mutating func enumeration<Value: SpecEnumeration>(_ value: inout Value) throws {
    value = Value(rawValue: Int32(truncatingIfNeeded: try varint()))
  }

  package mutating func float(_ value: inout Float) throws {
    try requireKind(5)
    value = Float(bitPattern: try readFixed32())
  }

  package mutating func double(_ value: inout Double) throws {
    try requireKind(1)
    value = Double(bitPattern: try readFixed64())
  }

  package mutating func string(_ value: inout String) throws {
    value = try text()
  }

  package mutating func bytes(_ value: inout ByteValues) throws {
    value = try readSlice()
  }

  package mutating func byteStrings(_ values: inout [ByteValues]) throws {
    values.append(try readSlice())
  }

  package mutating func strings(_ values: inout [String]) throws {
    values.append(try text())
  }

  package mutating func bools(_ values: inout [Bool]) throws {
    try varints { values.append($0 != 0) }
  }

  package mutating func int32s(_ values: inout [Int32]) throws {
    try varints { values.append(Int32(truncatingIfNeeded: $0)) }
  }

  package mutating func int64s(_ values: inout [Int64]) throws {
    try varints { values.append(Int64(bitPattern: $0)) }
  }

  package mutating func uint64s(_ values: inout [UInt64]) throws {
    try varints { values.append($0) }
  }

  package mutating func floats(_ values: inout FloatValues) throws {
    if try isPacked(single: 5) {
      let slice: ByteValues = try readSlice()
      guard slice.count % 4 == 0 else { throw oddLength(slice.count, unit: 4) }
      values.append(bytes: slice)
    } else {
      let bits: UInt32 = try readFixed32().littleEndian
      withUnsafeBytes(of: bits) { values.append(bytes: ByteValues(copying: $0)) }
    }
  }

  package mutating func doubles(_ values: inout [Double]) throws {
    if try isPacked(single: 1) {
      let slice: ByteValues = try readSlice()
      guard slice.count % 8 == 0 else { throw oddLength(slice.count, unit: 8) }
      slice.withUnsafeBytes { view in
        for offset in stride(from: 0, to: view.count, by: 8) {
          let bits: UInt64 = view.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
          values.append(Double(bitPattern: UInt64(littleEndian: bits)))
        }
      }
    } else {
      values.append(Double(bitPattern: try readFixed64()))
    }
  }

  /// Reads a singular message. If the field occurs twice, this function merges both messages, as protobuf does.
  @_semantics("optimize.sil.specialize.generic.never") @inline(never)
  package mutating func message<Message: SpecMessage>(_ field: inout Boxed<Message>) throws {
    var message: Message = field.take()
    try decodeNested(&message)
    field.wrappedValue = message
  }

  /// Reads a message field of a oneof and merges it into `message`. The caller has taken `message` out of the oneof's
  /// case.
  @_semantics("optimize.sil.specialize.generic.never") @inline(never)
  package mutating func merge<Message: SpecMessage>(_ message: inout Message) throws {
    try decodeNested(&message)
  }

  @_semantics("optimize.sil.specialize.generic.never") @inline(never)
  package mutating func messages<Message: SpecMessage>(_ values: inout [Message]) throws {
    var message = Message()
    try decodeNested(&message)
    values.append(message)
  }

  @_semantics("optimize.sil.specialize.generic.never") @inline(never)
  mutating func map<Key: MapScalar, Value: MapScalar>(_ values: inout [Key: Value]) throws {
    var key: Key = Key.mapDefault
    var value: Value = Value.mapDefault
    try mapEntry { number, reader in
      switch number {
      case 1: try Key.read(&key, from: &reader)
      case 2: try Value.read(&value, from: &reader)
      default: _ = try reader.unknownField()
      }
    }
    values[key] = value
  }

  @_semantics("optimize.sil.specialize.generic.never") @inline(never)
  mutating func messageMap<Key: MapScalar, Value: SpecMessage>(_ values: inout [Key: Value])
    throws
  {
    var key: Key = Key.mapDefault
    var value = Value()
    try mapEntry { number, reader in
      switch number {
      case 1: try Key.read(&key, from: &reader)
      case 2: try reader.decodeNested(&value)
      default: _ = try reader.unknownField()
      }
    }
    values[key] = value
  }

  package mutating func unknown(_ fields: inout UnknownFields) throws {
    fields.append(try unknownField())
  }

  private mutating func varint() throws -> UInt64 {
    try requireKind(0)
    return try readVarint()
  }

  private mutating func varints(_ append: (UInt64) -> Void) throws {
    guard try isPacked(single: 0) else { return append(try readVarint()) }
    let outer: Int = try enterNested()
    while !isAtEnd { append(try readVarint()) }
    leaveNested(outer)
  }

  private mutating func text() throws -> String {
    let slice: ByteValues = try readSlice()
    let text: String? = slice.withUnsafeBytes { String(validating: $0, as: UTF8.self) }
    guard let text else { throw notText() }
    return text
  }

  private mutating func mapEntry(_ read: (UInt32, inout WireReader) throws -> Void) throws {
    let outer: Int = try enterNested()
    while !isAtEnd {
      let number: UInt32 = try readKey()
      try read(number, &self)
    }
    leaveNested(outer)
  }
}
