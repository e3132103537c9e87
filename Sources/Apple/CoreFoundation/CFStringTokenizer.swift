import TextBoundaries

/// Divides a string into words, sentences, paragraphs or parts between possible line breaks.
public final class CFStringTokenizer {
  fileprivate struct Token {
    let range: Range<Int>
    let content: TextBoundaries.Content
  }

  fileprivate let units: [UInt16]
  fileprivate let language: String
  /// The tokens, and what is between words.
  fileprivate let tokens: [Token]
  fileprivate let listsOnlyWords: Bool
  fileprivate var current: Int?

  fileprivate init(_ string: String, _ range: CFRange, _ unit: CFOptionFlags, _ locale: Locale?) {
    units = Array(string.utf16)
    language = locale?.language.languageCode?.identifier ?? ""
    listsOnlyWords = unit & 0xF == kCFStringTokenizerUnitWord
    let start: Int = min(max(0, range.location), units.count)
    let end: Int = min(max(start, start + range.length), units.count)
    let part = Array(units[start..<end])
    let found: [(length: Int, content: TextBoundaries.Content)]
    switch unit & 0xF {
    case kCFStringTokenizerUnitSentence:
      found = TextBoundaries.parts(of: part, by: .sentence, locale: "\(language)@ss=standard")
    case kCFStringTokenizerUnitLineBreak:
      found = TextBoundaries.parts(of: part, by: .line, locale: language)
    case kCFStringTokenizerUnitParagraph:
      found = String(decoding: part, as: UTF16.self)
        .split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        .map { ($0.utf16.count + 1, .other) }
    default:
      found = TextBoundaries.parts(of: part, by: .word, locale: language)
    }
    var tokens: [Token] = []
    var position: Int = start
    for (length, content) in found {
      // The last paragraph has no line break.
      let next: Int = min(end, position + length)
      if next > position { tokens.append(Token(range: position..<next, content: content)) }
      position = next
    }
    self.tokens = tokens
  }

  fileprivate func isListed(_ index: Int) -> Bool {
    !listsOnlyWords || tokens[index].content != .other
  }

  fileprivate var currentText: String? {
    current.map { String(decoding: units[tokens[$0].range], as: UTF16.self) }
  }

  fileprivate var type: CFStringTokenizerTokenType {
    guard let current, let text = currentText else { return [] }
    var type: CFStringTokenizerTokenType = .normal
    if text.contains(where: \.isNumber) { type.insert(.hasHasNumbersMask) }
    if tokens[current].content != .letters { type.insert(.hasNonLettersMask) }
    if text.unicodeScalars.contains(where: \.properties.isIdeographic) {
      type.insert(.isCJWordMask)
    }
    return type
  }
}

/// What a token is. Empty if there is none.
public struct CFStringTokenizerTokenType: OptionSet, Sendable {
  /// The bits.
  public let rawValue: CFOptionFlags

  /// Makes a type from its bits.
  public init(rawValue: CFOptionFlags) { self.rawValue = rawValue }

  /// A token.
  public static let normal = CFStringTokenizerTokenType(rawValue: 1)
  /// A token with digits.
  public static let hasHasNumbersMask = CFStringTokenizerTokenType(rawValue: 1 << 3)
  /// A token with other characters than letters.
  public static let hasNonLettersMask = CFStringTokenizerTokenType(rawValue: 1 << 4)
  /// A token with ideographs.
  public static let isCJWordMask = CFStringTokenizerTokenType(rawValue: 1 << 5)
}

/// Words, without the white space and the punctuation between them.
public let kCFStringTokenizerUnitWord: CFOptionFlags = 0
/// Sentences, with the white space after each.
public let kCFStringTokenizerUnitSentence: CFOptionFlags = 1
/// Paragraphs, with their line breaks.
public let kCFStringTokenizerUnitParagraph: CFOptionFlags = 2
/// Parts before and after which a line may break.
public let kCFStringTokenizerUnitLineBreak: CFOptionFlags = 3
/// Words, and what is between them.
public let kCFStringTokenizerUnitWordBoundary: CFOptionFlags = 4
/// The attribute with a token in Latin letters.
public let kCFStringTokenizerAttributeLatinTranscription: CFOptionFlags = 1 << 16

/// Makes a tokenizer of a part of a string. Its current token is none: call `CFStringTokenizerAdvanceToNextToken`.
///
/// - Parameter allocator: Has no effect.
public func CFStringTokenizerCreate(
  _ allocator: CFAllocator?, _ string: CFString?, _ range: CFRange, _ options: CFOptionFlags,
  _ locale: CFLocale?
) -> CFStringTokenizer! {
  CFStringTokenizer(string ?? "", range, options, locale)
}

/// Goes to the next token.
///
/// - Returns: The token's type; empty after the last token.
@discardableResult
public func CFStringTokenizerAdvanceToNextToken(
  _ tokenizer: CFStringTokenizer?
) -> CFStringTokenizerTokenType {
  guard let tokenizer else { return [] }
  let first: Int = tokenizer.current.map { $0 + 1 } ?? 0
  guard let next = (first..<max(first, tokenizer.tokens.count)).first(where: tokenizer.isListed)
  else { return [] }
  tokenizer.current = next
  return tokenizer.type
}

/// Goes to the token that contains a position in UTF-16 units.
///
/// - Returns: The token's type; empty if no token contains the position.
@discardableResult
public func CFStringTokenizerGoToTokenAtIndex(
  _ tokenizer: CFStringTokenizer?, _ index: CFIndex
) -> CFStringTokenizerTokenType {
  guard let tokenizer,
    let found = tokenizer.tokens.firstIndex(where: { $0.range.contains(index) }),
    tokenizer.isListed(found)
  else { return [] }
  tokenizer.current = found
  return tokenizer.type
}

/// Returns the range of the current token in UTF-16 units; −1 and 0 if there is none.
public func CFStringTokenizerGetCurrentTokenRange(_ tokenizer: CFStringTokenizer?) -> CFRange {
  guard let tokenizer, let current = tokenizer.current else {
    return CFRange(location: -1, length: 0)
  }
  let range: Range<Int> = tokenizer.tokens[current].range
  return CFRange(location: range.lowerBound, length: range.count)
}

/// Returns an attribute of the current token: a `String` with the token in Latin letters, by ICU's transliteration.
///
/// The result is nil for other attributes and for Japanese words with kanji, because ICU does not know their readings.
public func CFStringTokenizerCopyCurrentTokenAttribute(
  _ tokenizer: CFStringTokenizer?, _ attribute: CFOptionFlags
) -> CFTypeRef? {
  guard attribute == kCFStringTokenizerAttributeLatinTranscription, let tokenizer,
    let text = tokenizer.currentText
  else { return nil }
  if tokenizer.language == "ja", tokenizer.type.contains(.isCJWordMask) { return nil }
  return text.applyingTransform(.toLatin, reverse: false).map { $0 as AnyObject }
}

/// Returns the number of UTF-16 units of a string.
public func CFStringGetLength(_ string: CFString) -> CFIndex { string.utf16.count }
