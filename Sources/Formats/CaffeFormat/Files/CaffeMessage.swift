import Graph
import ModelFormat
import Tensors

/// A message of Caffe, read from the text or binary form. The message stores the values of each field by the field's
/// name.
struct CaffeMessage {
  /// A value of a field.
  enum Value {
    /// A number, a word or a string, as the text form writes it.
    case word(String)
    case message(CaffeMessage)
    /// Numbers that stay in the file.
    case numbers(ByteValues, of: ElementType)
  }

  private(set) var fields: [String: [Value]] = [:]

  /// Adds a value to a field.
  mutating func append(_ value: Value, to field: String) {
    fields[field, default: []].append(value)
  }

  /// Returns whether a field has a value.
  func has(_ field: String) -> Bool { fields[field] != nil }

  /// Returns the values of a field that are words.
  func words(_ field: String) -> [String] {
    (fields[field] ?? []).compactMap { value in
      if case .word(let word) = value { return word }
      return nil
    }
  }

  /// Returns the last word of a field. Nil if the field has no word. If a field of one value occurs several times, the
  /// last value counts, as in protobuf.
  func word(_ field: String) -> String? { words(field).last }

  /// Returns the values of a field that are messages.
  func messages(_ field: String) -> [CaffeMessage] {
    (fields[field] ?? []).compactMap { value in
      if case .message(let message) = value { return message }
      return nil
    }
  }

  /// The last value of each field, in a form that readers can compare with default values. If a field of one value
  /// occurs several times, the last value counts, as in protobuf.
  var comparable: [String: KnownFields.Value] {
    fields.compactMapValues { values in
      switch values.last {
      case .word(let word)?: Self.comparable(word)
      case .message?: .other("a message")
      case .numbers?: .other("numbers")
      case nil: nil
      }
    }
  }

  private static func comparable(_ word: String) -> KnownFields.Value {
    if let truth = ["true": true, "false": false][word.lowercased()] { return .truth(truth) }
    return Double(word).map { .number($0) } ?? .text(word)
  }

  /// Returns the last message of a field, or an empty message if the field has none.
  func message(_ field: String) -> CaffeMessage { messages(field).last ?? CaffeMessage() }

  /// Returns the values of a field as integers.
  func ints(_ field: String) throws -> [Int] {
    try words(field).map { word in
      guard let number = Int(word) ?? Double(word).flatMap({ Int(exactly: $0) }),
        Int.statedRange.contains(number)
      else {
        throw EngineError(.invalidModel, "'\(field)' is '\(word)', expected an integer.")
      }
      return number
    }
  }

  /// Returns the last integer of a field, or `standard` if the field is missing.
  func int(_ field: String, or standard: Int) throws -> Int { try ints(field).last ?? standard }

  /// Returns the values of a field as numbers.
  func floats(_ field: String) throws -> [Float] {
    try words(field).map { word in
      let text: String =
        word.hasSuffix("f") && !word.hasSuffix("inf") ? String(word.dropLast()) : word
      guard let number = Float(text) else {
        throw EngineError(.invalidModel, "'\(field)' is '\(word)', expected a number.")
      }
      return number
    }
  }

  /// Returns the last number of a field, or `standard` if the field is missing.
  func float(_ field: String, or standard: Float) throws -> Float {
    try floats(field).last ?? standard
  }

  /// Returns a boolean field, or `standard` if the field is missing.
  func bool(_ field: String, or standard: Bool) throws -> Bool {
    guard let word = word(field) else { return standard }
    switch word.lowercased() {
    case "true", "1", "t": return true
    case "false", "0", "f": return false
    default:
      throw EngineError(.invalidModel, "'\(field)' is '\(word)', expected true or false.")
    }
  }
}
