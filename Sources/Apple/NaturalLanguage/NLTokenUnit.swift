/// A unit of text.
public enum NLTokenUnit: Int, Sendable {
  /// A word.
  case word = 0
  /// A sentence, with the white space after it.
  case sentence = 1
  /// A paragraph, without its line break.
  case paragraph = 2
  /// The whole text.
  case document = 3
}
