import Graph
import ModelFormat
import Tensors

/// A message of Caffe's, read from text or from the binary form: values by the names of their fields.
struct CaffeMessage {
  /// A value of a field.
  enum Value {
    /// A number, a word or text, as the text form writes it.
    case word(String)
    case message(CaffeMessage)
    /// Numbers that stay where the file keeps them.
    case numbers(ByteValues, of: ElementType)
  }

  private(set) var fields: [String: [Value]] = [:]

  /// Adds a value of a field.
  mutating func append(_ value: Value, to field: String) {
    fields[field, default: []].append(value)
  }

  /// Whether a field has a value.
  func has(_ field: String) -> Bool { fields[field] != nil }

  /// The words of a field.
  func words(_ field: String) -> [String] {
    (fields[field] ?? []).compactMap { value in
      if case .word(let word) = value { return word }
      return nil
    }
  }

  /// The last word of a field, as protobuf has it; nil where there is none.
  func word(_ field: String) -> String? { words(field).last }

  /// The messages of a field.
  func messages(_ field: String) -> [CaffeMessage] {
    (fields[field] ?? []).compactMap { value in
      if case .message(let message) = value { return message }
      return nil
    }
  }

  /// The values of all fields, as far as they can be compared with defaults: the last of each, as protobuf has it.
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

  /// The last message of a field; an empty one where there is none.
  func message(_ field: String) -> CaffeMessage { messages(field).last ?? CaffeMessage() }

  /// The whole numbers of a field.
  func ints(_ field: String) throws -> [Int] {
    try words(field).map { word in
      guard let number = Int(word) ?? Double(word).flatMap({ Int(exactly: $0) }),
        Int.statedRange.contains(number)
      else {
        throw EngineError(.invalidModel, "'\(field)' is '\(word)', expected a whole number.")
      }
      return number
    }
  }

  /// A whole number; another one where the field is missing.
  func int(_ field: String, or standard: Int) throws -> Int { try ints(field).last ?? standard }

  /// The numbers of a field.
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

  /// A number; another one where the field is missing.
  func float(_ field: String, or standard: Float) throws -> Float {
    try floats(field).last ?? standard
  }

  /// A truth value; another one where the field is missing.
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
