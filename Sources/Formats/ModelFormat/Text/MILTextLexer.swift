/// Splits a program's text into words, numbers, strings and punctuation marks. The text may be damaged or hostile.
struct MILTextLexer {
  enum Kind: Equatable {
    case word, number, string, arrow, end
    /// A punctuation character.
    case mark(UInt8)
  }

  /// A fault and its position.
  struct Fault: Error {
    let sentence: String
    let offset: Int
  }

  let bytes: [UInt8]
  /// The kind of the current token.
  private(set) var kind = Kind.end
  /// The range of the current token in the text, in bytes. A string's range includes its quotation marks.
  private(set) var range = 0..<0
  /// Whether the current token is a string with escape sequences.
  private var hasEscapes = false

  /// Makes a lexer that has not read a token yet.
  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// The bytes of the current token.
  var slice: ArraySlice<UInt8> { bytes[range] }

  /// The current token as a string, for words and errors.
  var text: String { String(decoding: slice, as: UTF8.self) }

  /// Returns the number of the line that contains the byte at `offset`. Lines count from 1.
  func line(of offset: Int) -> Int {
    1 + bytes.prefix(offset).count { $0 == UInt8(ascii: "\n") }
  }

  /// Reads the next token.
  mutating func advance() throws {
    var position: Int = range.upperBound
    skipSpace(&position)
    let start: Int = position
    guard position < bytes.count else {
      kind = .end
      range = bytes.count..<bytes.count
      return
    }
    let byte: UInt8 = bytes[position]
    position += 1
    switch byte {
    case UInt8(ascii: "\""):
      try passString(&position, from: start)
      kind = .string
    case UInt8(ascii: "-") where at(position) == UInt8(ascii: ">"):
      position += 1
      kind = .arrow
    case UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      passNumber(&position)
      kind = .number
    case let letter where Self.isLetter(letter):
      while let next = at(position), Self.isLetter(next) || Self.isDigit(next) { position += 1 }
      kind = .word
    default:
      kind = .mark(byte)
    }
    range = start..<position
  }

  private func at(_ position: Int) -> UInt8? { position < bytes.count ? bytes[position] : nil }

  static func isLetter(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "_") || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
      || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
  }

  static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  /// Skips spaces, newlines, and comments from `//` to the end of the line.
  private func skipSpace(_ position: inout Int) {
    while let byte = at(position) {
      if byte == UInt8(ascii: "/"), at(position + 1) == UInt8(ascii: "/") {
        while let next = at(position), next != UInt8(ascii: "\n") { position += 1 }
      } else if byte == UInt8(ascii: " ") || (9...13).contains(byte) {
        position += 1
      } else {
        return
      }
    }
  }

  /// Moves `position` past the rest of a number: digits, letters, points, and signs after the letter of an exponent.
  private func passNumber(_ position: inout Int) {
    let start: Int = position - 1
    var isHexadecimal = false
    while let byte = at(position) {
      let before: UInt8 = bytes[position - 1] | 0x20
      let isSign: Bool = byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
      let isAfterExponent: Bool =
        before == UInt8(ascii: "p") || (before == UInt8(ascii: "e") && !isHexadecimal)
      guard
        Self.isLetter(byte) || Self.isDigit(byte) || byte == UInt8(ascii: ".")
          || (isSign && isAfterExponent && position > start + 1)
      else { return }
      if byte | 0x20 == UInt8(ascii: "x") { isHexadecimal = true }
      position += 1
    }
  }

  private mutating func passString(_ position: inout Int, from start: Int) throws {
    hasEscapes = false
    while let byte = at(position) {
      position += 1
      if byte == UInt8(ascii: "\"") { return }
      if byte == UInt8(ascii: "\\") {
        hasEscapes = true
        position += 1
      }
    }
    throw Fault(sentence: "the string does not end", offset: start)
  }

  /// Returns the value of the current string token, without quotation marks and escapes.
  func stringValue() throws -> String {
    let inner: ArraySlice<UInt8> = slice.dropFirst().dropLast()
    let plain: [UInt8]? = hasEscapes ? Self.unescaped(inner) : Array(inner)
    guard let plain, let value = String(validating: plain, as: UTF8.self) else {
      throw Fault(
        sentence: "the string has an unknown escape, or is not UTF-8",
        offset: range.lowerBound)
    }
    return value
  }

  private static func unescaped(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    var result: [UInt8] = []
    var rest: ArraySlice<UInt8> = text
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\") else {
        result.append(byte)
        continue
      }
      guard let escape = rest.popFirst() else { return nil }
      switch escape {
      case UInt8(ascii: "n"): result.append(10)
      case UInt8(ascii: "t"): result.append(9)
      case UInt8(ascii: "r"): result.append(13)
      case UInt8(ascii: "a"): result.append(7)
      case UInt8(ascii: "b"): result.append(8)
      case UInt8(ascii: "v"): result.append(11)
      case UInt8(ascii: "f"): result.append(12)
      case UInt8(ascii: "\\"), UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "?"),
        UInt8(ascii: "/"):
        result.append(escape)
      case UInt8(ascii: "0")...UInt8(ascii: "7"):
        var code = Int(escape - UInt8(ascii: "0"))
        for _ in 0..<2 {
          guard let digit = rest.first, digit >= UInt8(ascii: "0"), digit <= UInt8(ascii: "7")
          else { break }
          code = code * 8 + Int(digit - UInt8(ascii: "0"))
          rest.removeFirst()
        }
        guard let octet = UInt8(exactly: code) else { return nil }
        result.append(octet)
      case UInt8(ascii: "x"):
        guard let code = hexadecimal(2, &rest) else { return nil }
        result.append(UInt8(truncatingIfNeeded: code))
      case UInt8(ascii: "u"):
        guard let code = hexadecimal(4, &rest), let scalar = Unicode.Scalar(code) else {
          return nil
        }
        result += Array(String(Character(scalar)).utf8)
      default: return nil
      }
    }
    return result
  }

  /// Removes `count` hexadecimal digits from the start of the text and returns their value. Nil if there are fewer
  /// digits.
  private static func hexadecimal(_ count: Int, _ text: inout ArraySlice<UInt8>) -> UInt32? {
    var code: UInt32 = 0
    for _ in 0..<count {
      guard let byte = text.popFirst(), let digit = MILNumber.hexadecimalDigit(byte) else {
        return nil
      }
      code = code << 4 | UInt32(digit)
    }
    return code
  }
}
