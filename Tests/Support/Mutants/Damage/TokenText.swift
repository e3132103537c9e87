import Tensors

/// A text of JSON, prototxt or MIL as tokens: words, numbers, strings and punctuation. A damaged text stays
/// syntactically plausible, so that the reader continues to its semantic checks.
struct TokenText {
  enum Kind: Equatable {
    case word, number, string, mark
  }

  struct Token {
    let kind: Kind
    /// The whitespace before the token.
    var space: ArraySlice<UInt8>
    var text: [UInt8]
  }

  var tokens: [Token] = []
  private let tail: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) {
    var position = 0
    func isLetter(_ byte: UInt8) -> Bool {
      byte == 95 || (65...90).contains(byte) || (97...122).contains(byte)
    }
    func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }
    var start = 0
    while true {
      start = position
      while position < bytes.count, bytes[position] <= 32 { position += 1 }
      guard position < bytes.count else { break }
      let space: ArraySlice<UInt8> = bytes[start..<position]
      let first: Int = position
      let byte: UInt8 = bytes[position]
      position += 1
      let kind: Kind
      if byte == 34 {
        kind = .string
        while position < bytes.count, bytes[position] != 34 {
          position += bytes[position] == 92 ? 2 : 1
        }
        position = min(position + 1, bytes.count)
      } else if isLetter(byte) {
        kind = .word
        while position < bytes.count, isLetter(bytes[position]) || isDigit(bytes[position]) {
          position += 1
        }
      } else if isDigit(byte) || byte == 45 {
        kind = .number
        while position < bytes.count,
          isLetter(bytes[position]) || isDigit(bytes[position]) || bytes[position] == 46
            || ((bytes[position] == 43 || bytes[position] == 45)
              && [69, 80, 101, 112].contains(bytes[position - 1]))
        {
          position += 1
        }
      } else {
        kind = .mark
      }
      tokens.append(Token(kind: kind, space: space, text: Array(bytes[first..<position])))
    }
    tail = bytes[start...]
  }

  var bytes: [UInt8] {
    var result: [UInt8] = []
    for token in tokens {
      result += token.space
      result += token.text
    }
    return result + tail
  }

  /// Numbers that are likely to break a reader.
  static let numbers: [String] = [
    "0", "1", "2", "3", "5", "7", "-1", "-2", "16", "255", "1000", "65536", "1048576", "2147483647",
    "2147483648", "-2147483648", "4294967296", "1099511627776", "4611686018427387904",
    "9223372036854775807", "-9223372036854775808", "18446744073709551615", "99999999999999999999",
    "0.5", "-0.5", "1e-30", "1e30", "-1e30", "1e400", "3.7",
  ]

  /// Applies one change. It replaces a number, a word or a string, or it changes a part of a list.
  ///
  /// - Parameter words: additional replacements for words and strings.
  mutating func damage(words: [String], using generator: inout SplitMix64) {
    guard !tokens.isEmpty else { return }
    let choice = Int.random(in: 0..<10, using: &generator)
    let kind: Kind = choice < 5 ? .number : choice < 6 ? .word : choice < 8 ? .string : .mark
    let positions: [Int] = tokens.indices.filter { tokens[$0].kind == kind }
    guard let position = positions.randomElement(using: &generator) else { return }
    switch kind {
    case .number: tokens[position].text = number(for: position, using: &generator)
    case .word, .string:
      let isString: Bool = kind == .string
      if let other = words.randomElement(using: &generator),
        Int.random(in: 0..<3, using: &generator) == 0
      {
        tokens[position].text = Array((isString ? "\"\(other)\"" : other).utf8)
      } else if let other = positions.randomElement(using: &generator) {
        tokens[position].text = tokens[other].text
      }
    case .mark: changeList(around: position, using: &generator)
    }
  }

  private func number(for position: Int, using generator: inout SplitMix64) -> [UInt8] {
    let text = String(decoding: tokens[position].text, as: UTF8.self)
    if let value = Int(text), Bool.random(using: &generator) {
      let near: [Int] = [value &+ 1, value &- 1, value &* 2, 0 &- value, value &* 1000]
      return Array("\(near.randomElement(using: &generator) ?? 0)".utf8)
    }
    if text.hasPrefix("0x") || text.hasPrefix("-0x") {
      let reals = ["0x0p+0", "0x1p+0", "-0x1p+0", "0x1p+100", "0x1p-140", "0x1p+31", "0x1.8p+1"]
      return Array((reals.randomElement(using: &generator) ?? "0x0p+0").utf8)
    }
    return Array((Self.numbers.randomElement(using: &generator) ?? "0").utf8)
  }

  /// Duplicates a part of a list, removes the part, or replaces the part by another token. The part begins after a
  /// punctuation token and ends at the next comma, semicolon or closing bracket.
  private mutating func changeList(around position: Int, using generator: inout SplitMix64) {
    // The part begins at the token after the punctuation, and ends before the comma or bracket.
    let start: Int = position + 1
    var (end, depth) = (start, 0)
    let (openers, closers): ([UInt8], [UInt8]) = ([40, 91, 123, 60], [41, 93, 125, 62])
    while end < tokens.count, end < start + 400 {
      if tokens[end].kind == .mark, let mark = tokens[end].text.first {
        if openers.contains(mark) { depth += 1 }
        if closers.contains(mark) { depth -= 1 }
        if depth < 0 || (depth == 0 && (mark == 44 || mark == 59)) { break }
      }
      end += 1
    }
    guard end > start, end < tokens.count else { return }
    let part: [Token] = Array(tokens[start..<end])
    switch Int.random(in: 0..<3, using: &generator) {
    case 0:
      // Also removes the comma after the part, so that the remaining list is well formed.
      let hasComma: Bool = tokens[end].text == [44]
      tokens.removeSubrange(start..<(hasComma ? end + 1 : end))
    case 1:
      let comma = Token(kind: .mark, space: [], text: tokens[end].text == [59] ? [59] : [44])
      tokens.insert(contentsOf: part + [comma], at: start)
    default:
      let others: [Int] = tokens.indices.filter { tokens[$0].kind != .mark }
      if let other = others.randomElement(using: &generator) {
        tokens.replaceSubrange(start..<end, with: [tokens[other]])
      }
    }
  }

  /// Applies one to three changes to a text.
  static func damaged(_ bytes: [UInt8], words: [String] = [], using generator: inout SplitMix64)
    -> [UInt8]
  {
    var text = TokenText(bytes)
    for _ in 0..<Int.random(in: 1...3, using: &generator) {
      text.damage(words: words, using: &generator)
    }
    return text.bytes
  }
}

