import Tensors

/// Reads the text form of protobuf: `name: value` and `name { … }`.
///
/// **Source:** the text format specification of Protocol Buffers.
struct CaffeText {
  private let bytes: [UInt8]
  private var position = 0
  private var line = 1
  /// The largest nesting depth of messages, as in the binary form.
  private static let maximumDepth = 100

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Reads a whole text as one message.
  ///
  /// - Throws: ``EngineError`` that names the line.
  static func message(_ bytes: [UInt8]) throws -> CaffeMessage {
    guard String(validating: bytes, as: UTF8.self) != nil else {
      throw EngineError(.invalidModel, "the text is not UTF-8.")
    }
    var reader = CaffeText(bytes)
    return try reader.fields(until: nil, depth: 0)
  }

  private mutating func fields(until end: UInt8?, depth: Int) throws -> CaffeMessage {
    guard depth < Self.maximumDepth else {
      throw fault("messages are nested deeper than \(Self.maximumDepth)")
    }
    var message = CaffeMessage()
    while true {
      skipSpace()
      guard let next = peek else {
        guard end == nil else { throw fault("the text ends within a message; it may be truncated") }
        return message
      }
      if next == end {
        position += 1
        return message
      }
      let name: String = try word("a field's name")
      skipSpace()
      let hasColon: Bool = take(":")
      skipSpace()
      if take("{") {
        message.append(.message(try fields(until: UInt8(ascii: "}"), depth: depth + 1)), to: name)
      } else if take("<") {
        message.append(.message(try fields(until: UInt8(ascii: ">"), depth: depth + 1)), to: name)
      } else if !hasColon {
        throw fault("after '\(name)' a colon or a brace is missing")
      } else if take("[") {
        try list(of: name, into: &message, depth: depth)
      } else {
        message.append(.word(try value()), to: name)
      }
      skipSpace()
      if !take(",") { _ = take(";") }
    }
  }

  private mutating func list(of name: String, into message: inout CaffeMessage, depth: Int) throws {
    skipSpace()
    while !take("]") {
      if take("{") {
        message.append(.message(try fields(until: UInt8(ascii: "}"), depth: depth + 1)), to: name)
      } else {
        message.append(.word(try value()), to: name)
      }
      skipSpace()
      _ = take(",")
      skipSpace()
    }
  }

  /// Reads a number, a word, or a string in quotation marks. Joins adjacent strings.
  private mutating func value() throws -> String {
    guard let quote = peek, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
      return try word("a value")
    }
    var text: [UInt8] = []
    while let next = peek, next == quote {
      position += 1
      while let byte = peek, byte != quote {
        guard byte != UInt8(ascii: "\n") else { throw fault("a string does not end on its line") }
        position += 1
        text.append(byte == UInt8(ascii: "\\") ? try escaped() : byte)
      }
      guard take(Character(UnicodeScalar(quote))) else { throw fault("a string does not end") }
      skipSpace()
    }
    return String(decoding: text, as: UTF8.self)
  }

  private mutating func escaped() throws -> UInt8 {
    guard let byte = peek else { throw fault("a string does not end") }
    position += 1
    switch byte {
    case UInt8(ascii: "n"): return 10
    case UInt8(ascii: "t"): return 9
    case UInt8(ascii: "r"): return 13
    default: return byte
    }
  }

  private mutating func word(_ what: String) throws -> String {
    let start: Int = position
    while let byte = peek, Self.isWord(byte) { position += 1 }
    guard position > start else {
      throw fault(
        "\(what) is expected, found '\(peek.map { String(UnicodeScalar($0)) } ?? "the end")'")
    }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."),
      UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "/"):
      true
    default: byte >= 0x80
    }
  }

  private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func take(_ character: Character) -> Bool {
    guard let byte = peek, byte == character.asciiValue else { return false }
    position += 1
    return true
  }

  private mutating func skipSpace() {
    while let byte = peek {
      switch byte {
      case UInt8(ascii: "\n"):
        line += 1
        position += 1
      case 9, 11, 12, 13, 32: position += 1
      case UInt8(ascii: "#"):
        while let next = peek, next != UInt8(ascii: "\n") { position += 1 }
      default: return
      }
    }
  }

  private func fault(_ what: String) -> EngineError {
    EngineError(.invalidModel, "line \(line): \(what).")
  }
}
