/// Reads the protobuf wire format from a slice of memory, which may hold damaged or hostile bytes.
///
/// The reader passes over the bytes once. It checks each length against the enclosing message before it uses the
/// length. It never allocates memory because of a claimed size alone.
public struct WireReader {
  /// The largest nesting depth of messages. Protobuf's own readers have the same limit.
  public static let maximumDepth = 100

  private let source: ByteValues
  private let bytes: UnsafeRawBufferPointer
  private(set) var position: Int = 0
  private var limit: Int
  private var depth: Int = 0
  private var kind: UInt8 = 0
  private var number: UInt32 = 0
  private var fieldStart: Int = 0

  /// Makes a reader at the start of `source`.
  public init(_ source: ByteValues) {
    self.source = source
    // Safe: this reader holds `source`, so `source` outlives the view. Every access is checked.
    bytes = source.unownedBytes
    limit = source.count
  }

  /// Reads fields up to the end of the enclosing message.
  @_semantics("optimize.sil.specialize.generic.never") @inline(never)
  mutating func decodeFields<Message: SpecMessage>(of message: inout Message) throws {
    while position < limit {
      var current: UInt32?
      do {
        try readKey()
        current = number
        try message.decodeField(number, from: &self)
      } catch let fault as WireFault {
        throw FieldFault(fault, field: current, of: Message.self)
      }
    }
  }

  /// Reads a length, and then a message of that many bytes.
  @_semantics("optimize.sil.specialize.generic.never") @inline(never)
  mutating func decodeNested<Message: SpecMessage>(_ message: inout Message) throws {
    let outer: Int = try enterNested()
    try decodeFields(of: &message)
    leaveNested(outer)
  }

  /// Limits the reader to the current length-delimited field. Returns the limit of the enclosing message.
  mutating func enterNested() throws -> Int {
    let length: Int = try readLength()
    guard depth < WireReader.maximumDepth else { throw WireFault.tooDeep(at: fieldStart) }
    let outer: Int = limit
    limit = position + length
    depth += 1
    return outer
  }

  mutating func leaveNested(_ outer: Int) {
    limit = outer
    depth -= 1
  }

  /// Whether the reader is at the end of the current message.
  var isAtEnd: Bool { position >= limit }

  /// Reads the key of the next field.
  @discardableResult
  mutating func readKey() throws -> UInt32 {
    fieldStart = position
    let key: UInt64 = try readVarint()
    guard key <= UInt64(UInt32.max), key >= 8 else { throw WireFault.zeroField(at: fieldStart) }
    kind = UInt8(key & 7)
    number = UInt32(key >> 3)
    return number
  }

  mutating func readVarint() throws -> UInt64 {
    let start: Int = position
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while position < limit {
      let byte: UInt8 = bytes[position]
      position += 1
      if shift == 63, byte > 1 { throw WireFault.endlessNumber(at: start) }
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return value }
      shift += 7
    }
    throw beyondEnd(position + 1)
  }

  /// Reads a length and checks that the current message has that many more bytes.
  mutating func readLength() throws -> Int {
    guard kind == 2 else { throw wrongKind("a length and bytes") }
    let length: UInt64 = try readVarint()
    guard length <= UInt64(limit - position) else {
      let (end, overflows) = position.addingReportingOverflow(Int(clamping: length))
      throw beyondEnd(overflows ? Int.max : end)
    }
    return Int(length)
  }

  /// Reads a length-delimited field and returns its bytes as a slice of the source.
  mutating func readSlice() throws -> ByteValues {
    let start: Int = position
    let length: Int = try readLength()
    let slice: ByteValues? = source.slice(from: position, count: length)
    try skip(length)
    guard let slice else { throw beyondEnd(start) }
    return slice
  }

  /// Skips the current value. Returns the value's bytes, together with its key.
  mutating func unknownField() throws -> ByteValues {
    let start: Int = fieldStart
    switch kind {
    case 0: _ = try readVarint()
    case 1: try skip(8)
    case 2: _ = try readSlice()
    case 5: try skip(4)
    default: throw WireFault.unknownKind(kind, at: fieldStart)
    }
    return source.slice(from: start, count: position - start) ?? ByteValues()
  }

  mutating func readFixed32() throws -> UInt32 {
    let start: Int = position
    try skip(4)
    return UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt32.self))
  }

  mutating func readFixed64() throws -> UInt64 {
    let start: Int = position
    try skip(8)
    return UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self))
  }

  /// Skips `count` bytes of the current message.
  private mutating func skip(_ count: Int) throws {
    guard count <= limit - position else { throw beyondEnd(position + count) }
    position += count
  }

  /// Returns true if the current field is packed (length-delimited), and false if the field is a single value with the
  /// wire type `single`. Throws for other wire types.
  func isPacked(single: UInt8) throws -> Bool {
    if kind == 2 { return true }
    guard kind == single else { throw wrongKind("numbers") }
    return false
  }

  func requireKind(_ expected: UInt8) throws {
    guard kind == expected else {
      throw wrongKind(expected == 0 ? "a number" : expected == 1 ? "8 bytes" : "4 bytes")
    }
  }

  func oddLength(_ length: Int, unit: Int) -> WireFault {
    .oddLength(length: length, unit: unit, at: fieldStart)
  }

  func notText() -> WireFault { .notText(at: fieldStart) }

  private func wrongKind(_ expected: String) -> WireFault {
    .wrongKind(found: kind, expected: expected, at: fieldStart)
  }

  private func beyondEnd(_ needed: Int) -> WireFault {
    .beyondEnd(needed: needed, limit: limit, isWholeFile: limit == source.count)
  }
}