/// Changes a few bytes at arbitrary positions.
enum ByteDamage {
  static func damaged(_ bytes: [UInt8], using generator: inout SplitMix64) -> [UInt8] {
    var result: [UInt8] = bytes
    for _ in 0..<Int.random(in: 1...3, using: &generator) where !result.isEmpty {
      let position = Int.random(in: 0..<result.count, using: &generator)
      switch Int.random(in: 0..<6, using: &generator) {
      case 0: result.removeSubrange(position...)
      case 1: result[position] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      case 2: result[position] = [0, 1, 0x7F, 0x80, 0xFF].randomElement(using: &generator) ?? 0
      case 3: result[position] = UInt8.random(in: 0...255, using: &generator)
      default:
        let end: Int = min(position + 8, result.count)
        let value: UInt8 = Bool.random(using: &generator) ? 0xFF : 0
        result.replaceSubrange(position..<end, with: repeatElement(value, count: end - position))
      }
    }
    return result
  }

  /// Returns a number as `width` little-endian bytes.
  static func little(_ value: UInt64, _ width: Int) -> [UInt8] {
    (0..<width).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
  }

  /// Returns a number to replace `value` with: a small number, a number close to a bound of an integer type, or a
  /// number computed from `value`.
  static func other(than value: UInt64, _ width: Int, using generator: inout SplitMix64) -> UInt64 {
    let top: UInt64 = width >= 8 ? 1 << 63 : 1 << UInt64(8 * width - 1)
    let others: [UInt64] = [
      0, 1, 2, 3, 4, 7, value &+ 1, value &- 1, value &* 2, value &* 1000, 0 &- value, 16, 100, 255,
      65_536, 1 << 20, 1 << 24, 1 << 30, top, top &- 1, top &+ 1, .max, .max - 1, .max - 2, 1 << 40,
      1 << 62,
    ]
    return others.randomElement(using: &generator) ?? 0
  }

  /// Returns a floating-point number at the limits of its type, as a bit pattern.
  static func real(using generator: inout SplitMix64) -> UInt32 {
    let reals: [Float] = [
      0, -0.0, 1, -1, 0.5, 2, 3.7, 1e-30, .leastNonzeroMagnitude, 1e30, -1e30, .nan, .infinity,
      -.infinity,
      2_147_483_648, 1e10,
    ]
    return (reals.randomElement(using: &generator) ?? 0).bitPattern
  }
}
