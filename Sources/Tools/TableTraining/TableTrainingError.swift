/// A table or a setting that a training cannot use.
public struct TableTrainingError: Error, CustomStringConvertible, Sendable {
  /// The message, one sentence.
  public let description: String

  init(_ description: String) { self.description = description }
}
