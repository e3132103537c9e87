/// Reads messages field by field, for formats without generated types, such as Caffe's.
extension WireReader {
  /// The value of a field in the wire format.
  package enum Field {
    /// An integer, a boolean or an enumeration case.
    case number(UInt64)
    /// Four bytes: a `float` or a fixed-width integer.
    case four(UInt32)
    /// Eight bytes: a `double` or a fixed-width integer.
    case eight(UInt64)
    /// A string, bytes, a message or packed numbers: a slice of the source.
    case bytes(ByteValues)
  }

  /// Reads the number and the value of the next field. Returns nil at the end of the message.
  ///
  /// - Throws: ``ModelFormatError`` with a sentence that begins with the field's number.
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

  /// Returns the integers of a packed field.
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
