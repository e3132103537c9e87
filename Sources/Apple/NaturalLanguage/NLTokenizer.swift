// Apple's NaturalLanguage exports Foundation.
@_exported import CoreFoundation
import Foundation

/// Divides a text into words, sentences or paragraphs by Unicode's rules (UAX #29).
///
/// Words are letters and numbers; punctuation, symbols and white space between them are no tokens.
public final class NLTokenizer: NSObject {
  /// What a token is.
  public struct Attributes: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt

    /// Makes attributes from their bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The token contains digits.
    public static let numeric = Attributes(rawValue: 1)
    /// The token contains symbols.
    public static let symbolic = Attributes(rawValue: 2)
    /// The token contains emoji.
    public static let emoji = Attributes(rawValue: 4)
  }

  /// What the tokens are.
  public let unit: NLTokenUnit

  /// The text.
  public var string: String? { didSet { found = nil } }

  private var language: NLLanguage? { didSet { found = nil } }
  private var found: TextSegments?

  /// Makes a tokenizer for a unit.
  public init(unit: NLTokenUnit) { self.unit = unit }

  /// Sets the language of the text.
  public func setLanguage(_ language: NLLanguage) { self.language = language }

  private var segments: TextSegments {
    if let found { return found }
    let new = TextSegments(string ?? "", unit: unit, language: language)
    found = new
    return new
  }

  /// The range of the token at a position. The range is empty if there is none.
  public func tokenRange(at position: String.Index) -> Range<String.Index> {
    segments.range(at: position)
  }

  /// The range from the first to the last token that have a part in a range.
  public func tokenRange(for range: Range<String.Index>) -> Range<String.Index> {
    segments.range(around: range)
  }

  /// Calls a closure for each token that has a part in a range, until the closure returns false.
  public func enumerateTokens(
    in range: Range<String.Index>, using block: (Range<String.Index>, Attributes) -> Bool
  ) {
    let text: String = string ?? ""
    for segment in segments.segments(in: range) where segment.kind.isToken {
      guard block(segment.range, Self.attributes(of: text[segment.range])) else { return }
    }
  }

  /// The ranges of the tokens that have a part in a range.
  public func tokens(for range: Range<String.Index>) -> [Range<String.Index>] {
    segments.segments(in: range).filter(\.kind.isToken).map(\.range)
  }

  private static func attributes(of token: Substring) -> Attributes {
    var attributes: Attributes = []
    for scalar in token.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .decimalNumber, .letterNumber, .otherNumber: attributes.insert(.numeric)
      case .mathSymbol, .currencySymbol, .modifierSymbol, .otherSymbol:
        attributes.insert(scalar.properties.isEmoji ? .emoji : .symbolic)
      default: break
      }
    }
    return attributes
  }
}
