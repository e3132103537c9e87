/// What a tagger determines.
public struct NLTagScheme: RawRepresentable, Hashable, Sendable {
  /// The name of the scheme.
  public let rawValue: String

  /// Makes a scheme from its name.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Makes a scheme from its name.
  public init(_ rawValue: String) { self.rawValue = rawValue }
}

extension NLTagScheme {
  /// Whether a token is a word, punctuation, white space or something else.
  public static let tokenType = NLTagScheme("TokenType")
  /// The language of a unit of text. For words, that of their sentence.
  public static let language = NLTagScheme("Language")
  /// The script of a unit of text.
  public static let script = NLTagScheme("Script")
}

// Apple's systems have models for these schemes. Here, their tags are nil, as they are there for languages without a
// model.
extension NLTagScheme {
  /// The part of speech: has no effect here, because all its tags are nil.
  public static let lexicalClass = NLTagScheme("LexicalClass")
  /// Names of people, places and organisations: has no effect here, because all its tags are nil.
  public static let nameType = NLTagScheme("NameType")
  /// Names and parts of speech: has no effect here, because all its tags are nil.
  public static let nameTypeOrLexicalClass = NLTagScheme("NameTypeOrLexicalClass")
  /// The dictionary form: has no effect here, because all its tags are nil.
  public static let lemma = NLTagScheme("Lemma")
  /// Sentiment: has no effect here, because all its tags are nil.
  public static let sentimentScore = NLTagScheme("SentimentScore")
}
