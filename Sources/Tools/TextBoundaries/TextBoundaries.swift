import _FoundationICU

/// Finds the parts of a text by Unicode's rules (UAX #29), through the ICU library of Foundation. For Chinese, Japanese,
/// Thai, Lao, Khmer and Burmese, ICU finds words with its dictionaries.
public enum TextBoundaries {
  /// What the parts are.
  public enum Unit: Sendable {
    /// Words, and what is between them.
    case word
    /// Sentences, with the white space after each.
    case sentence
    /// Parts before and after which a line may break.
    case line

    fileprivate var type: UBreakIteratorType {
      switch self {
      case .word: UBRK_WORD
      case .sentence: UBRK_SENTENCE
      case .line: UBRK_LINE
      }
    }
  }

  /// What a part between two boundaries of words contains.
  public enum Content: Sendable {
    case letters, number, other
  }

  /// Returns the parts of a text with their lengths in UTF-16 units.
  ///
  /// - Parameter locale: The locale, such as `en@ss=standard` for sentences that do not end after abbreviations.
  public static func parts(
    of units: [UInt16], by unit: Unit, locale: String
  ) -> [(length: Int, content: Content)] {
    units.withUnsafeBufferPointer { units in
      var status = U_ZERO_ERROR
      guard
        let iterator = swift_ubrk_open(
          unit.type, locale, units.baseAddress, Int32(clamping: units.count), &status),
        status.rawValue <= U_ZERO_ERROR.rawValue
      else { return [] }
      defer { swift_ubrk_close(iterator) }
      var parts: [(length: Int, content: Content)] = []
      var start: Int32 = 0
      while true {
        let end: Int32 = swift_ubrk_next(iterator)
        guard end >= 0 else { return parts }
        let status: Int32 = swift_ubrk_getRuleStatus(iterator)
        // ICU's classes of words: 100 for numbers, 200 for letters, 300 for kana, 400 for ideographs.
        parts.append(
          (Int(end - start), status >= 200 ? .letters : status >= 100 ? .number : .other))
        start = end
      }
    }
  }
}
