/// What a tagger says of a token.
public struct NLTag: RawRepresentable, Hashable, Sendable {
  /// The name of the tag: a language's or a script's code for the schemes `language` and `script`.
  public let rawValue: String

  /// Makes a tag from its name.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Makes a tag from its name.
  public init(_ rawValue: String) { self.rawValue = rawValue }
}

extension NLTag {
  /// A word or a number.
  public static let word = NLTag("Word")
  /// Punctuation.
  public static let punctuation = NLTag("Punctuation")
  /// White space.
  public static let whitespace = NLTag("Whitespace")
  /// A symbol or an emoji.
  public static let other = NLTag("Other")
}

// Code compares results with these tags. No scheme here gives them.
extension NLTag {
  /// Noun: has no effect here.
  public static let noun = NLTag("Noun")
  /// Verb: has no effect here.
  public static let verb = NLTag("Verb")
  /// Adjective: has no effect here.
  public static let adjective = NLTag("Adjective")
  /// Adverb: has no effect here.
  public static let adverb = NLTag("Adverb")
  /// Pronoun: has no effect here.
  public static let pronoun = NLTag("Pronoun")
  /// Determiner: has no effect here.
  public static let determiner = NLTag("Determiner")
  /// Particle: has no effect here.
  public static let particle = NLTag("Particle")
  /// Preposition: has no effect here.
  public static let preposition = NLTag("Preposition")
  /// Number: has no effect here.
  public static let number = NLTag("Number")
  /// Conjunction: has no effect here.
  public static let conjunction = NLTag("Conjunction")
  /// Interjection: has no effect here.
  public static let interjection = NLTag("Interjection")
  /// Classifier: has no effect here.
  public static let classifier = NLTag("Classifier")
  /// Idiom: has no effect here.
  public static let idiom = NLTag("Idiom")
  /// Other word: has no effect here.
  public static let otherWord = NLTag("OtherWord")
  /// Sentence terminator: has no effect here.
  public static let sentenceTerminator = NLTag("SentenceTerminator")
  /// Open quote: has no effect here.
  public static let openQuote = NLTag("OpenQuote")
  /// Close quote: has no effect here.
  public static let closeQuote = NLTag("CloseQuote")
  /// Open parenthesis: has no effect here.
  public static let openParenthesis = NLTag("OpenParenthesis")
  /// Close parenthesis: has no effect here.
  public static let closeParenthesis = NLTag("CloseParenthesis")
  /// Word joiner: has no effect here.
  public static let wordJoiner = NLTag("WordJoiner")
  /// Dash: has no effect here.
  public static let dash = NLTag("Dash")
  /// Other punctuation: has no effect here.
  public static let otherPunctuation = NLTag("Punctuation")
  /// Paragraph break: has no effect here.
  public static let paragraphBreak = NLTag("ParagraphBreak")
  /// Other whitespace: has no effect here.
  public static let otherWhitespace = NLTag("Whitespace")
  /// Personal name: has no effect here.
  public static let personalName = NLTag("PersonalName")
  /// Place name: has no effect here.
  public static let placeName = NLTag("PlaceName")
  /// Organization name: has no effect here.
  public static let organizationName = NLTag("OrganizationName")
}
