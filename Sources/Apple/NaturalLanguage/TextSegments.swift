import TextBoundaries

/// The words, sentences or paragraphs of a text.
struct TextSegments {
  /// A part of the text.
  struct Segment {
    let range: Range<String.Index>
    let kind: Kind
  }

  /// What a segment is.
  enum Kind {
    /// A word of letters.
    case letters
    /// A number.
    case number
    case emoji
    case punctuation
    case whitespace
    case symbol
    /// A sentence, a paragraph or a document.
    case text

    /// Whether a tokenizer lists the segment.
    var isToken: Bool {
      switch self {
      case .letters, .number, .emoji, .text: true
      case .punctuation, .whitespace, .symbol: false
      }
    }
  }

  /// The segments in the order of the text. Words also include what is between them.
  let segments: [Segment]

  /// Finds the segments.
  ///
  /// - Parameter language: The language of the text. Sentences of some languages do not end after abbreviations.
  init(_ text: String, unit: NLTokenUnit, language: NLLanguage?) {
    switch unit {
    case .word:
      segments = Self.parts(of: text, by: .word, locale: language?.rawValue ?? "").map {
        Segment(range: $0.range, kind: Self.kind(of: text[$0.range], $0.content))
      }
    case .sentence:
      let language: NLLanguage? = language ?? NLLanguageRecognizer.dominantLanguage(for: text)
      let locale = "\(language?.rawValue ?? "")@ss=standard"
      segments = Self.parts(of: text, by: .sentence, locale: locale)
        .map { Segment(range: $0.range, kind: .text) }
    case .paragraph:
      segments = text.split(whereSeparator: \.isNewline)
        .map { Segment(range: $0.startIndex..<$0.endIndex, kind: .text) }
    case .document:
      segments = text.isEmpty ? [] : [Segment(range: text.startIndex..<text.endIndex, kind: .text)]
    }
  }

  /// The index of the segment that contains a position. Nil between paragraphs and at the end.
  func index(at position: String.Index) -> Int? {
    let found: Int = firstIndex { $0.range.upperBound > position }
    guard found < segments.count, segments[found].range.lowerBound <= position else { return nil }
    return found
  }

  /// The range of the segment that contains a position. Empty between paragraphs and at the end.
  func range(at position: String.Index) -> Range<String.Index> {
    index(at: position).map { segments[$0].range } ?? position..<position
  }

  /// The range from the first to the last segment that have a part in a range. The range itself if there are none.
  func range(around range: Range<String.Index>) -> Range<String.Index> {
    let inside: ArraySlice<Segment> = segments(in: range)
    guard let first = inside.first, let last = inside.last else { return range }
    return first.range.lowerBound..<last.range.upperBound
  }

  /// The segments that have a part in a range.
  func segments(in range: Range<String.Index>) -> ArraySlice<Segment> {
    let first: Int = firstIndex { $0.range.upperBound > range.lowerBound }
    let end: Int = firstIndex { $0.range.lowerBound >= range.upperBound }
    return segments[first..<max(first, end)]
  }

  /// The index of the first segment that satisfies a condition, if all after it do as well.
  private func firstIndex(where condition: (Segment) -> Bool) -> Int {
    var (low, high) = (0, segments.count)
    while low < high {
      let middle: Int = (low + high) / 2
      if condition(segments[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }

  private static func parts(
    of text: String, by unit: TextBoundaries.Unit, locale: String
  ) -> [(range: Range<String.Index>, content: TextBoundaries.Content)] {
    var start: String.Index = text.startIndex
    return TextBoundaries.parts(of: Array(text.utf16), by: unit, locale: locale).map { part in
      let end: String.Index = text.utf16.index(start, offsetBy: part.length)
      defer { start = end }
      return (start..<end, part.content)
    }
  }

  /// What a part between words is, by its first character.
  private static func kind(of segment: Substring, _ content: TextBoundaries.Content) -> Kind {
    switch content {
    case .letters: return .letters
    case .number: return .number
    case .other: break
    }
    guard let first = segment.first, let scalar = first.unicodeScalars.first else { return .symbol }
    if first.isWhitespace { return .whitespace }
    if scalar.properties.isEmojiPresentation
      || first.unicodeScalars.count > 1 && scalar.properties.isEmoji
    {
      return .emoji
    }
    return first.isPunctuation ? .punctuation : .symbol
  }
}
