/// A fault at a position in the wire format. The name of the field that contains the fault is not known yet.
enum WireFault: Error {
  /// A value would end at byte `needed`, but its message ends at byte `limit`.
  case beyondEnd(needed: Int, limit: Int, isWholeFile: Bool)
  case endlessNumber(at: Int)
  case wrongKind(found: UInt8, expected: String, at: Int)
  case unknownKind(UInt8, at: Int)
  case zeroField(at: Int)
  case oddLength(length: Int, unit: Int, at: Int)
  case notText(at: Int)
  case tooDeep(at: Int)

  /// The end of the error's sentence. The sentence begins with the name of the field.
  var predicate: String {
    switch self {
    case .beyondEnd(let needed, let limit, true):
      "ends at byte \(needed) but the file has \(limit) bytes. The file may be truncated."
    case .beyondEnd(let needed, let limit, false):
      "ends at byte \(needed) but its message ends at byte \(limit). The file is damaged."
    case .endlessNumber(let position):
      "has a number at byte \(position) that does not end within 10 bytes. The file is damaged."
    case .wrongKind(let found, let expected, let position):
      "is stored as wire type \(found) at byte \(position), expected \(expected). The file is damaged."
    case .unknownKind(let kind, let position):
      "has wire type \(kind) at byte \(position), which Core ML models do not use. The file is damaged."
    case .zeroField(let position):
      "has the number 0 or beyond 536870911 at byte \(position). The file is damaged."
    case .oddLength(let length, let unit, let position):
      "holds \(length) bytes at byte \(position), expected a multiple of \(unit). The file is damaged."
    case .notText(let position):
      "holds text at byte \(position) that is not UTF-8. The file is damaged."
    case .tooDeep(let position):
      "is nested deeper than \(WireReader.maximumDepth) messages at byte \(position)."
    }
  }
}

/// A fault together with the name of the field that contains it.
struct FieldFault: Error {
  /// Whether the fault is too deep a nesting of messages.
  var isDepth: Bool
  /// The error's sentence. It begins with the name of the field.
  var sentence: String

  init<Message: SpecMessage>(_ fault: WireFault, field number: UInt32?, of: Message.Type) {
    if case .tooDeep = fault { isDepth = true } else { isDepth = false }
    let subject: String
    if let number {
      let names: [Substring] = Message.fieldNames.split(separator: " ")
      let index: Int? = names.indices.first { $0 % 2 == 0 && names[$0] == "\(number)" }
      let name: String = index.map { "'\(names[$0 + 1])'" } ?? "\(number)"
      subject = "the field \(name) of \(Message.messageName)"
    } else {
      subject = "a field of \(Message.messageName)"
    }
    sentence = "\(subject) \(fault.predicate)"
  }
}
