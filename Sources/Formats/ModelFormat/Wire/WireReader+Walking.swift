/// Walks over messages of other formats, whose fields no generated type describes.
extension WireReader {
  /// The value of a field as the wire has it.
  package enum Field {
    /// A whole number, a truth value or a case of an enumeration.
    case number(UInt64)
    /// Four bytes: a `float` or a fixed number.
    case four(UInt32)
    /// Eight bytes: a `double` or a fixed number.
    case eight(UInt64)
    /// Text, bytes, a message or packed numbers: a slice of the source.
    case bytes(ByteValues)
  }

  /// The number and the value of the next field; nil at the end.
  ///
  /// - Throws: ``ModelFormatError``, a sentence that begins with the field.
  package mutating func nextField() throws -> (number: UInt32, value: Field)? {
    guard !isAtEnd else { return nil }
    var number: UInt32?
    do {
      let key: UInt32 = try readKey()
      number = key
      if (try? requireKind(2)) != nil { return (key, .bytes(try readSlice())) }
      if (try? requireKind(0)) != nil { return (key, .number(try readVarint())) }
      if (try? requireKind(5)) != nil { return (key, .four(try readFixed32())) }
      if (try? requireKind(1)) != nil { return (key, .eight(try readFixed64())) }
      _ = try unknownField()
      return nil
    } catch let fault as WireFault {
      let subject: String = number.map { "the field \($0)" } ?? "a field"
      throw ModelFormatError(code: .damaged, message: "\(subject) \(fault.predicate)")
    }
  }

  /// The whole numbers of a packed field.
  package static func numbers(packed bytes: ByteValues) throws -> [UInt64] {
    var reader = WireReader(bytes)
    var numbers: [UInt64] = []
    do {
      while !reader.isAtEnd { numbers.append(try reader.readVarint()) }
    } catch let fault as WireFault {
      throw ModelFormatError(code: .damaged, message: "a list of numbers \(fault.predicate)")
    }
    return numbers
  }
}
