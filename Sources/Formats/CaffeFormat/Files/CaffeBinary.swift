import ModelFormat
import Tensors

/// Reads the binary form of Caffe's messages, with the field names and types of ``CaffeSchema``. Weights stay in the
/// mapped file.
enum CaffeBinary {
  /// Reads `bytes` as the message that the schema calls `name`.
  ///
  /// - Throws: ``EngineError`` for bytes that violate the wire format.
  static func message(_ bytes: ByteValues, _ name: String = "Net", depth: Int = 0) throws
    -> CaffeMessage
  {
    do {
      return try fields(bytes, name, depth: depth)
    } catch let error as ModelFormatError {
      throw EngineError(.invalidModel, error.message)
    }
  }

  private static func fields(_ bytes: ByteValues, _ name: String, depth: Int) throws -> CaffeMessage
  {
    guard depth < WireReader.maximumDepth, let fields = CaffeSchema.messages[name] else {
      throw EngineError(.invalidModel, "messages are nested too deeply.")
    }
    var message = CaffeMessage()
    var reader = WireReader(bytes)
    while let (number, value) = try reader.nextField() {
      guard let field = fields[number] else {
        // The schema does not list this field. The message stores the field by its number, so that a layer's reader can
        // refuse it. Unknown fields of the network itself may be settings for training, and are ignored.
        message.append(.word("a value of the binary form"), to: "field \(number)")
        continue
      }
      try append(value, to: field.name, field.kind, of: &message, depth: depth)
    }
    return message
  }

  private static func append(
    _ value: WireReader.Field, to name: String, _ kind: CaffeSchema.Kind,
    of message: inout CaffeMessage, depth: Int
  ) throws {
    func damaged() -> EngineError {
      EngineError(
        .invalidModel, "the field '\(name)' has the wrong wire type. The file is damaged.")
    }
    switch (kind, value) {
    case (.trainingOnly, _): message.append(.word("…"), to: name)
    case (.int, .number(let number)):
      message.append(.word(String(Int64(bitPattern: number))), to: name)
    case (.int, .bytes(let packed)):
      for number in try WireReader.numbers(packed: packed) {
        message.append(.word(String(Int64(bitPattern: number))), to: name)
      }
    case (.bool, .number(let number)):
      message.append(.word(number == 0 ? "false" : "true"), to: name)
    case (.cases(let cases), .number(let number)):
      message.append(.word(cases[Int(truncatingIfNeeded: number)] ?? "\(number)"), to: name)
    case (.float, .four(let bits)): message.append(.word("\(Float(bitPattern: bits))"), to: name)
    case (.float, .bytes(let packed)):
      guard let numbers = FloatValues(bytes: packed) else { throw damaged() }
      for number in numbers { message.append(.word("\(number)"), to: name) }
    case (.text, .bytes(let bytes)):
      guard let text = bytes.withUnsafeBytes({ String(validating: $0, as: UTF8.self) }) else {
        throw EngineError(
          .invalidModel, "the field '\(name)' is not UTF-8. The file is damaged.")
      }
      message.append(.word(text), to: name)
    case (.message(let type), .bytes(let bytes)):
      message.append(.message(try fields(bytes, type, depth: depth + 1)), to: name)
    case (.floats, .bytes(let packed)): message.append(.numbers(packed, of: .float32), to: name)
    case (.doubles, .bytes(let packed)): message.append(.numbers(packed, of: .float64), to: name)
    case (.floats, .four(let bits)): message.append(.word("\(Float(bitPattern: bits))"), to: name)
    default: throw damaged()
    }
  }
}
