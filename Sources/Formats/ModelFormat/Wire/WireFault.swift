/// What is wrong at one place of the wire format, before the field is known.
enum WireFault: Error {
  /// A value ends at `needed`, its message at `limit`.
  case beyondEnd(needed: Int, limit: Int, isWholeFile: Bool)
  case endlessNumber(at: Int)
  case wrongKind(found: UInt8, expected: String, at: Int)
  case unknownKind(UInt8, at: Int)
  case zeroField(at: Int)
  case oddLength(length: Int, unit: Int, at: Int)
  case notText(at: Int)
  case tooDeep(at: Int)

  /// The rest of the sentence that begins with the field.
  var predicate: String {
    switch self {
    case .beyondEnd(let needed, let limit, true):
      "ends at byte \(needed) but the file has \(limit) bytes. The file may be truncated."
    case .beyondEnd(let needed, let limit, false):
      "ends at byte \(needed) but its message ends at byte \(limit). The file is damaged."
    case .endlessNumber(let place):
      "has a number at byte \(place) that does not end within 10 bytes. The file is damaged."
    case .wrongKind(let found, let expected, let place):
      "is stored as wire type \(found) at byte \(place), expected \(expected). The file is damaged."
    case .unknownKind(let kind, let place):
      "has wire type \(kind) at byte \(place), which Core ML models do not use. The file is damaged."
    case .zeroField(let place):
      "has the number 0 or beyond 536870911 at byte \(place). The file is damaged."
    case .oddLength(let length, let unit, let place):
      "holds \(length) bytes at byte \(place), expected a multiple of \(unit). The file is damaged."
    case .notText(let place):
      "holds text at byte \(place) that is not UTF-8. The file is damaged."
    case .tooDeep(let place):
      "is nested deeper than \(WireReader.maximumDepth) messages at byte \(place)."
    }
  }
}

/// A fault together with the field that it was found in.
struct FieldFault: Error {
  var isDepth: Bool
  var sentence: String

  init<Message: SpecMessage>(_ fault: WireFault, field number: UInt32?, of: Message.Type) {
    if case .tooDeep = fault { isDepth = true } else { isDepth = false }
    let subject: String
    if let number {
      let words: [Substring] = Message.fieldNames.split(separator: " ")
      let index: Int? = words.indices.first { $0 % 2 == 0 && words[$0] == "\(number)" }
      let name: String = index.map { "'\(words[$0 + 1])'" } ?? "\(number)"
      subject = "the field \(name) of \(Message.messageName)"
    } else {
      subject = "a field of \(Message.messageName)"
    }
    sentence = "\(subject) \(fault.predicate)"
  }
}
