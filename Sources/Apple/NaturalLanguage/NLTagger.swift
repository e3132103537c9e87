import Foundation

/// Determines the types, languages and scripts of the parts of a text.
///
/// The schemes `tokenType`, `language` and `script` work. The tags of other schemes are nil, as on Apple's systems for
/// languages without a model; ``availableTagSchemes(for:language:)`` does not list these schemes.
public final class NLTagger: NSObject {
  /// Which tokens a tagger leaves out.
  public struct Options: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt

    /// Makes options from their bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Leaves out words and numbers.
    public static let omitWords = Options(rawValue: 1)
    /// Leaves out punctuation.
    public static let omitPunctuation = Options(rawValue: 2)
    /// Leaves out white space.
    public static let omitWhitespace = Options(rawValue: 4)
    /// Leaves out symbols and emoji.
    public static let omitOther = Options(rawValue: 8)
    /// Joins the words of a name: has no effect, because names are not found.
    public static let joinNames = Options(rawValue: 16)
    /// Joins contractions: has no effect, because contractions are one word.
    public static let joinContractions = Options(rawValue: 32)
  }

  /// The schemes with which the tagger was made.
  public let tagSchemes: [NLTagScheme]

  /// The text.
  public var string: String? {
    didSet {
      found = [:]
      stated = []
    }
  }

  /// The segments of the text by unit.
  private var found: [NLTokenUnit: TextSegments] = [:]
  private var stated: [(range: Range<String.Index>, language: NLLanguage)] = []

  /// Makes a tagger for schemes.
  public init(tagSchemes: [NLTagScheme]) { self.tagSchemes = tagSchemes }

  /// The most probable language of the text.
  public var dominantLanguage: NLLanguage? {
    string.flatMap { NLLanguageRecognizer.dominantLanguage(for: $0) }
  }

  /// Returns the schemes that work for a unit: those of no language in particular.
  public class func availableTagSchemes(
    for unit: NLTokenUnit, language: NLLanguage
  ) -> [NLTagScheme] {
    unit == .word ? [.tokenType, .language, .script] : [.language, .script]
  }

  /// Sets the language of a part of the text, which the scheme `language` then gives.
  public func setLanguage(_ language: NLLanguage, range: Range<String.Index>) {
    stated.append((range, language))
  }

  /// The range of the token at a position. The range is empty if there is none.
  public func tokenRange(at position: String.Index, unit: NLTokenUnit) -> Range<String.Index> {
    segments(unit).range(at: position)
  }

  /// The range from the first to the last token that have a part in a range.
  public func tokenRange(
    for range: Range<String.Index>, unit: NLTokenUnit
  ) -> Range<String.Index> {
    segments(unit).range(around: range)
  }

  /// Returns the tag and the range of the token at a position.
  public func tag(
    at position: String.Index, unit: NLTokenUnit, scheme: NLTagScheme
  ) -> (NLTag?, Range<String.Index>) {
    let segments: TextSegments = segments(unit)
    guard let index = segments.index(at: position) else { return (nil, position..<position) }
    let segment: TextSegments.Segment = segments.segments[index]
    return (tag(of: segment, unit: unit, scheme: scheme), segment.range)
  }

  /// Calls a closure with the tag of each token that has a part in a range, until the closure returns false.
  public func enumerateTags(
    in range: Range<String.Index>, unit: NLTokenUnit, scheme: NLTagScheme, options: Options = [],
    using block: (NLTag?, Range<String.Index>) -> Bool
  ) {
    for segment in segments(unit).segments(in: range) where !segment.kind.isLeftOut(options) {
      guard block(tag(of: segment, unit: unit, scheme: scheme), segment.range) else { return }
    }
  }

  /// Returns the tags of the tokens that have a part in a range.
  public func tags(
    in range: Range<String.Index>, unit: NLTokenUnit, scheme: NLTagScheme, options: Options = []
  ) -> [(NLTag?, Range<String.Index>)] {
    var tags: [(NLTag?, Range<String.Index>)] = []
    enumerateTags(in: range, unit: unit, scheme: scheme, options: options) {
      tags.append(($0, $1))
      return true
    }
    return tags
  }

  private func segments(_ unit: NLTokenUnit) -> TextSegments {
    if let known = found[unit] { return known }
    let new = TextSegments(string ?? "", unit: unit, language: nil)
    found[unit] = new
    return new
  }

  private func tag(
    of segment: TextSegments.Segment, unit: NLTokenUnit, scheme: NLTagScheme
  ) -> NLTag? {
    switch scheme {
    case .tokenType: unit == .word ? segment.kind.tag : nil
    case .language: language(of: segment, unit: unit).map { NLTag($0.rawValue) }
    case .script: script(of: segment, unit: unit).map { NLTag($0.rawValue) }
    default: nil
    }
  }

  private func language(of segment: TextSegments.Segment, unit: NLTokenUnit) -> NLLanguage? {
    if let language = stated.last(where: { $0.range.overlaps(segment.range) })?.language {
      return language
    }
    let range: Range<String.Index> =
      unit == .word
      ? tokenRange(at: segment.range.lowerBound, unit: .sentence) : segment.range
    return string.flatMap { NLLanguageRecognizer.dominantLanguage(for: String($0[range])) }
  }

  /// The script of most letters of a segment.
  private func script(of segment: TextSegments.Segment, unit: NLTokenUnit) -> NLScript? {
    var counts: [TextScript: Int] = [:]
    for scalar in (string ?? "")[segment.range].unicodeScalars {
      if let script = TextScript(scalar) { counts[script, default: 0] += 1 }
    }
    let most = counts.max { ($0.value, $1.key.rawValue) < ($1.value, $0.key.rawValue) }
    return most.map {
      $0.key.name(in: $0.key == .han ? language(of: segment, unit: unit) : nil)
    }
  }
}

extension TextSegments.Kind {
  /// The tag of the scheme `tokenType`.
  var tag: NLTag? {
    switch self {
    case .letters, .number: .word
    case .punctuation: .punctuation
    case .whitespace: .whitespace
    case .emoji, .symbol: .other
    case .text: nil
    }
  }

  func isLeftOut(_ options: NLTagger.Options) -> Bool {
    switch self {
    case .letters, .number: options.contains(.omitWords)
    case .punctuation: options.contains(.omitPunctuation)
    case .whitespace: options.contains(.omitWhitespace)
    case .emoji, .symbol: options.contains(.omitOther)
    case .text: false
    }
  }
}
